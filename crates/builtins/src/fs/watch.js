'use strict';
// fs.watch and fs.watchFile: FSWatcher and StatWatcher on the fs-event and fs-poll handles of the event loop (crates/core).

const { Buffer } = require('buffer');
const process = require('process');
const tracking = require('internal/async_hooks/tracking');
const EventEmitter = require('events');
const { ERR_FS_WATCH_QUEUE_OVERFLOW, ERR_INVALID_ARG_VALUE, uvException } = require('internal/errors');
const {
  validateAbortSignal, validateBoolean, validateFunction, validateInteger, validateObject, validateOneOf, validateUint32,
} = require('internal/validators');
const { assertEncoding, toPath } = require('internal/fs/arguments');
const { UV_DIRENT_DIR } = require('internal/fs/constants');
const { asBytes, toName } = require('internal/fs/steps');
const { basename, join } = require('path');

const { setOwner } = require('internal/resources');

const RENAME = 1;

// Open handles: [resource name for process.getActiveResourcesInfo(), watcher].
const openHandles = new SafeMap();

const rename = 'rename';

function failedWatch(errno, path) {
  const error = uvException({
    errno, syscall: 'watch', path: `${path}`,
    message: errno === -28 ? 'System limit for number of file watchers reached' : '',
  });
  error.filename = path;
  return error;
}

// For each handle, a function that ends its tracking by async_hooks.
const trackingEnds = new SafeWeakMap();

class FSWatcher extends EventEmitter {
  // Handles by watched directory. The key is relative to the watched path; '' is the watched path itself.
  #handles = new SafeMap();
  #persistent = true;
  #recursive = false;

  start(path, persistent, encoding, recursive = false) {
    if (this.#handles.size > 0) return;
    this.#persistent = persistent;
    this.#recursive = recursive;
    const errno = recursive ? this.#addFolder(path, '', encoding, false) : this.#add(path, '', encoding, false);
    if (errno < 0) throw failedWatch(errno, path);
  }

  // Watches one path. Returns a negative errno on failure.
  #add(path, folder, encoding, recursive) {
    const bytes = !recursive && Boolean(asBytes(encoding));
    let onEvent = (kind, name) => {
      const type = kind & RENAME ? rename : 'change';
      if (recursive) this.#changed(path, folder, type, name, encoding);
      else this.emit('change', type, name === null ? name : toName(name, encoding));
    };
    if (tracking.on) onEvent = tracking.handle('FSEVENTWRAP', onEvent);
    const handle = native.watch(path, bytes, this.#persistent, onEvent);
    if (typeof handle === 'number') return handle;
    setOwner(onEvent, this);
    this.#handles.set(folder, handle);
    if (onEvent.ended !== undefined) trackingEnds.set(handle, onEvent.ended);
    openHandles.set(handle, ['FSEventWrap', this]);
    return 0;
  }

  // An inotify watch covers a single directory, so a recursive watcher has one watch per directory. With `emitsEntries`, existing entries are
  // reported as new: they may have been created before the watch.
  #addFolder(path, folder, encoding, emitsEntries) {
    const errno = this.#add(path, folder, encoding, true);
    if (errno < 0) return errno;
    const found = native.callback.scandir(undefined, path);
    // The path is not a directory, or has been deleted.
    if (typeof found === 'number') return 0;
    const [names, kinds] = found;
    for (let i = 0; i < names.length; i++) {
      const inner = join(folder, names[i]);
      if (emitsEntries) this.emit('change', rename, toName(Buffer.from(inner), encoding));
      if (kinds[i] === UV_DIRENT_DIR) this.#addFolder(join(path, names[i]), inner, encoding, emitsEntries);
    }
    return 0;
  }

  #changed(path, folder, type, name, encoding) {
    const inner = join(folder, name);
    // The deletion of a directory is reported by the watch of its parent: ignore the event of its own watch.
    if (folder !== '' && type === rename && name === basename(folder) &&
        typeof native.callback.lstat(undefined, path) === 'number') return;
    this.emit('change', type, toName(Buffer.from(inner), encoding));
    if (type !== rename || this.#handles.size === 0) return;
    const full = join(path, name);
    const found = native.callback.lstat(undefined, full);
    const isFolder = typeof found === 'object' && found.isDirectory();
    if (!isFolder) this.#drop(inner);
    else if (!this.#handles.has(inner)) this.#addFolder(full, inner, encoding, true);
  }

  // Closes the watches of a directory and its subdirectories.
  #drop(gone) {
    for (const [folder, handle] of this.#handles) {
      if (folder === gone || folder.startsWith(`${gone}/`)) {
        this.#handles.delete(folder);
        openHandles.delete(handle);
        handle.close();
      }
    }
  }

