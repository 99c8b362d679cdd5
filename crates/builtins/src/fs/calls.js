'use strict';
// Table of the fs calls that exist in a synchronous, a callback and a promise version. fs and fs/promises are generated from the table.
//
// An entry is [count, optional, function]. `count` is the number of arguments before the callback; the last `optional` of them may be omitted. The
// function validates the arguments and returns a plan or a generator of plans (see internal/fs/run).

const { Buffer } = require('buffer');
const process = require('process');
const { ERR_FS_INVALID_SYMLINK_TYPE, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateBoolean, validateInt32, validateInteger, validateObject, validateUint32 } = require('internal/validators');
const {
  parseFileMode, toFd, toFlags, toMode, toOptions, toPath, toSeconds,
} = require('internal/fs/arguments');
const { toStatFs } = require('internal/fs/stats');
const steps = require('internal/fs/steps');

const { asBytes, toName } = steps;

const checkOwner = (uid, gid) => {
  validateInteger(uid, 'uid', -1, 4294967295);
  validateInteger(gid, 'gid', -1, 4294967295);
};

const stat = (syscall) => (path, options) => {
  path = toPath(path);
  return [syscall, [path, Boolean(options?.bigint)], path];
};

// Plan for a call that returns a name, converted to the requested encoding.
const named = (syscall, path, options) => {
  const { encoding } = toOptions(options);
  return [syscall, [path, Boolean(asBytes(encoding))], path, undefined, (name) => toName(name, encoding)];
};

function toLength(length = 0) {
  validateInteger(length, 'len');
  return Math.max(0, length);
}

let isWarnedOfX = false;
function warnOfX(prefix) {
  const end = prefix[prefix.length - 1];
  if (isWarnedOfX || (end !== 'X' && end !== 0x58)) return;
  isWarnedOfX = true;
  process.emitWarning(
    'mkdtemp() templates ending with X are not portable. For details see: https://nodejs.org/api/fs.html');
}

// `followsTyped`: links to directories are also followed with `withFileTypes`. The promise version does not follow them
// (`lib/internal/fs/promises.js: readdirRecursive`).
const readdirPlan = (followsTyped) => (path, options) => {
  options = toOptions(options);
  path = toPath(path);
  if (options.recursive != null) validateBoolean(options.recursive, 'options.recursive');
  const { encoding, recursive, withFileTypes } = options;
  if (recursive || withFileTypes) {
    return steps.readdir(path, { encoding, recursive, withFileTypes, follows: followsTyped || !withFileTypes });
  }
  const make = ([names]) => (asBytes(encoding) ? names.map((name) => toName(name, encoding)) : names);
  return ['scandir', [path, Boolean(asBytes(encoding))], path, undefined, make];
};

const links = ['dir', 'file', 'junction'];

const byPath = {
  access: [2, 1, (path, mode) => {
    path = toPath(path);
    return ['access', [path, toMode(mode, 'mode', 7, 0)], path];
  }],
  chmod: [2, 0, (path, mode) => {
    path = toPath(path);
    return ['chmod', [path, parseFileMode(mode, 'mode')], path];
  }],
  chown: [3, 0, (path, uid, gid) => {
    path = toPath(path);
    checkOwner(uid, gid);
    return ['chown', [path, uid, gid], path];
  }],
  copyFile: [3, 1, (from, to, mode) => {
    from = toPath(from, 'src');
    to = toPath(to, 'dest');
    return ['copyfile', [from, to, toMode(mode, 'mode', 7, 0)], from, to];
  }],
  lchown: [3, 0, (path, uid, gid) => {
    path = toPath(path);
    checkOwner(uid, gid);
    return ['lchown', [path, uid, gid], path];
  }],
  link: [2, 0, (existing, path) => {
    existing = toPath(existing, 'existingPath');
    path = toPath(path, 'newPath');
    return ['link', [existing, path], existing, path];
  }],
  lstat: [2, 1, stat('lstat')],
  lutimes: [3, 0, (path, atime, mtime) => {
    path = toPath(path);
    return ['lutime', [path, toSeconds(atime), toSeconds(mtime)], path];
  }],
  mkdir: [2, 1, (path, options) => {
    let mode = 0o777;
    let recursive = false;
    if (typeof options === 'number' || typeof options === 'string') {
      mode = parseFileMode(options, 'mode');
    } else if (options) {
      if (options.recursive !== undefined) {
        recursive = options.recursive;
        validateBoolean(recursive, 'options.recursive');
      }
      if (options.mode !== undefined) mode = parseFileMode(options.mode, 'options.mode');
    }
    path = toPath(path);
    return recursive ? steps.mkdirs(path, mode) : ['mkdir', [path, mode], path];
  }],
  mkdtemp: [2, 1, (prefix, options) => {
    prefix = toPath(prefix, 'prefix');
    warnOfX(prefix);
    const template = typeof prefix === 'string' ? `${prefix}XXXXXX` : Buffer.concat([prefix, Buffer.from('XXXXXX')]);
    return named('mkdtemp', template, options);
  }],
  readdir: [2, 1, readdirPlan(true)],
  readlink: [2, 1, (path, options) => {
    toOptions(options);
    return named('readlink', toPath(path), options);
  }],
  rename: [2, 0, (from, to) => {
    from = toPath(from, 'oldPath');
    to = toPath(to, 'newPath');
    return ['rename', [from, to], from, to];
  }],
  rmdir: [2, 1, (path, options) => {
    path = toPath(path);
    if (options?.recursive) {
      process.emitWarning('In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be removed. ' +
        'Use fs.rm(path, { recursive: true }) instead', 'DeprecationWarning', 'DEP0147');
      return removeFolder(path, toRemoveOptions({ ...options, force: false }));
    }
    if (options !== undefined) toRemoveOptions(options);
    return ['rmdir', [path], path];
  }],
  stat: [2, 1, stat('stat')],
  statfs: [2, 1, (path, options) => {
    path = toPath(path);
    return ['statfs', [path, Boolean(options?.bigint)], path, undefined, toStatFs];
  }],
  symlink: [3, 1, (target, path, type) => {
    target = toPath(target, 'target');
    path = toPath(path);
    // A type that is not a string is ignored (`lib/internal/fs/utils.js: stringToSymlinkType`).
    if (typeof type === 'string' && !links.includes(type)) throw new ERR_FS_INVALID_SYMLINK_TYPE(type);
    return ['symlink', [target, path], target, path];
  }],
  truncate: [2, 1, (path, length) => {
    length = toLength(length);
    return steps.truncate(toPath(path), length);
  }],
  unlink: [1, 0, (path) => {
    path = toPath(path);
    return ['unlink', [path], path];
  }],
  utimes: [3, 0, (path, atime, mtime) => {
    path = toPath(path);
    return ['utime', [path, toSeconds(atime), toSeconds(mtime)], path];
  }],
};

