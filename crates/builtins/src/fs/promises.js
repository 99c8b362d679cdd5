'use strict';
// The module `fs/promises`: promise versions of the fs functions, and FileHandle.

const process = require('process');
const EventEmitter = require('events');
const { AbortError, ERR_FS_FILE_TOO_LARGE, ERR_INVALID_ARG_VALUE, ERR_METHOD_NOT_IMPLEMENTED } =
  require('internal/errors');
const { validateBuffer, validateEncoding, validateInteger, validateObject, kValidateObjectAllowNullable } =
  require('internal/validators');
const {
  checkBuffers, checkPosition, checkRead, checkText, checkWrite, parseFileMode, toBytes, toFlags, toOptions, toPath,
} = require('internal/fs/arguments');
const constants = require('internal/fs/constants');
const { failedLater, makePromiseOperations, refuse, runPromise, tracked } = require('internal/fs/run');
const calls = require('internal/fs/calls');
const steps = require('internal/fs/steps');
const handleSymbols = require('internal/fs/handle_symbols');
const { kRef, kUnref } = handleSymbols;
const { kDeserialize, kMoved, kPacked, kTransfer } = require('internal/clone_symbols');
const tracking = require('internal/async_hooks/tracking');
const { Buffer } = require('buffer');

// Captured at startup: native calls create Buffers with this prototype even if a script replaces `Buffer.prototype`.
const { prototype: bufferPrototype } = Buffer;

// Maximum number of bytes per write request (`lib/internal/fs/promises.js: kWriteFileMaxChunkSize`).
const chunkBytes = 512 * 1024;
const { ABORTED: kAborted, THREW: kThrew, TOO_LARGE: kTooLarge, UNMADE: kUnmade } = native.outcomes;

const kFd = Symbol('kFd');
const kRefs = Symbol('kRefs');
const kClosePromise = Symbol('kClosePromise');
const kResolve = Symbol('kCloseResolve');
const kReject = Symbol('kCloseReject');

let hasWarnedOfLeak = false;
// Closes the descriptor of a FileHandle that was garbage collected without close(), with a warning.
const leakedDescriptors = new SafeFinalizationRegistry((fd) => {
  process.emitWarning(`Closing file descriptor ${fd} on garbage collection`);
  if (!hasWarnedOfLeak) {
    hasWarnedOfLeak = true;
    process.emitWarning(
      'Closing a FileHandle object on garbage collection is deprecated. Please close FileHandle objects explicitly ' +
      'using FileHandle.prototype.close(). In the future, an error will be thrown if a file descriptor is closed during ' +
      'garbage collection.', 'DeprecationWarning', 'DEP0137');
  }
  native.callback.close(undefined, fd);
});

// Runs one operation on a handle and keeps the handle open until it settles.
async function use(handle, syscall, work) {
  if (handle[kFd] === -1) {
    const error = new Error('file closed');
    error.code = 'EBADF';
    error.syscall = syscall;
    throw error;
  }
  handle[kRef]();
  try {
    return await work(handle[kFd]);
  } finally {
    handle[kUnref]();
  }
}

function closeFd(handle, fd) {
  leakedDescriptors.unregister(handle);
  return runPromise(['close', [fd]]);
}

class FileHandle extends EventEmitter {
  constructor(fd) {
    super();
    this.close = close;
    this[kFd] = fd;
    this[kRefs] = 1;
    this[kClosePromise] = null;
    leakedDescriptors.register(this, fd, this);
  }

  // Unlike in Node, reading `fd` ends the closing by garbage collection: the caller may use the descriptor longer than the handle.
  get fd() {
    leakedDescriptors.unregister(this);
    return this[kFd];
  }

  getAsyncId() { return 0; }

  appendFile(data, options) { return use(this, 'writeFile', (fd) => writeTo(fd, data, options, 'a')); }

  chmod(mode) { return use(this, 'fchmod', async (fd) => runPromise(calls.byFd.fchmod[2](fd, mode))); }

  chown(uid, gid) { return use(this, 'fchown', async (fd) => runPromise(calls.byFd.fchown[2](fd, uid, gid))); }

