'use strict';
// `Worker`: the parent's side of a thread. It has two channels: the public one, whose other end is `parentPort`, and
// an internal one (its other end is in main.js).

const EventEmitter = require('events');
const process = require('process');
const {
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_METHOD_NOT_IMPLEMENTED,
  ERR_WORKER_INIT_FAILED,
  ERR_WORKER_INVALID_EXEC_ARGV,
  ERR_WORKER_NOT_RUNNING,
  ERR_WORKER_OUT_OF_MEMORY,
  ERR_WORKER_PATH,
  ERR_WORKER_UNSERIALIZABLE_ERROR,
} = require('internal/errors');
const { validateArray, validateNumber, validateObject, validateString } = require('internal/validators');
const { handlesOf, sortTransfers, withMoving } = require('internal/clone');
const channel = require('internal/port');
const messaging = require('internal/messaging');

const kShareEnv = Symbol.for('nodejs.worker_threads.SHARE_ENV');
const limitNames = ['maxYoungGenerationSizeMb', 'maxOldGenerationSizeMb', 'codeRangeSizeMb', 'stackSizeMb'];

// Thread number of a worker that has ended.
const kGone = 0;

function isUrl(value) {
  return value !== null && typeof value === 'object' && typeof value.href === 'string' &&
    typeof value.protocol === 'string' && value.auth === undefined && value.path === undefined;
}

// Passed in place of a script: the thread runs the hooks of `module.register`.
const kHooks = Symbol('kHooks');
// Functions with access to private members, set by the class: they return the worker's port, return whether its thread runs, and deliver its
// pending internal messages.
let portOf;
let isThere;
let hear;

// The script to run: [kind, code or path].
function scriptOf(filename, options) {
  if (filename === kHooks) return ['hooks', ''];
  if (options.eval) {
    if (typeof filename !== 'string') {
      throw new ERR_INVALID_ARG_VALUE('options.eval', options.eval, "must be false when 'filename' is not a string");
    }
    return ['code', filename];
  }
  if (isUrl(filename)) {
    if (filename.protocol === 'data:') return ['url', `${filename}`];
    return ['file', require('url').fileURLToPath(filename)];
  }
  if (typeof filename !== 'string') throw new ERR_INVALID_ARG_TYPE('filename', ['string', 'URL'], filename);
  if (filename.startsWith('/')) return ['file', require('path').resolve(filename)];
  if (/^\.\.?[\\/]/.test(filename)) return ['file', require('path').resolve(filename)];
  throw new ERR_WORKER_PATH(filename);
}

// The environment as a flat list of names and values; undefined to share this thread's.
function environmentOf(env) {
  if (env === kShareEnv) {
    require('internal/process/env_handler').share();
    return undefined;
  }
  if (env !== null && env !== undefined && typeof env !== 'object') {
    throw new ERR_INVALID_ARG_TYPE(
      'options.env', ['object', 'undefined', 'null', 'worker_threads.SHARE_ENV'], env);
  }
  return ArrayPrototypeFlatMap(Object.entries(env ?? process.env), ([name, value]) => [name, `${value}`]);
}

function limitsOf(given) {
  const limits = [-1, -1, -1, -1];
  if (typeof given !== 'object' || given === null) return limits;
  limitNames.forEach((name, at) => {
    if (typeof given[name] === 'number') limits[at] = given[name];
  });
  if (typeof given.maxOldGenerationSizeMb === 'number') limits[1] = Math.max(limits[1], 2);
  return limits;
}

// Runtime options of a worker: `execArgv` as given, and normalized.
function optionsOf(given) {
  if (given === undefined || given === null) {
    const { execArgv, flags } = require('internal/scheduler').options();
    return { execArgv, flags };
  }
  validateArray(given, 'options.execArgv');
  given = given.map(String);
  const { flags, unknown, fault, count } = require('internal/worker/options').read(given);
  const invalid = fault === undefined ? unknown : [fault];
  if (invalid.length > 0) throw new ERR_WORKER_INVALID_EXEC_ARGV('invalid execArgv flags', invalid.join(', '));
  return { execArgv: given.slice(0, count), flags };
}

// Parses NODE_OPTIONS of a worker's environment. Flags that only Node has are ignored, as at the start of the process.
function nodeOptions(text) {
  const { read, split } = require('internal/worker/options');
  const { words, fault } = split(text);
  const refuse = (message) => { throw new ERR_WORKER_INVALID_EXEC_ARGV('invalid NODE_OPTIONS env variable', message); };
  if (fault !== undefined) refuse(fault);
  const parsed = read(words, true);
  if (parsed.fault !== undefined) refuse(parsed.fault);
  const wrong = parsed.unknown.find((word) => !native.isFlagOfNode(word) &&
    !process.allowedNodeEnvironmentFlags.has(word.replace(/=.*$/s, '')));
  if (wrong !== undefined) refuse(`${wrong.replace(/=.*$/s, '=')} is not allowed in NODE_OPTIONS`);
  return parsed.flags;
}