const byFd = {
  fchmod: [2, 0, (fd, mode) => ['fchmod', [toFd(fd), parseFileMode(mode, 'mode')]]],
  fchown: [3, 0, (fd, uid, gid) => {
    fd = toFd(fd);
    checkOwner(uid, gid);
    return ['fchown', [fd, uid, gid]];
  }],
  fdatasync: [1, 0, (fd) => ['fdatasync', [toFd(fd)]]],
  fstat: [2, 1, (fd, options) => ['fstat', [toFd(fd), Boolean(options?.bigint)]]],
  fsync: [1, 0, (fd) => ['fsync', [toFd(fd)]]],
  ftruncate: [2, 1, (fd, length) => ['ftruncate', [toFd(fd), toLength(length)]]],
  futimes: [3, 0, (fd, atime, mtime) => {
    fd = toFd(fd);
    return ['futime', [fd, toSeconds(atime, 'atime'), toSeconds(mtime, 'mtime')]];
  }],
};

function open(path, flags, mode) {
  path = toPath(path);
  const number = toFlags(flags);
  return ['open', [path, number, parseFileMode(mode, 'mode', 0o666)], path];
}

const removeDefaults = { recursive: false, force: false, maxRetries: 0, retryDelay: 100 };

function toRemoveOptions(options) {
  if (options === undefined) return { ...removeDefaults };
  validateObject(options, 'options');
  options = { ...removeDefaults, ...options };
  validateBoolean(options.recursive, 'options.recursive');
  if (typeof options.force !== 'boolean') validateBoolean(options.force, 'options.force');
  validateInt32(options.retryDelay, 'options.retryDelay', 0);
  validateUint32(options.maxRetries, 'options.maxRetries');
  return options;
}

// `rmdir` with `recursive` removes only a directory (`lib/internal/fs/utils.js: validateRmOptions`): for anything else, rmdir(2) fails with ENOTDIR.
function* removeFolder(path, options) {
  const found = yield ['lstat', [path], path];
  if (!found.isDirectory()) yield ['rmdir', [path], path];
  yield* steps.remove(path, { ...options, recursive: true, wait: function* wait() {} });
}

// `wait(ms)` is a generator function that waits between retries, in the way that the version of the call supports.
function remove(path, options, wait) {
  path = toPath(path);
  return steps.remove(path, { ...toRemoveOptions(options), wait });
}

// Converts file data to bytes.
function toData(data, encoding) {
  if (ArrayBuffer.isView(data)) return data;
  if (typeof data !== 'string') {
    throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
  return Buffer.from(data, encoding || 'utf8');
}

function toWriteOptions(options, flag) {
  options = toOptions(options, { encoding: 'utf8', mode: 0o666, flag, flush: false });
  const flush = options.flush ?? false;
  validateBoolean(flush, 'options.flush');
  return { ...options, flush, flag: options.flag || flag };
}

module.exports = { byFd, byPath, open, readdirHere: readdirPlan(false), remove, toData, toWriteOptions };
