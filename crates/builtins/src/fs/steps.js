'use strict';
// fs operations with several system calls, each a generator of plans (see internal/fs/run).

const { Buffer } = require('buffer');
const { AbortError, ERR_FS_EISDIR } = require('internal/errors');
const { dirname, join, relative, resolve, sep } = require('path');
const { Dirent, kindOf } = require('internal/fs/stats');
const { UV_DIRENT_DIR, UV_DIRENT_LINK } = require('internal/fs/constants');

const stop = (signal) => {
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
};

// Runs the steps, and closes the descriptor even if they throw.
function* closing(fd, steps) {
  try {
    return yield* steps;
  } finally {
    yield ['close', [fd]];
  }
}

function* flush(fd) {
  yield ['fsync', [fd]];
}

// `ending(fd)` returns steps that run after the last write; `ending` may be undefined.
function* writeAll(fd, data, signal, ending, maxBytes = Infinity) {
  let at = 0;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  // Empty data still makes one write call (`lib/fs.js: writeAll`).
  do {
    stop(signal);
    at += yield ['write', [fd, bytes, at, Math.min(bytes.length - at, maxBytes), -1]];
  } while (at < bytes.length);
  if (ending !== undefined) yield* ending(fd);
}

function* writeFile(path, flags, mode, data, signal, ending, maxBytes) {
  stop(signal);
  const fd = yield ['open', [path, flags, mode], path];
  yield* closing(fd, writeAll(fd, data, signal, ending, maxBytes));
}

function* truncate(path, length) {
  const fd = yield ['open', [path, 2, 0o666], path];
  yield* closing(fd, ftruncate(fd, length));
}

function* ftruncate(fd, length) {
  yield ['ftruncate', [fd, length]];
}

// Creates a directory and its missing parents. Returns the first one created, or undefined.
function* mkdirs(path, mode) {
  path = typeof path === 'string' ? path : Buffer.from(path).toString();
  const missing = [path];
  const parentsTried = new SafeSet();
  let first;
  while (missing.length > 0) {
    const next = missing[missing.length - 1];
    try {
      yield ['mkdir', [next, mode], path];
      first ??= next;
      ArrayPrototypePop(missing);
    } catch (error) {
      const above = dirname(next);
      // ENOENT again after the parent has been created: the current directory has been deleted.
      if (error.code === 'ENOENT' && above !== next && !parentsTried.has(next)) {
        parentsTried.add(next);
        ArrayPrototypePush(missing, above);
        continue;
      }
      if (error.code !== 'EEXIST' && error.code !== 'EPERM' && error.code !== 'EROFS' && error.code !== 'EISDIR') throw error;
      let found;
      try {
        found = yield ['stat', [next], path];
      } catch {
        // Usually a dangling symbolic link. This mkdir fails with the errno of the stat, and the error names mkdir.
        yield ['mkdir', [`${next}/.`, mode], path];
        throw error;
      }
      if (!found.isDirectory()) {
        // A file has the name of the directory. If it is a parent directory, this mkdir throws ENOTDIR.
        if (missing.length === 1) throw error;
        yield ['mkdir', [`${next}/.`, mode], path];
      }
      missing.pop();
    }
  }
  return first;
}

const toName = (name, encoding) => {
  if (encoding === 'buffer') return Buffer.from(name);
  if (typeof name === 'string') return name;
  return Buffer.from(name).toString(encoding);
};

// True if names must be read as bytes, because the encoding is not UTF-8.
const asBytes = (encoding) => encoding && encoding !== 'utf8' && encoding !== 'utf-8';

function* leadsToFolder(path) {
  try {
    return (yield ['stat', [path], path]).isDirectory();
  } catch {
    return false;
  }
}

// `follows`: also list directories behind symbolic links.
function* readdir(path, { encoding, withFileTypes, recursive, follows }) {
  const bytes = Boolean(asBytes(encoding));
  const result = [];
  const queue = [path];
  const text = (name) => (typeof name === 'string' ? name : Buffer.from(name).toString());
  for (let at = 0; at < queue.length; at++) {
    const folder = queue[at];
    const [names, kinds] = yield ['scandir', [folder, bytes], folder];
    for (let i = 0; i < names.length; i++) {
      let kind = kinds[i];
      const name = toName(names[i], encoding);
      if (withFileTypes || recursive) {
        if (kind === 0) {
          const full = join(text(folder), text(names[i]));
          kind = kindOf((yield ['lstat', [full], full]).mode);
        }
      }
      const full = join(text(folder), text(names[i]));
      const isLink = follows && kind === UV_DIRENT_LINK;
      if (recursive && (kind === UV_DIRENT_DIR || (isLink && (yield* leadsToFolder(full))))) queue.push(full);
      if (withFileTypes) result.push(new Dirent(name, kind, folder));
      else if (at === 0) result.push(name);
      else result.push(toName(Buffer.from(relative(text(path), join(text(folder), text(names[i])))), encoding ?? 'utf8'));
    }
  }
  return result;
}