class Worker extends EventEmitter {
  #number = kGone;
  #control;
  #public;
  // The thread number; kept after the thread has ended.
  #lastNumber = kGone;
  #online = false;
  #name = '';
  #limits;
  #stdio;
  // Callbacks of the pending `cpuUsage` requests to the thread, oldest first.
  #usageCallbacks = [];

  static {
    portOf = (worker) => worker.#public;
    isThere = (worker) => native.hasBox(worker.#lastNumber);
    hear = (worker) => {
      for (let next = channel.receive(worker.#control); next; next = channel.receive(worker.#control)) worker.#onMessage(next[0]);
    };
  }

  constructor(filename, options = {}) {
    super();
    const { execArgv, flags } = optionsOf(options.execArgv || undefined);
    let argv = [];
    if (options.argv) {
      validateArray(options.argv, 'options.argv');
      argv = options.argv.map(String);
    }
    const [kind, script] = scriptOf(filename, options);
    const env = environmentOf(options.env);
    if (typeof options.env === 'object' && options.env !== null) {
      flags.unshift(...require('internal/worker/options').switchesOf(options.env));
    }
    if (typeof options.env?.NODE_OPTIONS === 'string') flags.unshift(...nodeOptions(options.env.NODE_OPTIONS));
    if (options.name) {
      validateString(options.name, 'options.name');
      this.#name = options.name.trim();
    }
    this.#limits = limitsOf(options.resourceLimits);

    let ended = (code, error, text) => this.#ended(code, error, text);
    let onMessage = (message) => this.#onMessage(message);
    const { on, handle } = require('internal/async_hooks/tracking');
    if (on) {
      onMessage = handle('MESSAGEPORT', onMessage);
      // As in Node, `hasRef` works until the thread is released.
      ended = handle('WORKER', ended, { hasRef: () => native.hasRef(this.#lastNumber) ?? undefined });
    }
    const [ours, theirs] = channel.pair();
    const [publicOurs, publicTheirs] = channel.pair();
    // Serialize `workerData` first: it may throw before a thread exists.
    const { buffers, ports, others } = sortTransfers(options.transferList ?? []);
    channel.open(ours, onMessage);
    const environmentData = require('internal/worker/environment');
    try {
      withMoving(ports, others, () => channel.post(ours, ['load', {
        kind, script, argv, environmentData, workerData: options.workerData, hasStdin: Boolean(options.stdin),
      }], buffers, ports, handlesOf(ports)));
    } catch (error) {
      channel.close(ours);
      throw error;
    }
    this.#control = ours;
    this.#stdio = require('internal/worker/stdio').forWorker(options, ours);
    this.#public = messaging.portOf(publicOurs);
    for (const event of ['message', 'messageerror']) this.#public.on(event, (value) => { this.emit(event, value); });
    // The port keeps the loop alive only while it has a listener.
    this.#public.unref();
    this.on('newListener', (event) => {
      if (event === 'message' && this.listenerCount('message') === 0) this.#public?.ref();
    });
    this.on('removeListener', (event) => {
      if (event === 'message' && this.listenerCount('message') === 0) this.#public?.unref();
    });
    this.performance = { eventLoopUtilization: this.#utilization.bind(this) };
    this.#number = native.start({
      name: this.#name, script: kind === 'code' ? '[worker eval]' : script, limits: this.#limits, execArgv, flags, env, tracks: Boolean(options.trackUnmanagedFds ?? true),
      ports: [publicOurs, ours], ends: [publicTheirs, theirs],
    }, ended);
    const { setOwner, setScript } = require('internal/resources');
    setScript(this, kind === 'code' ? '[worker eval]' : script);
    setOwner(ended, this);
    setOwner(this.#public, this);
    this.#lastNumber = this.#number;
    if (this.#number === kGone) {
      channel.close(ours);
      this.#public.close();
      throw new ERR_WORKER_INIT_FAILED('EAGAIN');
    }
    if (this.#limits[3] === -1) this.#limits[3] = 4;
    alive.add(this);
    require('internal/channels').heard('worker_threads')?.publish({ worker: this });
    process.nextTick(() => process.emit('worker', this));
  }

  #onMessage(message) {
    if (message === undefined) return;
    // Index access: a program may have replaced the array iterator.
    const { 0: what, 1: first } = message;
    switch (what) {
      case 'online':
        this.#online = true;
        this.emit('online');
        break;
      case 'thrown':
        this.emit('error', require('internal/worker/thrown').fromData(first));
        break;
      case 'usage':
        this.#usageCallbacks.shift()?.(first);
        break;
      case 'unsayable':
        this.emit('error', new ERR_WORKER_UNSERIALIZABLE_ERROR());
        break;
      default:
        this.#stdio.heard(what, first, message[2]);
    }
  }

  #ended(code, error, text) {
    alive.delete(this);
    channel.close(this.#control);
    this.#public.close();
    this.#number = kGone;
    this.#public = undefined;
    this.removeAllListeners('message');
    this.removeAllListeners('messageerror');
    this.#stdio.end();
    for (const resolve of this.#usageCallbacks.splice(0)) resolve(undefined);
    if (error === 'ERR_WORKER_OUT_OF_MEMORY') this.emit('error', new ERR_WORKER_OUT_OF_MEMORY(text));
    else if (error) this.emit('error', new ERR_WORKER_INIT_FAILED(text));
    this.emit('exit', code);
    this.removeAllListeners();
  }

  #utilization(first, second) {
    const times = this.#online && this.#number !== kGone ? native.loopTimes(this.#number) ?? undefined : undefined;
    if (times === undefined) return { idle: 0, active: 0, utilization: 0 };
    let idle;
    let active;
    if (second) {
      idle = first.idle - second.idle;
      active = first.active - second.active;
    } else {
      idle = times[0] - (first?.idle ?? 0);
      active = times[1] - times[0] - (first?.active ?? 0);
    }
    return { idle, active, utilization: active / (idle + active) };
  }

  postMessage(...args) {
    if (this.#public === undefined) return;
    this.#public.postMessage(...args);
  }

  terminate(callback) {
    this.ref();
    if (typeof callback === 'function') {
      process.emitWarning(
        'Passing a callback to worker.terminate() is deprecated. It returns a Promise instead.',
        'DeprecationWarning', 'DEP0132');
      if (this.#number === kGone) return Promise.resolve();
      this.once('exit', (code) => callback(null, code));
    }
    if (this.#number === kGone) return Promise.resolve();
    native.terminate(this.#number);
    return new Promise((resolve) => { this.once('exit', resolve); });
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    await this.terminate();
  }

  ref() {
    if (this.#number === kGone) return;
    native.setRef(this.#number, true);
    this.#public.ref();
  }

  unref() {
    if (this.#number === kGone) return;
    native.setRef(this.#number, false);
    this.#public.unref();
  }

  get threadId() {
    return this.#number === kGone ? -1 : this.#number;
  }

  get threadName() {
    return this.#number === kGone ? null : this.#name;
  }

  get stdin() { return this.#stdio.stdin; }

  get stdout() { return this.#stdio.stdout; }

  get stderr() { return this.#stdio.stderr; }

  get resourceLimits() {
    if (this.#number === kGone) return {};
    return Object.fromEntries(limitNames.map((name, at) => [name, this.#limits[at]]));
  }

  getHeapSnapshot() {
    if (this.#number === kGone) return Promise.reject(new ERR_WORKER_NOT_RUNNING());
    // The engine cannot write heap snapshots.
    return Promise.reject(new ERR_METHOD_NOT_IMPLEMENTED('getHeapSnapshot()'));
  }

  async #usage() {
    if (this.#number === kGone) throw new ERR_WORKER_NOT_RUNNING();
    channel.say(this.#control, ['usage']);
    const { promise, resolve } = Promise.withResolvers();
    this.#usageCallbacks.push(resolve);
    const usage = await promise;
    if (usage === undefined) throw new ERR_WORKER_NOT_RUNNING();
    return usage;
  }

  cpuUsage(before) {
    if (before) {
      validateObject(before, 'prev');
      validateNumber(before.user, 'prev.user', 0, Number.MAX_SAFE_INTEGER);
      validateNumber(before.system, 'prev.system', 0, Number.MAX_SAFE_INTEGER);
    }
    return this.#usage().then(({ user, system }) =>
      ({ user: user - (before?.user ?? 0), system: system - (before?.system ?? 0) }));
  }

  getHeapStatistics() {
    if (this.#number === kGone) return Promise.reject(new ERR_WORKER_NOT_RUNNING());
    return Promise.reject(new ERR_METHOD_NOT_IMPLEMENTED('getHeapStatistics()'));
  }
}

// Open the mailbox of this thread, so that workers can send messages to it.
require('internal/worker/threads').listen();

// Workers whose threads are running. The set prevents their garbage collection.
const alive = new SafeSet();

// Starts the hooks thread of `module.register`; `workerData` is internal.
function startHooks(workerData) {
  const worker = new Worker(kHooks, { trackUnmanagedFds: false, workerData });
  return { worker, port: portOf(worker), hear: () => hear(worker), isThere: () => isThere(worker) };
}

module.exports = { Worker, startHooks };
