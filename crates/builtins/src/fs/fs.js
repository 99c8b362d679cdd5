'use strict';
// The module `fs`: synchronous and callback functions.

const process = require('process');
const { AbortError, ERR_FS_FILE_TOO_LARGE, ERR_INVALID_ARG_VALUE, ERR_STRING_TOO_LONG } = require('internal/errors');
const { validateBuffer, validateEncoding, validateFunction, validateInteger, validateObject,
        kValidateObjectAllowNullable } = require('internal/validators');
const {
  checkBuffers, checkPosition, checkRead, checkText, checkWrite, parseFileMode, toBytes, toFd, toFlags, toOptions,
  toPath, toSeconds,
} = require('internal/fs/arguments');
const constants = require('internal/fs/constants');
const { failed, failedLater, runCallback, runNow, tracked } = require('internal/fs/run');
const { called } = require('internal/scheduler/trace');
const { Dirent, Stats } = require('internal/fs/stats');
const calls = require('internal/fs/calls');
const steps = require('internal/fs/steps');
const { Buffer } = require('buffer');

const fs = module.exports;
const { callback: operations } = native;
const { ABORTED: kAborted, THREW: kSignalThrew, TOO_LARGE: kTooLarge, UNMADE: kUnmade } = native.outcomes;
// Captured at startup: native calls create Buffers with this prototype even if a script replaces `Buffer.prototype`.
const { prototype: bufferPrototype } = Buffer;

require('internal/resources').addRequests(() => {
  const [callbacks, promises, closes] = native.active();
  return [
    ...Array(callbacks).fill('FSReqCallback'), ...Array(promises).fill('FSReqPromise'), ...Array(closes).fill('CloseReq'),
  ];
});

const nameDescriptor = { __proto__: null, value: '', configurable: true };
const lengthDescriptor = { __proto__: null, value: 0, configurable: true };

function define(name, length, call) {
  nameDescriptor.value = name;
  lengthDescriptor.value = length;
  Object.defineProperty(call, 'name', nameDescriptor);
  Object.defineProperty(call, 'length', lengthDescriptor);
  fs[name] = call;
}

function addCall(name, [count, optional, plan]) {
  define(name, shorter[name] ?? count + 1, function(...args) {
    let callback = args[count];
    for (let at = count - optional; at < count; at++) {
      if (typeof args[at] === 'function') {
        callback = args[at];
        args.length = at;
        break;
      }
    }
    args.length = Math.min(args.length, count);
    checkedFirst[name]?.(...args);
    validateFunction(callback, 'cb');
    runCallback(plan(...args), callback);
  });
  define(`${name}Sync`, shorter[name] ?? count, (...args) => runNow(plan(...ArrayPrototypeSlice(args, 0, count))));
}
// The `length` of these functions in Node, where a parameter with a default value does not count.
const shorter = { __proto__: null, fstat: 1, ftruncate: 1, lstat: 1, stat: 1, statfs: 1 };

// Arguments that Node validates before it validates the callback.
const checkedFirst = {
  __proto__: null,
  access: (path) => toPath(path),
  chmod: calls.byPath.chmod[2],
  copyFile: (from, to) => {
    toPath(from, 'src');
    toPath(to, 'dest');
  },
  fchmod: calls.byFd.fchmod[2],
  fchown: calls.byFd.fchown[2],
  ftruncate: calls.byFd.ftruncate[2],
  futimes: calls.byFd.futimes[2],
  truncate: calls.byPath.truncate[2],
};

for (const name of Object.keys(calls.byPath)) addCall(name, calls.byPath[name]);
for (const name of Object.keys(calls.byFd)) addCall(name, calls.byFd[name]);

// DEP0081: `fs.truncate` accepts a file descriptor in place of the path.
function takesFd(byFd, byPath) {
  const { deprecationWarning } = require('internal/util');
  const warn = deprecationWarning(
    'Using fs.truncate with a file descriptor is deprecated. Please use fs.ftruncate with a file descriptor instead.',
    'DEP0081');
  return function(target, ...rest) {
    if (typeof target !== 'number') return byPath(target, ...rest);
    warn();
    return byFd(target, ...rest);
  };
}
define('truncate', 3, takesFd(fs.ftruncate, fs.truncate));
define('truncateSync', 2, takesFd(fs.ftruncateSync, fs.truncateSync));

