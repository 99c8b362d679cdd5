'use strict';
// fs.Dir: reads a directory in batches of entries.

const process = require('process');
const { ERR_DIR_CLOSED, ERR_DIR_CONCURRENT_OPERATION, ERR_INVALID_THIS, ERR_MISSING_ARGS } = require('internal/errors');
const { validateFunction, validateUint32 } = require('internal/validators');
const { toOptions, toPath } = require('internal/fs/arguments');
const { failed, runCallback, runNow, runPromise } = require('internal/fs/run');
const { Dirent, kindOf } = require('internal/fs/stats');
const { asBytes, toName } = require('internal/fs/steps');
const { join } = require('path');

// Closes a Dir that was garbage collected without `close()`, and its open subdirectories, and emits a warning.
const leakedDirs = new SafeFinalizationRegistry(({ number, below }) => {
  process.emitWarning('Closing directory handle on garbage collection');
  for (const one of [{ number }, ...below]) native.callback.closedir(undefined, one.number);
});

class Dir {
  #number;
  #path;
  #options;
  #entries = [];
  // Open subdirectories of a recursive Dir: { number, path }.
  #below = [];
  #closed = false;
  // Operations that wait until the current operation has finished; null if there is no current operation.
  #waiting = null;

  constructor(number, path, options) {
    if (number == null) throw new ERR_MISSING_ARGS('handle');
    this.#number = number;
    this.#path = path;
    this.#options = { bufferSize: 32, ...toOptions(options, { encoding: 'utf8' }) };
    validateUint32(this.#options.bufferSize, 'options.bufferSize', true);
    leakedDirs.register(this, { number, below: this.#below }, this);
  }

  get path() {
    if (!(#path in this)) throw new ERR_INVALID_THIS('Dir');
    return this.#path;
  }

  #plan(number = this.#number, path = this.#path) {
    const { bufferSize, encoding } = this.#options;
    return ['readdir', [number, bufferSize, Boolean(asBytes(encoding))], path];
  }

  #add([names, kinds], path = this.#path) {
    const { encoding } = this.#options;
    for (let i = 0; i < names.length; i++) {
      let kind = kinds[i];
      if (kind === 0) {
        const found = native.callback.lstat(undefined, join(`${path}`, `${toName(names[i], 'utf8')}`));
        if (typeof found === 'object') kind = kindOf(found.mode);
      }
      this.#entries.push(new Dirent(toName(names[i], encoding), kind, path));
    }
  }

  // Returns the next buffered entry, or null. In recursive mode, also opens the subdirectory that the entry names.
  #take() {
    const entry = this.#entries.shift() ?? null;
    if (this.#options.recursive && entry?.isDirectory()) {
      const path = join(entry.parentPath, entry.name);
      const number = native.callback.opendir(undefined, path);
      if (number < 0) throw failed(number, 'opendir');
      this.#below.push({ number, path });
    }
    return entry;
  }

  // Reads the open subdirectories in turn until an entry is buffered (`lib/internal/fs/dir.js: processReadResult`, `#handlerQueue`). Returns true if
  // there is an entry.
  #readBelow() {
    while (this.#below.length > 0) {
      // The subdirectory stays in the list during the read, which may throw: `close()` must still find it.
      const folder = this.#below[0];
      const found = runNow(this.#plan(folder.number, folder.path));
      this.#below.shift();
      if (found[0].length > 0) {
        this.#below.push(folder);
        this.#add(found, folder.path);
      } else {
        runNow(['closedir', [folder.number], folder.path]);
      }
      if (this.#entries.length > 0) break;
    }
    return this.#entries.length > 0;
  }

  #closeBelow() {
    for (const { number, path } of this.#below.splice(0)) runNow(['closedir', [number], path]);
  }

  read(callback) {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        this.#read((error, entry) => (error ? reject(error) : resolve(entry)), runPromise);
      });
    }
    validateFunction(callback, 'callback');
    if (this.#closed) {
      process.nextTick(callback, new ERR_DIR_CLOSED());
      return undefined;
    }
    this.#read(callback);
    return undefined;
  }

  #read(callback) {
    if (this.#closed) {
      callback(new ERR_DIR_CLOSED());
      return;
    }
    if (this.#waiting !== null) {
      this.#waiting.push(() => this.#read(callback));
      return;
    }
    let entry;
    try {
      if (this.#readBelow()) entry = this.#take();
    } catch (error) {
      callback(error);
      return;
    }
    if (entry !== undefined) {
      process.nextTick(callback, null, entry);
      return;
    }
    this.#waiting = [];
    runCallback(this.#plan(), (error, result) => {
      process.nextTick((waiting) => {
        for (const one of waiting) one();
      }, this.#waiting);
      this.#waiting = null;
      let entry = null;
      try {
        if (error) throw error;
        this.#add(result);
        entry = this.#take();
      } catch (thrown) {
        callback(thrown);
        return;
      }
      callback(null, entry);
    });
  }

  readSync() {
    if (this.#closed) throw new ERR_DIR_CLOSED();
    if (this.#waiting !== null) throw new ERR_DIR_CONCURRENT_OPERATION();
    if (!this.#readBelow()) this.#add(runNow(this.#plan()));
    return this.#take();
  }

  close(callback) {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        if (this.#closed) reject(new ERR_DIR_CLOSED());
        else this.#close((error) => (error ? reject(error) : resolve()));
      });
    }
    validateFunction(callback, 'callback');
    if (this.#closed) process.nextTick(callback, new ERR_DIR_CLOSED());
    else this.#close(callback);
    return undefined;
  }

  #close(callback) {
    if (this.#waiting !== null) {
      this.#waiting.push(() => this.#close(callback));
      return;
    }
    this.#closed = true;
    leakedDirs.unregister(this);
    this.#closeBelow();
    runCallback(['closedir', [this.#number], this.#path], callback);
  }

  closeSync() {
    if (this.#closed) throw new ERR_DIR_CLOSED();
    if (this.#waiting !== null) throw new ERR_DIR_CONCURRENT_OPERATION();
    this.#closed = true;
    leakedDirs.unregister(this);
    this.#closeBelow();
    runNow(['closedir', [this.#number], this.#path]);
  }

  async* entries() {
    try {
      for (;;) {
        const entry = await this.read();
        if (entry === null) break;
        yield entry;
      }
    } finally {
      await this.close();
    }
  }

  async [Symbol.asyncDispose]() {
    if (!this.#closed) await this.close();
  }

  [Symbol.dispose]() {
    if (!this.#closed) this.closeSync();
  }
}
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, {
  __proto__: null,
  value: Dir.prototype.entries, writable: true, enumerable: false, configurable: true,
});

function plan(path, options) {
  path = toPath(path);
  options = toOptions(options, { encoding: 'utf8' });
  if (options.bufferSize !== undefined) validateUint32(options.bufferSize, 'options.bufferSize', true);
  return ['opendir', [path], path, undefined, (number) => new Dir(number, path, options)];
}

function opendir(path, options, callback) {
  if (typeof options === 'function') callback = options;
  validateFunction(callback, 'callback');
  runCallback(plan(path, options), callback);
}

function opendirSync(path, options) {
  const made = plan(path, options);
  const number = native.callback.opendir(undefined, made[2]);
  // Node's error has no path here (`lib/internal/fs/dir.js: opendirSync`).
  if (number < 0) throw failed(number, 'opendir');
  return made[4](number);
}

const opendirPromise = async (path, options) => runPromise(plan(path, options));

module.exports = { Dir, opendir, opendirPromise, opendirSync };
