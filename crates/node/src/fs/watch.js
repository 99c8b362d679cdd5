'use strict';
// fs.watch and fs.watchFile: FSWatcher and StatWatcher on the core's handles.

const EventEmitter = require('events');
const { ERR_FEATURE_UNAVAILABLE_ON_PLATFORM, uvException } = require('internal/errors');
const { validateAbortSignal, validateBoolean, validateFunction, validateObject, validateUint32 } =
  require('internal/validators');
const { assertEncoding, toPath } = require('internal/fs/arguments');
const { toStats } = require('internal/fs/stats');
const { asBytes, toName } = require('internal/fs/steps');

const RENAME = 1;

// Handles that are open, by the name that process.getActiveResourcesInfo() gives them.
const open = new Map();

class FSWatcher extends EventEmitter {
  #handle = null;

  start(path, persistent, encoding) {
    if (this.#handle !== null) return;
    const handle = native.watch(path, Boolean(asBytes(encoding)), persistent, (kind, name) => {
      if (name !== null) name = toName(name, encoding);
      this.emit('change', kind & RENAME ? 'rename' : 'change', name);
    });
    if (typeof handle === 'number') {
      const error = uvException({
        errno: handle, syscall: 'watch', path: `${path}`,
        message: handle === -28 ? 'System limit for number of file watchers reached' : '',
      });
      error.filename = path;
      throw error;
    }
    this.#handle = handle;
    open.set(handle, 'FSEventWrap');
  }

  close() {
    if (this.#handle === null) return;
    open.delete(this.#handle);
    this.#handle.close();
    this.#handle = null;
    process.nextTick(() => this.emit('close'));
  }

  ref() {
    this.#handle?.setRef(true);
    return this;
  }

  unref() {
    this.#handle?.setRef(false);
    return this;
  }
}

function watch(filename, options, listener) {
  if (typeof options === 'function') listener = options;
  const path = toPath(filename, 'filename');
  let { encoding, persistent = true, recursive = false, signal } = toWatchOptions(options);
  if (recursive) throw new ERR_FEATURE_UNAVAILABLE_ON_PLATFORM('watch recursively');
  encoding ??= 'utf8';
  const watcher = new FSWatcher();
  watcher.start(path, persistent, encoding);
  if (listener) watcher.on('change', listener);
  if (signal) {
    if (signal.aborted) {
      process.nextTick(() => watcher.close());
    } else {
      const stop = () => watcher.close();
      signal.addEventListener('abort', stop);
      watcher.once('close', () => signal.removeEventListener('abort', stop));
    }
  }
  return watcher;
}

function toWatchOptions(options) {
  if (typeof options === 'function' || options == null) return {};
  options = require('internal/fs/arguments').toOptions(options);
  assertEncoding(options.encoding === 'buffer' ? undefined : options.encoding);
  if (options.persistent !== undefined) options.persistent = Boolean(options.persistent);
  return options;
}

const watched = new Map();

class StatWatcher extends EventEmitter {
  #handle = null;
  #refs = 0;

  start(path, persistent, interval, big, listener) {
    this.#refs = persistent ? 1 : 0;
    let lost = false;
    this.#handle = native.watchFile(path, big, persistent, interval, (now, before) => {
      const gone = typeof now === 'number';
      // As Node: something that is missing is told once.
      if (gone && lost) return;
      lost = gone;
      const none = () => before.map(() => (big ? 0n : 0));
      this.emit('change', toStats(gone ? none() : now), toStats(before));
    });
    if (typeof this.#handle === 'number') {
      const error = uvException({ errno: this.#handle, syscall: 'watch', path });
      error.filename = path;
      throw error;
    }
    open.set(this.#handle, 'StatWatcher');
  }

  addRef() {
    if (++this.#refs === 1) this.ref();
  }

  stop() {
    if (this.#handle === null) return;
    open.delete(this.#handle);
    this.#handle.close();
    this.#handle = null;
    process.nextTick(() => this.emit('stop'));
  }

  ref() {
    this.#handle?.setRef(true);
    return this;
  }

  unref() {
    this.#handle?.setRef(false);
    return this;
  }
}

const keyOf = (path) => require('path').resolve(typeof path === 'string' ? path : Buffer.from(path).toString());

function watchFile(filename, options, listener) {
  const path = keyOf(toPath(filename, 'filename'));
  if (options === null || typeof options !== 'object') {
    listener = options;
    options = {};
  }
  const { interval = 5007, persistent = true, bigint = false } = options;
  validateFunction(listener, 'listener');
  validateUint32(interval, 'interval');
  let watcher = watched.get(path);
  if (watcher === undefined) {
    watcher = new StatWatcher();
    watcher.start(path, persistent, interval, Boolean(bigint));
    watched.set(path, watcher);
  } else if (persistent) {
    watcher.addRef();
  }
  watcher.on('change', listener);
  return watcher;
}

function unwatchFile(filename, listener) {
  const path = keyOf(toPath(filename, 'filename'));
  const watcher = watched.get(path);
  if (watcher === undefined) return;
  if (typeof listener === 'function') watcher.removeListener('change', listener);
  else watcher.removeAllListeners('change');
  if (watcher.listenerCount('change') === 0) {
    watcher.stop();
    watched.delete(path);
  }
}

// fs.promises.watch: the events of one watcher, in turn.
async function* watchEvents(filename, options = {}) {
  validateObject(options, 'options');
  const { persistent = true, recursive = false, encoding = 'utf8', signal } = options;
  validateBoolean(persistent, 'options.persistent');
  validateBoolean(recursive, 'options.recursive');
  validateAbortSignal(signal, 'options.signal');
  const { abortErrorOf } = require('internal/abort');
  if (signal?.aborted) throw abortErrorOf(signal);
  const events = [];
  let wake;
  const watcher = watch(filename, { persistent, recursive, encoding }, (eventType, name) => {
    events.push({ __proto__: null, eventType, filename: name });
    wake?.();
  });
  const stop = () => wake?.();
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      while (events.length > 0) yield events.shift();
      if (signal?.aborted) throw abortErrorOf(signal);
      await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    watcher.close();
  }
}

require('internal/resources').addHandles(() => [...open].filter(([handle]) => handle.hasRef()).map(([, name]) => name));

module.exports = { FSWatcher, StatWatcher, unwatchFile, watch, watchEvents, watchFile };
