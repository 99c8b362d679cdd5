'use strict';
// fs.cp: copies files, symbolic links and directories recursively, as a generator of plans (see internal/fs/run).

const { Buffer } = require('buffer');
const {
  ERR_FS_CP_DIR_TO_NON_DIR, ERR_FS_CP_EEXIST, ERR_FS_CP_EINVAL, ERR_FS_CP_FIFO_PIPE, ERR_FS_CP_NON_DIR_TO_DIR,
  ERR_FS_CP_SOCKET, ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY, ERR_FS_CP_UNKNOWN, ERR_FS_EISDIR, ERR_INVALID_RETURN_VALUE,
} = require('internal/errors');
const { validateBoolean, validateFunction, validateObject } = require('internal/validators');
const { dirname, isAbsolute, join, resolve, sep } = require('path');
const { toMode } = require('internal/fs/arguments');
const { mkdirs } = require('internal/fs/steps');
const {
  S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IFSOCK,
} = require('internal/fs/constants');

const EEXIST = 17;
const EINVAL = 22;
const EISDIR = 21;
const ENOTDIR = 20;

const defaults = {
  dereference: false, errorOnExist: false, filter: undefined, force: true, preserveTimestamps: false, recursive: false,
  verbatimSymlinks: false,
};

function toCopyOptions(options) {
  if (options === undefined) return { ...defaults, mode: 0 };
  validateObject(options, 'options');
  options = { ...defaults, ...options };
  for (const name of ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks']) {
    validateBoolean(options[name], `options.${name}`);
  }
  options.mode = toMode(options.mode, 'mode', 7, 0);
  if (options.dereference === true && options.verbatimSymlinks === true) {
    const { ERR_INCOMPATIBLE_OPTION_PAIR } = require('internal/errors');
    throw new ERR_INCOMPATIBLE_OPTION_PAIR('dereference', 'verbatimSymlinks');
  }
  if (options.filter !== undefined) validateFunction(options.filter, 'options.filter');
  return options;
}

const kind = (found) => found.mode & S_IFMT;
const isFolder = (found) => kind(found) === S_IFDIR;
const same = (one, other) => one.ino === other.ino && one.dev === other.dev;

function isInside(from, to) {
  const parts = resolve(from).split(sep).filter(Boolean);
  const others = resolve(to).split(sep).filter(Boolean);
  return parts.every((part, at) => others[at] === part);
}

// Returns the error for a refused copy; in cpSync, throws a plain Error with a different message, because Node creates that error in C++
// (`src/node_file.cc: CpSyncCheckPaths`).
function refuse({ synchronous }, ErrorClass, message, more, path, errno, code) {
  const error = new ErrorClass({ message, path, syscall: 'cp', errno, code });
  if (!synchronous) return error;
  const words = message + more;
  const plain = new Error(words.startsWith('c') ? `C${words.slice(1)}` : words);
  plain.code = error.code;
  return plain;
}

function* look(path, options) {
  return yield [options.dereference ? 'stat' : 'lstat', [path], path];
}

