'use strict';
// `ChildProcess`: a running child, its streams and its exit.

const process = require('process');
const EventEmitter = require('events');
const { heard } = require('internal/channels');
const { errnoException } = require('internal/errors');
const { Handle, kOwner, numberOf, open } = require('internal/net/handles');
const { signalName, signalNumber, nativeSpawnOptions } = require('internal/child_process/arguments');
const { itemsOf, plain } = require('internal/child_process/stdio');
const { validateArray, validateObject, validateOneOf, validateString } = require('internal/validators');

const kIsUsedAsStdio = Symbol('kIsUsedAsStdio');

const ENOENT = -2;
const ESRCH = -3;
const EAGAIN = -11;
const EACCES = -13;
const EINVAL = -22;
const ENFILE = -23;
const EMFILE = -24;
const ENOSYS = -38;
// Errors that `spawn()` emits as 'error' events; it throws all others.
const kEmittedErrors = [EACCES, EAGAIN, EMFILE, ENFILE, ENOENT];

// The class of `_handle` of a ChildProcess.
class Process extends Handle {
  constructor() {
    super();
    this.pid = undefined;
    this.onexit = undefined;
    open(this, native.open(this));
  }

  spawn(options) {
    const pid = native.spawn(numberOf(this), options);
    if (pid < 0) return pid;
    this.pid = pid;
    return 0;
  }

  kill(signal) { return native.kill(numberOf(this), signal); }

  // The native code calls this method when the child has exited.
  exited(code, signal) { this.onexit(code, signal === 0 ? '' : signalName(signal)); }
}

function ChildProcess() {
  EventEmitter.call(this);
  this._closesNeeded = 1;
  this._closesGot = 0;
  this.connected = false;
  this.signalCode = null;
  this.exitCode = null;
  this.killed = false;
  this.spawnfile = null;
  this._handle = new Process();
  this._handle[kOwner] = this;
  this._handle.onexit = (code, signal) => ended(this, code, signal);
  heard('child_process')?.publish({ process: this });
}
Object.setPrototypeOf(ChildProcess.prototype, EventEmitter.prototype);
Object.setPrototypeOf(ChildProcess, EventEmitter);

function ended(child, code, signal) {
  if (signal) child.signalCode = signal;
  else child.exitCode = code;
  child.stdin?.destroy();
  child._handle.close();
  child._handle = null;
  if (code < 0) {
    const error = errnoException(code, child.spawnfile ? `spawn ${child.spawnfile}` : 'spawn');
    if (child.spawnfile) error.path = child.spawnfile;
    error.spawnargs = child.spawnargs.slice(1);
    child.emit('error', error);
  } else {
    child.emit('exit', child.exitCode, child.signalCode);
  }
  // Streams that the program does not read are drained: otherwise 'close' would never be emitted.
  process.nextTick(drainUnread, child);
  maybeClose(child);
}

function drainUnread(child) {
  for (const stream of child.stdio ?? []) {
    if (stream?.readable && !stream[kIsUsedAsStdio]) stream.resume();
  }
}

// Counts an event that 'close' waits for. Emits 'close' when the child has exited and all its streams are closed.
function maybeClose(child) {
  child._closesGot++;
  if (child._closesGot === child._closesNeeded) child.emit('close', child.exitCode, child.signalCode);
}

// Stops reading from a stream whose descriptor the child inherits, so that the child receives the data.
function giveAway({ handle, stream }) {
  handle.reading = false;
  handle.readStop();
  stream.pause();
  stream.readableFlowing = false;
  if (stream._readableState) stream._readableState.reading = false;
  stream[kIsUsedAsStdio] = true;
}

function makeStreams(child, list) {
  const { Socket } = require('net');
  const streams = list.map((item, at) => {
    if (item.ipc) {
      child._closesNeeded++;
      return null;
    }
    if (item.type === 'wrap') giveAway(item);
    if (item.type !== 'pipe') return null;
    const socket = new Socket({ handle: item.handle, readable: at > 0 });
    if (at > 0) {
      child._closesNeeded++;
      socket.on('close', () => maybeClose(child));
    }
    return socket;
  });
  [child.stdin, child.stdout, child.stderr] = streams;
  child.stdio = streams;
}

const methods = {
  spawn(options) {
    validateObject(options, 'options');
    validateOneOf(options.serialization, 'options.serialization', [undefined, 'json', 'advanced']);
    const serialization = options.serialization || 'json';
    const { list, ipc, ipcFd } = itemsOf(options.stdio || 'pipe', false);
    let { envPairs } = options;
    if (ipc !== undefined) {
      if (envPairs === undefined) envPairs = [];
      else validateArray(envPairs, 'options.envPairs');
      envPairs.push(`NODE_CHANNEL_FD=${ipcFd}`, `NODE_CHANNEL_SERIALIZATION_MODE=${serialization}`);
    }
    validateString(options.file, 'options.file');
    this.spawnfile = options.file;
    if (options.args === undefined) this.spawnargs = [];
    else validateArray(options.args, 'options.args');
    this.spawnargs = options.args ?? this.spawnargs;

    const plainList = list.map((item) => plain(item, false));
    const spawnOptions = { __proto__: null, ...options, args: this.spawnargs, envPairs };
    const status = this._handle.spawn(nativeSpawnOptions(spawnOptions, plainList));
    if (kEmittedErrors.includes(status)) {
      process.nextTick(() => this._handle.onexit(status, ''));
      // With too many open files the pipes could not be created either: there are no streams to set up
      // (`lib/internal/child_process.js: ChildProcess.prototype.spawn`).
      if (status === EMFILE || status === ENFILE) return status;
    } else if (status !== 0) {
      for (const { type, handle } of list) if (type === 'pipe') handle.close();
      this._handle.close();
      this._handle = null;
      throw errnoException(status, 'spawn');
    } else {
      process.nextTick(() => this.emit('spawn'));
    }
    this.pid = this._handle.pid;
    makeStreams(this, list);
    if (ipc !== undefined) require('internal/child_process/channel').setup(this, ipc, serialization);
    return status;
  },

  kill(signal) {
    const number = signal === 0 ? 0 : signalNumber(signal === undefined ? 'SIGTERM' : signal);
    if (this._handle) {
      const status = this._handle.kill(number);
      if (status === 0) {
        this.killed = true;
        return true;
      }
      if (status === EINVAL || status === ENOSYS) throw errnoException(status, 'kill');
      if (status !== ESRCH) this.emit('error', errnoException(status, 'kill'));
    }
    return false;
  },

  [Symbol.dispose]() {
    if (!this.killed) this.kill();
  },

  ref() { this._handle?.ref(); },
  unref() { this._handle?.unref(); },
};
Object.assign(ChildProcess.prototype, methods);

module.exports = { ChildProcess, maybeClose };
