'use strict';
// Stats, BigIntStats, StatFs and Dirent. As in Node, native calls return file data in an array that the next call overwrites. The wrappers of this
// file convert it, so that all other code receives objects.

const {
  S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IFSOCK,
  UV_DIRENT_BLOCK, UV_DIRENT_CHAR, UV_DIRENT_DIR, UV_DIRENT_FIFO, UV_DIRENT_FILE, UV_DIRENT_LINK, UV_DIRENT_SOCKET,
} = require('internal/fs/constants');
const { called } = require('internal/scheduler/trace');

const kinds = {
  isDirectory: [S_IFDIR, UV_DIRENT_DIR],
  isFile: [S_IFREG, UV_DIRENT_FILE],
  isBlockDevice: [S_IFBLK, UV_DIRENT_BLOCK],
  isCharacterDevice: [S_IFCHR, UV_DIRENT_CHAR],
  isSymbolicLink: [S_IFLNK, UV_DIRENT_LINK],
  isFIFO: [S_IFIFO, UV_DIRENT_FIFO],
  isSocket: [S_IFSOCK, UV_DIRENT_SOCKET],
};

const dateOf = (ms) => new Date(Math.round(Number(ms)));

function StatsBase(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks) {
  this.dev = dev;
  this.mode = mode;
  this.nlink = nlink;
  this.uid = uid;
  this.gid = gid;
  this.rdev = rdev;
  this.blksize = blksize;
  this.ino = ino;
  this.size = size;
  this.blocks = blocks;
}
for (const name of Object.keys(kinds)) {
  const [mode] = kinds[name];
  const big = BigInt(mode);
  StatsBase.prototype[name] = { [name]() {
    return typeof this.mode === 'bigint' ? (this.mode & BigInt(S_IFMT)) === big : (this.mode & S_IFMT) === mode;
  } }[name];
}

function Stats(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs) {
  StatsBase.call(this, dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
  this.atimeMs = atimeMs;
  this.mtimeMs = mtimeMs;
  this.ctimeMs = ctimeMs;
  this.birthtimeMs = birthtimeMs;
}

function BigIntStats(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, atimeNs, mtimeNs, ctimeNs, birthtimeNs) {
  StatsBase.call(this, dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
  this.atimeMs = atimeNs / 1000000n;
  this.mtimeMs = mtimeNs / 1000000n;
  this.ctimeMs = ctimeNs / 1000000n;
  this.birthtimeMs = birthtimeNs / 1000000n;
  this.atimeNs = atimeNs;
  this.mtimeNs = mtimeNs;
  this.ctimeNs = ctimeNs;
  this.birthtimeNs = birthtimeNs;
}

// The Date properties (`atime`, `mtime`, ...) are created at first access.
function addDates(constructor) {
  Object.setPrototypeOf(constructor.prototype, StatsBase.prototype);
  Object.setPrototypeOf(constructor, StatsBase);
  for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
    const kept = Symbol(name);
    const keep = (object, value) =>
      Object.defineProperty(object, kept, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    Object.defineProperty(constructor.prototype, name, {
      __proto__: null,
      enumerable: true,
      configurable: true,
      get() {
        if (this[kept] === undefined) keep(this, dateOf(this[`${name}Ms`]));
        return this[kept];
      },
      set(value) { keep(this, value); },
    });
  }
}
addDates(Stats);
addDates(BigIntStats);

function toStats(numbers, from) {
  const Class = typeof numbers[0] === 'bigint' ? BigIntStats : Stats;
  return new Class(
    numbers[from], numbers[from + 1], numbers[from + 2], numbers[from + 3], numbers[from + 4], numbers[from + 5],
    numbers[from + 6], numbers[from + 7], numbers[from + 8], numbers[from + 9], numbers[from + 10], numbers[from + 11],
    numbers[from + 12], numbers[from + 13]);
}

function withStats(operations) {
  for (const name of ['fstat', 'lstat', 'stat']) {
    const find = operations[name];
    operations[name] = (done, target, exact) => {
      if (done === undefined) {
        const found = find(undefined, target, exact);
        return typeof found === 'number' ? found : toStats(found, 0);
      }
      find((error, numbers) => {
        if (error !== null) called(done)(error);
        else called(done)(null, toStats(numbers, 0));
      }, target, exact);
    };
  }
  return operations;
}
{
  withStats(native.callback);
  const { makePromise, watchFile } = native;
  native.makePromise = () => withStats(makePromise());
  native.watchFile = (path, exact, persistent, interval, listener) => {
    const onChange = (gone, numbers) => listener(gone, toStats(numbers, 0), toStats(numbers, 14));
    require('internal/resources').setOwner(onChange, listener);
    return watchFile(path, exact, persistent, interval, onChange);
  };
}

class StatFs {
  constructor(type, bsize, blocks, bfree, bavail, files, ffree) {
    this.type = type;
    this.bsize = bsize;
    this.blocks = blocks;
    this.bfree = bfree;
    this.bavail = bavail;
    this.files = files;
    this.ffree = ffree;
  }
}

const toStatFs = (numbers) => new StatFs(...numbers);

const kType = Symbol('type');

class Dirent {
  constructor(name, type, path) {
    this.name = name;
    this.parentPath = path;
    this.path = path;
    this[kType] = type;
  }
}
for (const name of Object.keys(kinds)) {
  const kind = kinds[name][1];
  Object.defineProperty(Dirent.prototype, name, {
    __proto__: null,
    value: { [name]() { return this[kType] === kind; } }[name], writable: true, enumerable: false, configurable: true,
  });
}

// The dirent type for a file mode.
function kindOf(mode) {
  for (const [of, kind] of Object.values(kinds)) if ((mode & S_IFMT) === of) return kind;
  return 0;
}

module.exports = { BigIntStats, Dirent, StatFs, Stats, kindOf, toStatFs };