function* lookOrNone(path, options) {
  try {
    return yield* look(path, options);
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function* copy(from, to, options) {
  if (typeof from !== 'string') from = Buffer.from(from).toString();
  if (typeof to !== 'string') to = Buffer.from(to).toString();
  if (!(yield* passesFilter(from, to, options))) return;
  if (options.synchronous) {
    yield* checkSync(from, to, options);
  } else {
    const source = yield* look(from, options);
    check(from, source, to, yield* lookOrNone(to, options), options);
    if (isFolder(source)) yield* checkAbove(from, source, to, options);
    if (isFolder(source) && !options.recursive) throw notRecursive(from, options);
  }
  const above = dirname(to);
  if ((yield* lookOrNone(above, { dereference: true })) === null) yield* mkdirs(above, 0o777);
  yield* copyOne(from, to, options, true);
}

// The checks of cpSync, with the behaviour of Node's C++: without `dereference` the target of a link is checked, with `dereference` the link itself.
// The error names the system call of the opposite case.
function* checkSync(from, to, options) {
  const { dereference, recursive } = options;
  let source;
  try {
    source = yield [dereference ? 'lstat' : 'stat', [from], from];
  } catch (error) {
    yield [dereference ? 'stat' : 'lstat', [`${from}/.`], from];
    throw error;
  }
  const followed = dereference ? yield* lookOrNone(from, options) : source;
  const isTree = isFolder(source) || (dereference && kind(source) === S_IFLNK);
  const target = yield* lookOrNone(to, options);
  if (target !== null) {
    const other = dereference ? target : yield* lookOrNone(to, { dereference: true });
    checkPair(from, to, followed !== null && other !== null && same(followed, other), isTree, isFolder(target), options);
  }
  if (!isTree) return;
  if (isInside(from, to)) throw intoSelf(from, to, options);
  if (followed !== null) yield* checkAbove(from, followed, to, options);
  if (!recursive) throw notRecursive(from, options);
}

function* passesFilter(from, to, { filter, synchronous }) {
  if (filter === undefined) return true;
  const answer = filter(from, to);
  if (synchronous) {
    if (require('internal/util/types').isPromise(answer)) {
      throw new ERR_INVALID_RETURN_VALUE('boolean', 'filter', answer);
    }
    return answer;
  }
  return answer !== null && typeof answer === 'object' && typeof answer.then === 'function' ? yield answer : answer;
}

function check(from, source, to, target, options) {
  if (target !== null) checkPair(from, to, same(source, target), isFolder(source), isFolder(target), options);
  if (!isFolder(source)) return;
  if (isInside(from, to)) throw intoSelf(from, to, options);
}

function checkPair(from, to, isSame, isTree, isOntoTree, options) {
  if (isSame) {
    throw refuse(options, ERR_FS_CP_EINVAL, 'src and dest cannot be the same', ` ${to}`, to, EINVAL, 'EINVAL');
  }
  if (isTree && !isOntoTree) {
    throw refuse(options, ERR_FS_CP_DIR_TO_NON_DIR, `cannot overwrite non-directory ${to} with directory ${from}`, '',
                 to, EISDIR, 'EISDIR');
  }
  if (!isTree && isOntoTree) {
    throw refuse(options, ERR_FS_CP_NON_DIR_TO_DIR, `cannot overwrite directory ${to} with non-directory ${from}`, '',
                 to, ENOTDIR, 'ENOTDIR');
  }
}

const shown = (from, { synchronous }) => (synchronous && !from.endsWith(sep) ? from + sep : from);

function intoSelf(from, to, options) {
  const message = `cannot copy ${shown(from, options)} to a subdirectory of self ${to}`;
  return refuse(options, ERR_FS_CP_EINVAL, message, '', to, EINVAL, 'EINVAL');
}

function notRecursive(from, options) {
  const message = options.synchronous ?
    `Recursive option not enabled, cannot copy a directory: ${shown(from, options)}` :
    `${from} is a directory (not copied)`;
  return refuse(options, ERR_FS_EISDIR, message, '', from, EISDIR, 'EISDIR');
}

// No parent directory of the destination may be the source, not even through a symbolic link: the copy would recurse forever.
function* checkAbove(from, source, to, options) {
  const stop = resolve(dirname(from));
  let below = to;
  for (let above = resolve(dirname(to)); above !== stop && above !== dirname(above); above = dirname(above)) {
    const found = yield* lookOrNone(above, { dereference: true });
    if (found !== null && same(source, found)) throw intoSelf(from, options.synchronous ? to : below, options);
    below = above;
  }
}

function* copyOne(from, to, options, isFirst = false) {
  const source = yield* look(from, options);
  const target = yield* lookOrNone(to, options);
  // Entries of a directory pass the same checks as the directory itself.
  if (!isFirst && !options.synchronous) check(from, source, to, target, options);
  const typeError = (ErrorClass, what) =>
    refuse(options, ErrorClass, `cannot copy ${what}: ${to}`, '', to, EINVAL, 'EINVAL');
  switch (kind(source)) {
    case S_IFDIR: return yield* copyFolder(from, source, to, target, options);
    case S_IFREG: case S_IFCHR: case S_IFBLK: return yield* copyFile(from, source, to, target, options);
    case S_IFLNK: return yield* copyLink(from, to, target, options, isFirst);
    case S_IFSOCK: throw typeError(ERR_FS_CP_SOCKET, 'a socket file');
    case S_IFIFO: throw typeError(ERR_FS_CP_FIFO_PIPE, 'a FIFO pipe');
    default: throw typeError(ERR_FS_CP_UNKNOWN, 'an unknown file type');
  }
}

function* copyFolder(from, source, to, target, options) {
  if (target !== null && !isFolder(target)) check(from, source, to, target, options);
  if (target !== null && options.errorOnExist && !options.force && !options.synchronous) throw existsError(to);
  if (target === null) yield ['mkdir', [to, 0o777], to];
  const [names] = yield ['scandir', [from], from];
  // cpSync without a filter copies links inside a directory as links, even with `dereference` (`src/node_file.cc: CpSyncCopyDir`).
  if (options.synchronous && options.filter === undefined) options = { ...options, dereference: false };
  for (const name of names) {
    const [one, other] = [join(from, name), join(to, name)];
    if (yield* passesFilter(one, other, options)) yield* copyOne(one, other, options);
  }
  if (target === null) yield ['chmod', [to, source.mode & 0o7777], to];
}

const existsError = (to) => refuse({}, ERR_FS_CP_EEXIST, `${to} already exists`, '', to, EEXIST, 'EEXIST');

function* copyFile(from, source, to, target, options) {
  if (target !== null) {
    if (isFolder(target)) check(from, source, to, target, options);
    if (!options.force) {
      if (options.errorOnExist) throw existsError(to);
      return;
    }
    yield ['unlink', [to], to];
  }
  yield ['copyfile', [from, to, options.mode], from, to];
  if (options.preserveTimestamps) {
    // Copying has changed the access time of the source, so the source is examined again.
    const seen = yield ['stat', [from], from];
    yield ['utime', [to, seen.atimeMs / 1000, seen.mtimeMs / 1000], to];
  }
}

function* copyLink(from, to, target, options, isFirst) {
  const written = yield ['readlink', [from], from];
  let goal = written;
  if (!options.verbatimSymlinks && !isAbsolute(goal)) goal = resolve(dirname(from), goal);
  if (target !== null) {
    let old;
    try {
      old = yield ['readlink', [to], to];
    } catch (error) {
      // The destination is not a link: symlink(2) fails with an error that names the existing file.
      if (error.code !== 'EINVAL') throw error;
      yield ['symlink', [goal, to], goal, to];
      return;
    }
    if (!isAbsolute(old)) old = resolve(dirname(to), old);
    // Inside a directory, cpSync without a filter resolves the text of a link relative to the current directory (`src/node_file.cc: CpSyncCopyDir`).
    const loose = options.synchronous && options.filter === undefined && !isFirst;
    const isSame = resolve(goal) === resolve(old);
    const reached = loose ? yield* lookOrNone(written, { dereference: true }) : null;
    if (isInside(goal, old) && (!loose || (reached !== null && isFolder(reached)))) {
      throw refuse(loose ? options : {}, ERR_FS_CP_EINVAL, `cannot copy ${goal} to a subdirectory of self ${old}`, '', to, EINVAL,
                   'EINVAL');
    }
    // In other cases the target of the link must exist; in cpSync, the target of the replaced link.
    const end = options.synchronous ? to : from;
    const found = loose ? yield* lookOrNone(goal, { dereference: true }) : yield ['stat', [end], end];
    if (found !== null && isFolder(found) && isInside(old, goal) && !isSame) {
      throw refuse({}, ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY, `cannot overwrite ${old} with ${goal}`, '', to, EINVAL,
                   'EINVAL');
    }
    yield ['unlink', [to], to];
  }
  yield ['symlink', [goal, to], goal, to];
}

module.exports = { copy, toCopyOptions };