  close() {
    if (this.#handles.size === 0) return;
    for (const handle of this.#handles.values()) {
      openHandles.delete(handle);
      handle.close();
      trackingEnds.get(handle)?.();
    }
    this.#handles.clear();
    // A recursive watcher emits 'close' synchronously (`lib/internal/fs/recursive_watch.js: close`).
    if (this.#recursive) this.emit('close');
    else process.nextTick(() => this.emit('close'));
  }

  ref() {
    this.#persistent = true;
    for (const handle of this.#handles.values()) handle.setRef(true);
    return this;
  }

  unref() {
    this.#persistent = false;
    for (const handle of this.#handles.values()) handle.setRef(false);
    return this;
  }
}

function watch(filename, options, listener) {
  if (typeof options === 'function') listener = options;
  const path = toPath(filename, 'filename');
  let { encoding, persistent = true, recursive = false, signal } = toWatchOptions(options);
  if (recursive !== false) validateBoolean(recursive, 'options.recursive');
  encoding ??= 'utf8';
  const watcher = new FSWatcher();
  const start = recursive && typeof path !== 'string' ? Buffer.from(path).toString() : path;
  watcher.start(start, persistent, encoding, recursive);
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

const watched = new SafeMap();

class StatWatcher extends EventEmitter {
  #handle = null;
  #refs = 0;

  start(path, persistent, interval, big, listener) {
    this.#refs = persistent ? 1 : 0;
    let lost = false;
    let onEvent = (gone, now, before) => {
      // A missing file is reported only once (`lib/internal/fs/watchers.js: onchange`).
      if (gone && lost) return;
      lost = gone;
      this.emit('change', now, before);
    };
    if (tracking.on) onEvent = tracking.handle('STATWATCHER', onEvent);
    this.#handle = native.watchFile(path, big, persistent, interval, onEvent);
    if (typeof this.#handle === 'number') {
      const error = uvException({ errno: this.#handle, syscall: 'watch', path });
      error.filename = path;
      throw error;
    }
    openHandles.set(this.#handle, ['StatWatcher', this]);
    setOwner(onEvent, this);
    if (onEvent.ended !== undefined) trackingEnds.set(this.#handle, onEvent.ended);
  }

  addRef() {
    if (++this.#refs === 1) this.ref();
  }

  stop() {
    if (this.#handle === null) return;
    openHandles.delete(this.#handle);
    this.#handle.close();
    trackingEnds.get(this.#handle)?.();
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

// fs.promises.watch: yields the events of one watcher. If more than `maxQueue` events are queued, drops events or throws.
async function* watchEvents(filename, options = {}) {
  const path = toPath(filename);
  validateObject(options, 'options');
  const {
    persistent = true, recursive = false, encoding = 'utf8', maxQueue = 2048, overflow = 'ignore', signal,
  } = options;
  validateBoolean(persistent, 'options.persistent');
  validateBoolean(recursive, 'options.recursive');
  validateInteger(maxQueue, 'options.maxQueue');
  validateOneOf(overflow, 'options.overflow', ['ignore', 'error']);
  validateAbortSignal(signal, 'options.signal');
  if (encoding && !Buffer.isEncoding(encoding) && encoding !== 'buffer') {
    // Node swaps the name and the value in this call.
    throw new ERR_INVALID_ARG_VALUE(encoding, 'encoding', 'is invalid encoding');
  }
  const { abortErrorOf } = require('internal/abort');
  if (signal?.aborted) throw abortErrorOf(signal);
  const events = [];
  let wake;
  let overflowError;
  const watcher = watch(path, { persistent, recursive, encoding }, (eventType, name) => {
    if (events.length < maxQueue) {
      events.push({ __proto__: null, eventType, filename: name });
    } else if (overflow === 'error') {
      overflowError = new ERR_FS_WATCH_QUEUE_OVERFLOW(maxQueue);
    } else {
      process.emitWarning('fs.watch maxQueue exceeded');
    }
    wake?.();
  });
  const stop = () => wake?.();
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      while (events.length > 0) yield events.shift();
      if (overflowError !== undefined) throw overflowError;
      if (signal?.aborted) throw abortErrorOf(signal);
      await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    watcher.close();
  }
}

const alive = () => [...openHandles].filter(([handle]) => handle.hasRef()).map(([, known]) => known);
require('internal/resources').addHandles(() => alive().map(([name]) => name), () => alive().map(([, owner]) => owner));

module.exports = { FSWatcher, StatWatcher, unwatchFile, watch, watchEvents, watchFile };