// Fast path for `stat` and `lstat`, the most frequent calls: skips the generic wrapper of `addCall`.
function addStat(name) {
  const operation = operations[name];
  define(name, 1, function(path, options, callback) {
    if (typeof options === 'function') {
      callback = options;
      options = undefined;
    }
    validateFunction(callback, 'cb');
    path = toPath(path);
    operation(tracked(callback), path, Boolean(options?.bigint));
  });
}
addStat('stat');
addStat('lstat');

// Options without a prototype: they are not read from a polluted `Object.prototype`.
const noOptions = { __proto__: null };

function quietStat(syscall) {
  return (path, options = noOptions) => {
    path = toPath(path);
    const result = operations[syscall](undefined, path, Boolean(options.bigint));
    if (typeof result === 'number') {
      // -2 is ENOENT, -20 is ENOTDIR.
      if (options.throwIfNoEntry === false && (result === -2 || result === -20)) return undefined;
      throw failed(result, syscall, path);
    }
    return result;
  };
}
define('statSync', 1, quietStat('stat'));
define('lstatSync', 1, quietStat('lstat'));

function open(path, flags, mode, callback) {
  path = toPath(path);
  if (arguments.length < 3) {
    callback = flags;
    flags = 'r';
    mode = 0o666;
  } else if (typeof mode === 'function') {
    callback = mode;
    mode = 0o666;
  }
  const plan = calls.open(path, flags, mode);
  validateFunction(callback, 'cb');
  runCallback(plan, callback);
}

const openSync = (path, flags, mode) => runNow(calls.open(path, flags, mode));

function ignore(error) {
  if (error != null) throw error;
}

function close(fd, callback = ignore) {
  fd = toFd(fd);
  if (callback !== ignore) validateFunction(callback, 'cb');
  runCallback(['close', [fd]], callback);
}

function closeSync(fd) {
  runNow(['close', [toFd(fd)]]);
}

function exists(path, callback) {
  validateFunction(callback, 'cb');
  try {
    path = toPath(path);
  } catch {
    callback(false);
    return;
  }
  runCallback(['access', [path, constants.F_OK], path], (error) => called(callback)(!error));
}
Object.defineProperty(exists, Symbol.for('nodejs.util.promisify.custom'), {
  __proto__: null,
  value: { exists: (path) => new Promise((resolve) => exists(path, resolve)) }.exists,
});

function existsSync(path) {
  try {
    path = toPath(path);
  } catch {
    return false;
  }
  return operations.access(undefined, path, constants.F_OK) === undefined;
}

// ---- Reading

function isUtf8(encoding) {
  return encoding === 'utf8' || encoding === 'utf-8';
}

const isFd = (value) => typeof value === 'number' && (value >>> 0) === value && value <= 2147483647;

const readDefaults = Object.freeze({ flag: 'r' });

function readFile(path, options, callback) {
  callback ||= options;
  validateFunction(callback, 'cb');
  options = toOptions(options, readDefaults);
  const { encoding, signal } = options;
  if (signal?.aborted) {
    callback(new AbortError(undefined, { cause: signal.reason }));
    return;
  }
  // The native call decodes UTF-8 or creates a Buffer. Other encodings are decoded from the Buffer by this function.
  const text = isUtf8(encoding);
  const deliver = text || !encoding ? callback : (error, buffer) => {
    if (error === null) {
      try {
        buffer = buffer.toString(encoding);
      } catch (thrown) {
        error = thrown;
      }
    }
    if (error === null) called(callback)(null, buffer);
    else called(callback)(error);
  };
  const done = tracked(!signal ? deliver : (...results) => {
    if (results[0] === kThrew) throw results[1];
    deliver(...results);
  });
  if (isFd(path)) {
    // `| 0` turns -0 into 0, which the native call expects.
    process.nextTick(operations.readFile, done, readFileFailed, path | 0, 0, text ? undefined : bufferPrototype, signal);
    return;
  }
  path = toPath(path);
  operations.readFile(done, readFileFailed, path, toFlags(options.flag || 'r'), text ? undefined : bufferPrototype, signal);
}

// Passed in place of an error if the `aborted` getter of the signal has thrown. The exception is thrown again in the context of the callback.
const kThrew = Symbol('kThrew');

// Called by the native readFile on failure, in place of the callback.
function readFileFailed(callback, errno, value, path, signal) {
  if (errno === kSignalThrew) called(callback)(kThrew, value);
  else called(callback)(readFileError(failedLater, errno, value, path, signal));
}