// Like realpath(3), but resolves one component at a time, so that the error names the component that failed.
function* realpath(path, encoding) {
  let rest = resolve(typeof path === 'string' ? path : Buffer.from(path).toString());
  let known = '';
  let links = 0;
  const parts = rest.split(sep).filter(Boolean);
  while (parts.length > 0) {
    const next = `${known}/${parts.shift()}`;
    const found = yield ['lstat', [next], next];
    if (!found.isSymbolicLink()) {
      known = next;
      continue;
    }
    // Too many links, probably a loop: this stat fails with ELOOP.
    if (++links > 40) yield ['stat', [next], next];
    const end = yield ['stat', [next], next];
    const target = yield ['readlink', [next], next];
    rest = resolve(known || '/', target);
    // The link text of a pipe or socket in /proc is not a path to resolve further (`lib/fs.js: realpathSync`).
    if (end.isFIFO() || end.isSocket()) {
      known = rest;
      break;
    }
    parts.unshift(...rest.split(sep).filter(Boolean));
    known = '';
  }
  known ||= '/';
  return encoding && encoding !== 'utf8' && encoding !== 'utf-8' ? toName(Buffer.from(known), encoding) : known;
}

const notEmptyCodes = new SafeSet(['ENOTEMPTY', 'EEXIST', 'EPERM']);
const retryCodes = new SafeSet(['EBUSY', 'EMFILE', 'ENFILE', 'ENOTEMPTY', 'EPERM']);

// Runs a plan again after errors like EBUSY. Only the promise runner can wait without blocking.
function* retried(plan, { maxRetries, retryDelay, wait }) {
  for (let tries = 0; ; tries++) {
    try {
      return yield plan;
    } catch (error) {
      if (tries >= maxRetries || !retryCodes.has(error.code)) throw error;
      yield* wait((tries + 1) * retryDelay);
    }
  }
}

function* remove(path, options) {
  let found;
  try {
    found = yield ['lstat', [path], path];
  } catch (error) {
    if (error.code === 'ENOENT' && options.force) return;
    throw error;
  }
  const isFolder = found.isDirectory();
  if (isFolder && !options.recursive) {
    throw new ERR_FS_EISDIR({ code: 'EISDIR', message: 'is a directory', path, syscall: 'rm', errno: 21 });
  }
  yield* removeOne(path, isFolder, options);
}

// The path of an entry: a string, or bytes if the name is not valid UTF-8.
function child(path, name) {
  const text = name.toString();
  if (typeof path === 'string' && !StringPrototypeIncludes(text, '\ufffd')) return join(path, text);
  return Buffer.concat([Buffer.from(path), Buffer.from('/'), name]);
}

function* removeOne(path, isFolder, options) {
  try {
    if (!isFolder) {
      yield* retried(['unlink', [path], path], options);
      return;
    }
    // rmdir comes first, so that a directory that cannot be removed keeps its contents (`lib/internal/fs/rimraf.js: _rmdir`). The contents are
    // removed only if they are the reason for the failure.
    try {
      yield ['rmdir', [path], path];
      return;
    } catch (error) {
      if (!notEmptyCodes.has(error.code)) throw error;
    }
    const [names, kinds] = yield ['scandir', [path, true], path];
    for (let i = 0; i < names.length; i++) {
      const full = child(path, Buffer.from(names[i]));
      const kind = kinds[i] || kindOf((yield ['lstat', [full], full]).mode);
      yield* removeOne(full, kind === UV_DIRENT_DIR, options);
    }
    yield* retried(['rmdir', [path], path], options);
  } catch (error) {
    // Another process has already removed the file.
    if (error.code !== 'ENOENT') throw error;
  }
}

module.exports = {
  asBytes, closing, flush, mkdirs, readdir, realpath, remove, stop, toName, truncate, writeAll, writeFile,
};