  datasync() { return use(this, 'fdatasync', (fd) => runPromise(['fdatasync', [fd]])); }

  sync() { return use(this, 'fsync', (fd) => runPromise(['fsync', [fd]])); }

  read(buffer, offset, length, position) {
    return use(this, 'read', (fd) => readFrom(fd, buffer, offset, length, position));
  }

  readv(buffers, position) {
    return use(this, 'readv', async (fd) => {
      checkBuffers(buffers);
      const at = typeof position === 'number' ? position : -1;
      const bytesRead = await runPromise(['readv', [fd, buffers.map(toBytes), at]]);
      return { __proto__: null, bytesRead, buffers };
    });
  }

  readFile(options) { return use(this, 'readFile', (fd) => readWhole(fd, options)); }

  stat(options) { return use(this, 'fstat', async (fd) => runPromise(calls.byFd.fstat[2](fd, options))); }

  truncate(length = 0) { return use(this, 'ftruncate', async (fd) => runPromise(calls.byFd.ftruncate[2](fd, length))); }

  utimes(atime, mtime) {
    return use(this, 'futimes', async (fd) => runPromise(calls.byFd.futimes[2](fd, atime, mtime)));
  }

  write(buffer, offset, length, position) {
    return use(this, 'write', (fd) => writeOnce(fd, buffer, offset, length, position));
  }

  writev(buffers, position) {
    return use(this, 'writev', async (fd) => {
      checkBuffers(buffers);
      if (buffers.length === 0) return { __proto__: null, bytesWritten: 0, buffers };
      const at = typeof position === 'number' ? position : -1;
      const bytesWritten = await runPromise(['writev', [fd, buffers.map(toBytes), at]]);
      return { __proto__: null, bytesWritten, buffers };
    });
  }

  writeFile(data, options) { return use(this, 'writeFile', (fd) => writeTo(fd, data, options, 'w')); }

  createReadStream(options = undefined) {
    const { ReadStream } = require('internal/fs/streams');
    return new ReadStream(undefined, { ...options, fd: this });
  }

  createWriteStream(options = undefined) {
    const { WriteStream } = require('internal/fs/streams');
    return new WriteStream(undefined, { ...options, fd: this });
  }

  readableWebStream(options = {}) {
    return require('internal/fs/web_stream')(this, options, {
      isClosed: this[kFd] === -1, isClosing: Boolean(this[kClosePromise]),
    });
  }