function readFileError(make, errno, value, path, signal) {
  if (errno === kAborted) return new AbortError(undefined, { cause: signal?.reason });
  if (errno === kTooLarge) return new ERR_FS_FILE_TOO_LARGE(value);
  // The conversion to a string has failed: the string is too long (RangeError), or memory is exhausted.
  if (errno === kUnmade) return value instanceof RangeError ? new ERR_STRING_TOO_LONG() : value;
  // Only errors of `open()` include the path, because read and fstat work on the descriptor.
  return make(errno, value, value === 'open' ? path : undefined);
}

function readFileSync(path, options) {
  options = toOptions(options, readDefaults);
  const { encoding } = options;
  // `toPath` rejects numbers that are not int32.
  path = typeof path === 'number' && (path | 0) === path ? toFd(path) : toPath(path);
  const text = isUtf8(encoding);
  const value = native.readFileSync(path, toFlags(options.flag || 'r'), text ? undefined : bufferPrototype);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) throw readFileError(failed, value[0], value[1], path);
  return encoding ? value.toString(encoding) : value;
}

const emptyOptions = Object.freeze({ __proto__: null });

// Normalizes the optional arguments of read: [offset, length, position].
function toRead(buffer, options) {
  if (options !== undefined) validateObject(options, 'options', kValidateObjectAllowNullable);
  const { offset = 0, length = buffer.byteLength - offset, position = null } = options ?? emptyOptions;
  return [offset, length, position];
}

function checkReadArguments(buffer, offset, length, position) {
  if (offset === undefined || offset === null) offset = 0;
  else validateInteger(offset, 'offset', 0);
  length |= 0;
  if (length === 0) return [offset, 0, -1];
  if (buffer.byteLength === 0) throw new ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
  checkRead(offset, length, buffer.byteLength);
  position = position == null ? -1 : checkPosition(position, 'position', length);
  return [offset, length, position];
}

function read(fd, buffer, offsetOrOptions, length, position, callback) {
  fd = toFd(fd);
  let offset = offsetOrOptions;
  let options = null;
  if (arguments.length <= 4) {
    if (arguments.length === 4) {
      callback = length;
      options = offsetOrOptions;
    } else if (arguments.length === 3) {
      if (!ArrayBuffer.isView(buffer)) {
        options = buffer;
        ({ buffer = Buffer.alloc(16384) } = options ?? emptyOptions);
      }
      callback = offsetOrOptions;
    } else {
      callback = buffer;
      buffer = Buffer.alloc(16384);
    }
    if (ArrayBuffer.isView(buffer)) [offset, length, position] = toRead(buffer, options ?? undefined);
  }
  validateBuffer(buffer);
  validateFunction(callback, 'cb');
  [offset, length, position] = checkReadArguments(buffer, offset, length, position);
  if (length === 0) {
    process.nextTick(() => callback(null, 0, buffer));
    return;
  }
  // Even with an error, Node passes a count and the buffer to the callback.
  runCallback(['read', [fd, toBytes(buffer), offset, length, position]],
              (error, count) => called(callback)(error, error ? 0 : count, buffer));
}

function readSync(fd, buffer, offsetOrOptions, length, position) {
  validateBuffer(buffer);
  let offset = offsetOrOptions;
  if (arguments.length <= 3 || (offsetOrOptions !== null && typeof offsetOrOptions === 'object')) {
    [offset, length, position] = toRead(buffer, offsetOrOptions);
  }
  [offset, length, position] = checkReadArguments(buffer, offset, length, position);
  if (length === 0) return 0;
  fd = toFd(fd);
  const count = native.readSync(fd, toBytes(buffer), offset, length, position);
  if (count < 0) throw failed(count, 'read');
  return count;
}

const toVectorPosition = (position) => (typeof position === 'number' ? position : -1);

function readv(fd, buffers, position, callback) {
  fd = toFd(fd);
  checkBuffers(buffers);
  if (typeof position === 'function') callback = position;
  validateFunction(callback, 'cb');
  runCallback(['readv', [fd, buffers.map(toBytes), toVectorPosition(position)]],
              (error, count) => called(callback)(error, error ? 0 : count, buffers));
}

function readvSync(fd, buffers, position) {
  checkBuffers(buffers);
  return named(operations.readv(undefined, toFd(fd), buffers.map(toBytes), toVectorPosition(position)), 'read');
}

function named(result, syscall) {
  if (result < 0) throw failed(result, syscall);
  return result;
}

// ---- Writing

