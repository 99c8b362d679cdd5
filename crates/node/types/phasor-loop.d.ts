// Type declarations of the module `phasor:loop` of Phasor.
//
// To use them: /// <reference path="…/phasor-loop.d.ts" />, or add the file to `files` in tsconfig.json.

declare module 'phasor:loop' {
  /** A phase of the event loop, in the order of a turn. */
  export type Phase = 'timers' | 'pending' | 'idle' | 'prepare' | 'poll' | 'check' | 'closing';

  /** One phase that the loop has passed. */
  export interface PassedPhase {
    phase: Phase;
    /** The number of callbacks of the loop that ran in it. */
    events: number;
    /** How long the loop waited in it. */
    waitedMs: number;
  }

  /**
   * Starts or stops recording the phases of the loop. Starting clears earlier records.
   *
   * @param on Default: `true`.
   */
  export function watch(on?: boolean): void;

  /** The recorded phases, the oldest first. The last one is the current phase. At most 4096 are kept. */
  export function walked(): PassedPhase[];

  /** A place in source code. */
  export interface Location {
    file: string;
    /** From 1. */
    line: number;
    /** From 1. */
    column: number;
    /** The name of the function; `''` if it has none. */
    function: string;
  }

  /** What a reason is: `other` kinds of handles may be added. */
  export type ReasonKind =
    | 'timeout' | 'interval' | 'immediate'
    | 'tcp server' | 'http server' | 'https server' | 'tls server' | 'unix socket server'
    | 'tcp socket' | 'unix socket' | 'pipe' | 'udp socket' | 'terminal'
    | 'standard input' | 'standard output' | 'standard error'
    | 'child process' | 'pipe of a child process' | 'ipc channel'
    | 'worker' | 'message port' | 'file watcher'
    | 'file request' | 'dns lookup' | 'reverse dns lookup' | 'dns query' | 'connect request' | 'write request' | 'shutdown request'
    | 'udp send request' | 'crypto request' | 'zlib request' | 'random request' | 'work request'
    | (string & {});

  /** One thing that keeps the loop alive. */
  export interface Reason {
    kind: ReasonKind;
    /** Which one: an address, a path, a command; may be `''`. */
    what: string;
    /** False for requests and for handles that are being closed: they end on their own. */
    hasRef: boolean;
    /** For how long it exists. Known if the program was started by `phasor why`, or with PHASOR_WHY=1. */
    ageMs: number | undefined;
    /** When it is due, from now on: for timers. */
    deadlineMs: number | undefined;
    /** The line of the program that made it. Known if the program was started by `phasor why`, or with PHASOR_WHY=1. */
    createdAt: Location | undefined;
    /** Where the function or listener of the program is defined that it will call. */
    callback: Location | undefined;
    /** How the program ends it: `server.close(), or server.unref()`; may be `''`. */
    remedy: string;
  }

  /**
   * What keeps the event loop of this thread alive, exactly: an empty array means that the loop ends when the code that runs now is done, unless
   * a tick or a promise starts something. Closing or unref'ing everything in the list, and waiting for its requests, lets the thread end.
   */
  export function whyAlive(): Reason[];

  /** A callback of the loop that ran for long. */
  export interface Block {
    /** How long it ran, in milliseconds. */
    ms: number;
    /** The stack at the time when it reached the limit, a line for each frame; `''` if a native function ran that cannot be interrupted. */
    stack: string;
    /** The native function that ran then, with its arguments: `fs.readFileSync('file')`; `undefined` if JavaScript ran. */
    native: string | undefined;
  }

  /**
   * Calls back after each callback of this thread that ran for `ms` milliseconds or longer: a timer, an immediate, a message or another event,
   * with the ticks and promises that followed it. It does not keep the thread alive.
   *
   * @param ms The limit, at least 1.
   * @returns A function that ends it.
   */
  export function onBlocked(ms: number, callback: (block: Block) => void): () => void;
}