  readLines(options = undefined) {
    const { Interface } = require('internal/readline/interface');
    return new Interface({ input: this.createReadStream(options), crlfDelay: Infinity });
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  // Transfers the handle to another thread, unless an operation is in progress.
  [kTransfer]() {
    if (this[kRefs] > 1 || this[kFd] === -1) {
      const { DOMException } = require('internal/domexception');
      throw new DOMException('Cannot transfer FileHandle while in use', 'DataCloneError');
    }
    return { data: this[kFd], deserializeInfo: 'internal/fs/file_handle:FileHandle' };
  }

  [kPacked]() {
    native.closeIfLost(this[kFd]);
  }

  [kMoved](wasMet) {
    if (!wasMet) return;
    native.moved(this[kFd], false);
    leakedDescriptors.unregister(this);
    this[kFd] = -1;
    this[kRefs] = 0;
  }

  // `kRef` keeps the handle open during an operation or for a stream.
  [kRef]() { this[kRefs]++; }

  [kUnref]() {
    if (--this[kRefs] !== 0) return;
    const fd = this[kFd];
    this[kFd] = -1;
    closeFd(this, fd).then(this[kResolve], this[kReject]);
  }
}

handleSymbols.FileHandle = FileHandle;
Object.defineProperty(FileHandle, kDeserialize, {
  __proto__: null,
  value: {
    shell: () => new FileHandle(-1),
    fill(handle, fd) {
      leakedDescriptors.unregister(handle);
      handle[kFd] = fd;
      native.moved(fd, true);
      leakedDescriptors.register(handle, fd, handle);
    },
  },
});

// Closes the handle after its current operations; repeated calls return the same promise.
function close() {
  if (this[kFd] === -1) return Promise.resolve();
  if (this[kClosePromise]) return this[kClosePromise];
  const forget = () => { this[kClosePromise] = undefined; };
  if (--this[kRefs] === 0) {
    const fd = this[kFd];
    this[kFd] = -1;
    this[kClosePromise] = PromisePrototypeFinally(closeFd(this, fd), forget);
  } else {
    this[kClosePromise] = new Promise((resolve, reject) => {
      this[kResolve] = resolve;
      this[kReject] = reject;
    }).finally(() => {
      forget();
      this[kResolve] = undefined;
      this[kReject] = undefined;
    });
  }
  this.emit('close');
  return this[kClosePromise];
}

async function readFrom(fd, bufferOrOptions, offset, length, position) {
  let buffer = bufferOrOptions;
  if (!ArrayBuffer.isView(buffer)) {
    // The method was called as `read(options)`.
    if (bufferOrOptions !== undefined) validateObject(bufferOrOptions, 'options', kValidateObjectAllowNullable);
    ({ buffer = Buffer.alloc(16384), offset = 0, length = buffer.byteLength - offset, position = null } =
      bufferOrOptions ?? {});
    validateBuffer(buffer);
  }
  if (offset !== null && typeof offset === 'object') {
    ({ offset = 0, length = buffer.byteLength - offset, position = null } = offset);
  }
  if (offset == null) offset = 0;
  else validateInteger(offset, 'offset', 0);
  length ??= buffer.byteLength - offset;
  if (length === 0) return { __proto__: null, bytesRead: 0, buffer };
  if (buffer.byteLength === 0) throw new ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
  checkRead(offset, length, buffer.byteLength);
  position = position == null ? -1 : checkPosition(position, 'position', length);
  const bytesRead = await runPromise(['read', [fd, toBytes(buffer), offset, length, position]]);
  return { __proto__: null, bytesRead, buffer };
}

async function writeOnce(fd, buffer, offset, length, position) {
  if (buffer?.byteLength === 0) return { __proto__: null, bytesWritten: 0, buffer };
  let args;
  if (ArrayBuffer.isView(buffer)) {
    if (typeof offset === 'object') {
      ({ offset = 0, length = buffer.byteLength - (offset ?? 0), position = null } = offset ?? {});
    }
    if (offset == null) offset = 0;
    else validateInteger(offset, 'offset', 0);
    if (typeof length !== 'number') length = buffer.byteLength - offset;
    if (typeof position !== 'number') position = -1;
    checkWrite(offset, length, buffer.byteLength);
    args = [toBytes(buffer), offset, length, position];
  } else {
    checkText(buffer, 'buffer');
    validateEncoding(buffer, length);
    const bytes = Buffer.from(buffer, typeof length === 'string' ? length : 'utf8');
    args = [bytes, 0, bytes.length, typeof offset === 'number' ? offset : -1];
  }
  const bytesWritten = await runPromise(['write', [fd, ...args]]);
  return { __proto__: null, bytesWritten, buffer };
}

// Reads a whole file, given by path or descriptor.
async function readWhole(target, options) {
  options = toOptions(options, { flag: 'r' });
  const { encoding, signal } = options;
  const flags = typeof target === 'number' ? 0 : toFlags(options.flag || 'r');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const text = encoding === 'utf8' || encoding === 'utf-8';
  return new Promise((resolve, reject) => {
    const done = tracked((fail, value) => {
      if (fail !== null) {
        fail();
        return;
      }
      try {
        resolve(text || !encoding ? value : value.toString(encoding));
      } catch (error) {
        reject(error);
      }
    }, 'FSREQPROMISE');
    makePromiseOperations().readFile(done, (done, errno, value) => done(() => {
      if (errno === kAborted) reject(new AbortError(undefined, { cause: signal?.reason }));
      else if (errno === kTooLarge) reject(new ERR_FS_FILE_TOO_LARGE(value));
      // `value` is the exception of the signal's `aborted` getter, or of the conversion to a string.
      else if (errno === kThrew || errno === kUnmade) reject(value);
      else refuse(reject, failedLater(errno, value, value === 'open' ? target : undefined));
    }), target, flags, text ? undefined : bufferPrototype, signal);
  });
}

const isIterable = (value) =>
  value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) &&
  (typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function');

async function writeTo(fd, data, options, flag) {
  options = calls.toWriteOptions(options, flag);
  const { encoding, signal } = options;
  steps.stop(signal);
  if (isIterable(data)) {
    for await (const part of data) {
      steps.stop(signal);
      const bytes = ArrayBuffer.isView(part) ? part : Buffer.from(part, encoding || 'utf8');
      await runPromise(steps.writeAll(fd, bytes, signal));
      steps.stop(signal);
    }
    return;
  }
  await runPromise(steps.writeAll(fd, calls.toData(data, encoding), signal, undefined, chunkBytes));
}

async function writeFile(path, data, options) {
  return write(path, data, options, 'w');
}

async function appendFile(path, data, options) {
  return write(path, data, options, 'a');
}

async function write(path, data, options, flag) {
  if (path instanceof FileHandle) return flag === 'a' ? path.appendFile(data, options) : path.writeFile(data, options);
  options = calls.toWriteOptions(options, flag);
  if (!isIterable(data)) data = calls.toData(data, options.encoding);
  path = toPath(path);
  const flags = toFlags(options.flag);
  const mode = parseFileMode(options.mode, 'mode', 0o666);
  if (!isIterable(data)) {
    const ending = options.flush ? steps.flush : undefined;
    return runPromise(steps.writeFile(path, flags, mode, data, options.signal, ending, chunkBytes));
  }
  steps.stop(options.signal);
  const fd = await runPromise(['open', [path, flags, mode], path]);
  try {
    steps.stop(options.signal);
    await writeTo(fd, data, options, flag);
    if (options.flush) await runPromise(['fsync', [fd]]);
  } finally {
    await runPromise(['close', [fd]]);
  }
  return undefined;
}

async function readFile(path, options) {
  if (path instanceof FileHandle) return path.readFile(options);
  const { flag, signal } = toOptions(options);
  path = toPath(path);
  if (!tracking.isHooked()) return readWhole(path, options);
  // async_hooks must see the same operations as in Node, which opens a FileHandle and reads it (`lib/internal/fs/promises.js: readFile`).
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const handle = await open(path, flag || 'r', 0o666);
  try {
    return await handle.readFile(options);
  } finally {
    await handle.close();
  }
}

async function open(path, flags, mode) {
  return new FileHandle(await runPromise(calls.open(path, flags, mode)));
}

async function rm(path, options) {
  await runPromise(calls.remove(path, options, function* wait(ms) {
    yield require('timers/promises').setTimeout(ms);
  }));
}

async function cp(from, to, options) {
  const { copy, toCopyOptions } = require('internal/fs/copy');
  options = toCopyOptions(options);
  await runPromise(copy(toPath(from, 'src'), toPath(to, 'dest'), options));
}

async function realpath(path, options) {
  const { encoding } = toOptions(options);
  path = toPath(path);
  const make = (name) => steps.toName(name, encoding);
  return runPromise(['realpath', [path, Boolean(steps.asBytes(encoding))], path, undefined, make]);
}

async function lchmod(path, mode) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('lchmod()');
}

async function opendir(path, options) {
  return require('internal/fs/dir').opendirPromise(path, options);
}

function glob(pattern, options) {
  return require('internal/fs/glob').globPromise(pattern, options);
}

function watch(path, options) {
  return require('internal/fs/watch').watchEvents(path, options);
}

// The `length` of these functions in Node, where a parameter with a default value does not count.
const shorter = { __proto__: null, access: 1, lstat: 1, stat: 1, statfs: 1, truncate: 1 };

for (const name of Object.keys(calls.byPath)) {
  const [count, , plan] = name === 'readdir' ? [2, 1, calls.readdirHere] : calls.byPath[name];
  const call = async (...args) => runPromise(plan(...args));
  Object.defineProperty(call, 'name', { __proto__: null, value: name, configurable: true });
  Object.defineProperty(call, 'length', { __proto__: null, value: shorter[name] ?? count, configurable: true });
  module.exports[name] = call;
}
Object.assign(module.exports, {
  appendFile, constants, cp, glob, lchmod, open, opendir, readFile, realpath, rm, watch, writeFile,
});