// Normalizes the arguments of write. Callers do not destructure the array, because the console uses them to write to
// files and must work even if a script has replaced `Array.prototype[Symbol.iterator]`.
function toWrite(buffer, offset, length, position) {
  if (typeof offset === 'object') {
    ({ offset = 0, length = buffer.byteLength - offset, position = null } = offset ?? emptyOptions);
  }
  if (offset == null || typeof offset === 'function') offset = 0;
  else validateInteger(offset, 'offset', 0);
  if (typeof length !== 'number') length = buffer.byteLength - offset;
  if (typeof position !== 'number') position = -1;
  checkWrite(offset, length, buffer.byteLength);
  return [toBytes(buffer), offset, length, position];
}

function toTextBytes(text, encoding, position) {
  validateEncoding(text, encoding);
  const bytes = Buffer.from(text, typeof encoding === 'string' ? encoding : 'utf8');
  return [bytes, 0, bytes.length, typeof position === 'number' ? position : -1];
}

function write(fd, buffer, offsetOrOptions, length, position, callback) {
  fd = toFd(fd);
  let args;
  if (ArrayBuffer.isView(buffer)) {
    callback = callback || position || length || offsetOrOptions;
    validateFunction(callback, 'cb');
    args = toWrite(buffer, offsetOrOptions, length, position);
  } else {
    checkText(buffer, 'buffer');
    let at = offsetOrOptions;
    let encoding = length;
    callback = position;
    if (typeof position !== 'function') {
      if (typeof offsetOrOptions === 'function') {
        callback = offsetOrOptions;
        at = null;
      } else {
        callback = length;
      }
      encoding = 'utf8';
    }
    args = toTextBytes(buffer, encoding, at);
    validateFunction(callback, 'cb');
  }
  runCallback(['write', [fd, args[0], args[1], args[2], args[3]]], (error, count) => called(callback)(error, error ? 0 : count, buffer));
}

function writeSync(fd, buffer, offsetOrOptions, length, position) {
  fd = toFd(fd);
  let args;
  if (ArrayBuffer.isView(buffer)) {
    args = toWrite(buffer, offsetOrOptions, length, position);
  } else {
    checkText(buffer, 'buffer');
    args = toTextBytes(buffer, length, offsetOrOptions);
  }
  return named(native.writeSync(fd, args[0], args[1], args[2], args[3]), 'write');
}

function writev(fd, buffers, position, callback) {
  fd = toFd(fd);
  checkBuffers(buffers);
  if (typeof position === 'function') callback = position;
  validateFunction(callback, 'cb');
  if (buffers.length === 0) {
    process.nextTick(callback, null, 0, buffers);
    return;
  }
  runCallback(['writev', [fd, buffers.map(toBytes), toVectorPosition(position)]],
              (error, count) => called(callback)(error, error ? 0 : count, buffers));
}

function writevSync(fd, buffers, position) {
  checkBuffers(buffers);
  if (buffers.length === 0) return 0;
  return named(operations.writev(undefined, toFd(fd), buffers.map(toBytes), toVectorPosition(position)), 'write');
}

function writeSteps(path, data, options, flag, flush) {
  options = calls.toWriteOptions(options, flag);
  data = calls.toData(data, options.encoding);
  const ending = options.flush ? flush : undefined;
  // Synchronous calls ignore the signal (`lib/fs.js: writeFileSync`).
  const signal = flush === flushNow ? undefined : options.signal;
  if (isFd(path)) return steps.writeAll(path, data, signal, ending);
  path = toPath(path);
  const flags = toFlags(options.flag);
  return steps.writeFile(path, flags, parseFileMode(options.mode, 'mode', 0o666), data, signal, ending);
}

// Calls the function of the public `fs` object, which may be monkey-patched (`lib/fs.js: writeFileSync`, `writeAll`).
function* flushNow(fd) {
  fs.fsyncSync(fd);
}
function* flushLater(fd) {
  yield { then: (resolve, reject) => fs.fsync(fd, (error) => (error ? reject(error) : resolve())) };
}

function writeFile(path, data, options, callback) {
  callback ||= options;
  validateFunction(callback, 'cb');
  runCallback(writeSteps(path, data, options, 'w', flushLater), callback);
}

const writeFileSync = (path, data, options) => runNow(writeSteps(path, data, options, 'w', flushNow));

function appendFile(path, data, options, callback) {
  callback ||= options;
  validateFunction(callback, 'cb');
  runCallback(writeSteps(path, data, options, 'a', flushLater), callback);
}

const appendFileSync = (path, data, options) => runNow(writeSteps(path, data, options, 'a', flushNow));

// ---- Calls with several system calls

function rm(path, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  const work = calls.remove(path, options, function* wait(ms) {
    yield require('timers/promises').setTimeout(ms);
  });
  validateFunction(callback, 'cb');
  runCallback(work, callback);
}

function rmSync(path, options) {
  runNow(calls.remove(path, options, function* wait(ms) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }));
}

function cp(from, to, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'cb');
  const { copy, toCopyOptions } = require('internal/fs/copy');
  options = toCopyOptions(options);
  // Node implements the callback version with promises, so its callback receives `undefined` as second argument.
  runCallback(copy(toPath(from, 'src'), toPath(to, 'dest'), options), (error) => {
    if (error) called(callback)(error);
    else called(callback)(null, undefined);
  });
}

function cpSync(from, to, options) {
  const { copy, toCopyOptions } = require('internal/fs/copy');
  options = toCopyOptions(options);
  runNow(copy(toPath(from, 'src'), toPath(to, 'dest'), { ...options, synchronous: true }));
}

function realpath(path, options, callback) {
  callback = typeof options === 'function' ? options : callback;
  validateFunction(callback, 'cb');
  const { encoding } = toOptions(options);
  runCallback(steps.realpath(toPath(path), encoding), callback);
}

const realpathSync = (path, options) => runNow(steps.realpath(toPath(path), toOptions(options).encoding));

function realpathPlan(path, options) {
  const { encoding } = toOptions(options);
  path = toPath(path);
  return ['realpath', [path, Boolean(steps.asBytes(encoding))], path, undefined, (name) => steps.toName(name, encoding)];
}

realpath.native = (path, options, callback) => {
  callback = typeof options === 'function' ? options : callback;
  validateFunction(callback, 'cb');
  runCallback(realpathPlan(path, options), callback);
};
realpathSync.native = (path, options) => runNow(realpathPlan(path, options));

// For calls whose callback has two results, the promise of `util.promisify` resolves to an object with these keys.
const { customPromisifyArgs } = require('internal/util');
for (const [call, names] of [
  [read, ['bytesRead', 'buffer']], [readv, ['bytesRead', 'buffers']],
  [write, ['bytesWritten', 'buffer']], [writev, ['bytesWritten', 'buffers']],
]) {
  Object.defineProperty(call, customPromisifyArgs, { __proto__: null, value: names, enumerable: false });
}

Object.assign(fs, {
  appendFile, appendFileSync, close, closeSync, cp, cpSync, exists, existsSync, lchmod: undefined, lchmodSync: undefined,
  open, openSync, read, readFile, readFileSync, readSync, readv, readvSync, realpath, realpathSync, rm, rmSync, write,
  writeFile, writeFileSync, writeSync, writev, writevSync, Dirent, _toUnixTimestamp: toSeconds,
  Stats: require('internal/util').deprecate(Stats, 'fs.Stats constructor is deprecated.', 'DEP0180'),
});

// Defines properties that load their module at first access.
function lazily(id, names, enumerable = true) {
  for (const name of names) {
    Object.defineProperty(fs, name, {
      __proto__: null,
      configurable: true,
      enumerable,
      get() { return require(id)[name]; },
      set(value) { Object.defineProperty(fs, name, { __proto__: null, value, writable: true, configurable: true, enumerable }); },
    });
  }
}
lazily('internal/fs/glob', ['glob', 'globSync']);
lazily('internal/fs/open_as_blob', ['openAsBlob']);
lazily('internal/fs/dir', ['Dir', 'opendir', 'opendirSync']);
lazily('internal/fs/streams', ['ReadStream', 'WriteStream', 'FileReadStream', 'FileWriteStream']);
lazily('internal/fs/watch', ['unwatchFile', 'watch', 'watchFile']);

fs.createReadStream = function createReadStream(path, options) {
  return new fs.ReadStream(path, options);
};
fs.createWriteStream = function createWriteStream(path, options) {
  return new fs.WriteStream(path, options);
};

for (const name of ['F_OK', 'R_OK', 'W_OK', 'X_OK']) {
  Object.defineProperty(fs, name, { __proto__: null, value: constants[name], enumerable: true, writable: true, configurable: true });
}
Object.defineProperty(fs, 'constants', { __proto__: null, value: constants, enumerable: true });
Object.defineProperty(fs, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return require('fs/promises'); },
});
