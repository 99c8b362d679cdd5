'use strict';
// The functions of WASI preview 1, over `fs`. As `src/node_wasi.cc` and `deps/uvwasi/src/uvwasi.c`.
//
// A descriptor that `path_open` made keeps its own position; the standard streams use that of the system until a module seeks in them.
// Differences: `poll_oneoff` takes descriptors for ready, and sockets, of which Node opens none, are not there.

const fs = require('fs');
const process = require('process');
const { Buffer } = require('buffer');
const { randomFillSync } = require('crypto');
const { ERR_WASI_NOT_STARTED } = require('internal/errors');
const { E, R, numberOf, signals, typeOf, types } = require('internal/wasi/numbers');
const { resolve } = require('internal/wasi/paths');

const { constants } = fs;
const BIGGEST_OFFSET = 2n ** 63n - 1n;
const NANOSECONDS = 1000000n;

const OFlag = { CREAT: 1, DIRECTORY: 2, EXCL: 4, TRUNC: 8 };
const FdFlag = { APPEND: 1, DSYNC: 2, NONBLOCK: 4, RSYNC: 8, SYNC: 16 };
const TimeFlag = { ATIM: 1, ATIM_NOW: 2, MTIM: 4, MTIM_NOW: 8 };
const FOLLOW = 1;

// An error number on its way out of a function.
class Failure {
  constructor(number) { this.number = number; }
}
const fail = (number) => { throw new Failure(number); };

// The kinds of parameters: `i` is a 32-bit number, `I` a 64-bit one.
const signatures = {
  __proto__: null,
  args_get: 'ii', args_sizes_get: 'ii', clock_res_get: 'ii', clock_time_get: 'iIi', environ_get: 'ii', environ_sizes_get: 'ii',
  fd_advise: 'iIIi', fd_allocate: 'iII', fd_close: 'i', fd_datasync: 'i', fd_fdstat_get: 'ii', fd_fdstat_set_flags: 'ii',
  fd_fdstat_set_rights: 'iII', fd_filestat_get: 'ii', fd_filestat_set_size: 'iI', fd_filestat_set_times: 'iIIi', fd_pread: 'iiiIi',
  fd_prestat_get: 'ii', fd_prestat_dir_name: 'iii', fd_pwrite: 'iiiIi', fd_read: 'iiii', fd_readdir: 'iiiIi', fd_renumber: 'ii',
  fd_seek: 'iIii', fd_sync: 'i', fd_tell: 'ii', fd_write: 'iiii', path_create_directory: 'iii', path_filestat_get: 'iiiii',
  path_filestat_set_times: 'iiiiIIi', path_link: 'iiiiiii', path_open: 'iiiiiIIii', path_readlink: 'iiiiii', path_remove_directory: 'iii',
  path_rename: 'iiiiii', path_symlink: 'iiiii', path_unlink_file: 'iii', poll_oneoff: 'iiii', proc_exit: 'i', proc_raise: 'i', random_get: 'ii',
  sched_yield: '', sock_accept: 'iii', sock_recv: 'iiiiii', sock_send: 'iiiii', sock_shutdown: 'ii',
};

const isWord = (value) => typeof value === 'number' && (value >>> 0 === value || (value | 0) === value);

// Converts arguments as the binding does. Undefined: one is of another type.
function converted(given, kinds) {
  if (given.length !== kinds.length) return undefined;
  const values = [];
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'i' ? !isWord(given[i]) : typeof given[i] !== 'bigint') return undefined;
    values.push(kinds[i] === 'i' ? given[i] >>> 0 : BigInt.asUintN(64, given[i]));
  }
  return values;
}

// The flags and the position that the system has for a descriptor; undefined where it does not tell them.
function systemInfo(fd) {
  try {
    const text = fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
    return { flags: parseInt(/^flags:\s*(\d+)/m.exec(text)[1], 8), position: BigInt(/^pos:\s*(\d+)/m.exec(text)[1]) };
  } catch {
    return undefined;
  }
}

const statOf = (fd) => fs.fstatSync(fd, { bigint: true });

function typeOfDescriptor(fd) {
  const type = typeOf(fs.fstatSync(fd));
  return type === types.character && require('tty').isatty(fd) ? types.terminal : type;
}

// An open file. `position` is undefined while the system's is used.
class Descriptor {
  constructor(fd, type, base, inheriting) {
    this.fd = fd;
    this.type = type;
    this.base = base;
    this.inheriting = inheriting;
    this.position = undefined;
    this.appends = false;
    // The name that the module knows a folder by, and its path.
    this.name = '';
    this.real = '';
    this.isPreopen = false;
  }

  get isSeekable() { return this.type === types.file; }
}

function throwAsInit(number) {
  const name = Object.keys(E).find((key) => E[key] === number);
  const code = `UVWASI_E${name}`;
  const error = new Error(`${code}, uvwasi_init`);
  error.errno = number;
  error.code = code;
  error.syscall = 'uvwasi_init';
  throw error;
}

class Preview1 {
  #args;
  #environment;
  #table = [];
  #memory;

  constructor(args, environment, folders, stdio) {
    this.#args = args.map((text) => Buffer.from(`${text}\0`));
    this.#environment = environment.map((text) => Buffer.from(`${text}\0`));
    try {
      for (const fd of stdio) this.#openStandard(fd);
      for (const { name, path } of folders) this.#openFolder(name, path);
    } catch (error) {
      throwAsInit(error instanceof Failure ? error.number : numberOf(error));
    }
    this.functions = { __proto__: null };
    for (const name of Object.keys(signatures)) this.functions[name] = this.#function(name);
  }

  setMemory(memory) {
    if (!(memory instanceof WebAssembly.Memory)) {
      const error = new TypeError('"instance.exports.memory" property must be a WebAssembly.Memory object');
      error.code = 'ERR_INVALID_ARG_TYPE';
      throw error;
    }
    this.#memory = memory;
  }

  #openStandard(fd) {
    const type = typeOfDescriptor(fd);
    this.#table.push(new Descriptor(fd, type, type.base, type.inheriting));
  }

  #openFolder(name, path) {
    const real = fs.realpathSync(path);
    const fd = fs.openSync(real, constants.O_RDONLY);
    const type = typeOfDescriptor(fd);
    if (type !== types.folder) {
      fs.closeSync(fd);
      fail(E.NOTDIR);
    }
    this.#add(Object.assign(new Descriptor(fd, type, type.base, type.inheriting), { name, real, isPreopen: true }));
  }

  #add(descriptor) {
    let number = 0;
    while (this.#table[number] !== undefined) number++;
    this.#table[number] = descriptor;
    return number;
  }

  // The function of a name, as the binding has it: it checks its arguments and returns an error number.
  #function(name) {
    const kinds = signatures[name];
    const body = bodies[name];
    const call = {
      [name]: (...given) => {
        if (given.length !== kinds.length) return E.INVAL;
        if (this.#memory === undefined) throw new ERR_WASI_NOT_STARTED();
        const values = converted(given, kinds);
        if (values === undefined) return E.INVAL;
        try {
          return body.apply(new Call(this.#memory, this.#table, this.#args, this.#environment, (one) => this.#add(one)), values) ?? E.SUCCESS;
        } catch (error) {
          return error instanceof Failure ? error.number : numberOf(error);
        }
      },
    }[name];
    return call;
  }
}

// What a function works with: the memory as it is now, and the tables.
class Call {
  constructor(memory, table, args, environment, add) {
    this.view = new DataView(memory.buffer);
    this.table = table;
    this.args = args;
    this.environment = environment;
    this.add = add;
  }

  // Fails unless the memory has these bytes.
  check(at, bytes) { if (at + bytes > this.view.byteLength) fail(E.OVERFLOW); }
  bytes(at, length) {
    this.check(at, length);
    return new Uint8Array(this.view.buffer, at, length);
  }
  text(at, length) { return Buffer.from(this.bytes(at, length)).toString(); }
  setSize(at, value) { this.view.setUint32(at, value, true); }
  setLong(at, value) { this.view.setBigUint64(at, value, true); }

  // The descriptor of a number that has these rights.
  get(number, base = 0n, inheriting = 0n) {
    const found = this.table[number];
    if (found === undefined) fail(E.BADF);
    if ((~found.base & base) !== 0n || (~found.inheriting & inheriting) !== 0n) fail(E.NOTCAPABLE);
    return found;
  }

  path(folder, at, length, flags = 0) {
    const { path, error } = resolve(folder, this.text(at, length), (flags & FOLLOW) !== 0);
    if (error !== undefined) fail(error);
    return path;
  }

  // The memory that a list of `count` pairs of address and length describes.
  buffers(at, count) {
    this.check(at, count * 8);
    const list = [];
    for (let i = 0; i < count; i++) list.push(this.bytes(this.view.getUint32(at + i * 8, true), this.view.getUint32(at + i * 8 + 4, true)));
    return list;
  }

  list(texts, pointersAt, bytesAt) {
    this.check(bytesAt, lengthOf(texts));
    this.check(pointersAt, texts.length * 4);
    let at = bytesAt;
    texts.forEach((text, i) => {
      this.setSize(pointersAt + i * 4, at);
      this.bytes(at, text.length).set(text);
      at += text.length;
    });
  }

  sizes(texts, countAt, lengthAt) {
    this.check(countAt, 4);
    this.check(lengthAt, 4);
    this.setSize(countAt, texts.length);
    this.setSize(lengthAt, lengthOf(texts));
  }

  filestat(at, stats) {
    this.setLong(at, stats.dev);
    this.setLong(at + 8, stats.ino);
    this.setLong(at + 16, BigInt(typeOf(stats).number));
    this.setLong(at + 24, stats.nlink);
    this.setLong(at + 32, stats.size);
    this.setLong(at + 40, stats.atimeNs);
    this.setLong(at + 48, stats.mtimeNs);
    this.setLong(at + 56, stats.ctimeNs);
  }
}

const lengthOf = (texts) => texts.reduce((sum, text) => sum + text.length, 0);

// The current position of a seekable descriptor.
const positionOf = (descriptor) => descriptor.position ?? systemInfo(descriptor.fd)?.position ?? 0n;

function read(call, descriptor, iovs, count, nread) {
  call.check(nread, 4);
  const buffers = call.buffers(iovs, count);
  const { position } = descriptor;
  const length = buffers.length === 0 ? 0 : fs.readvSync(descriptor.fd, buffers, position === undefined ? null : Number(position));
  if (position !== undefined) descriptor.position += BigInt(length);
  call.setSize(nread, length);
}

function write(call, descriptor, iovs, count, nwritten) {
  call.check(nwritten, 4);
  const buffers = call.buffers(iovs, count);
  if (descriptor.appends && descriptor.position !== undefined) descriptor.position = statOf(descriptor.fd).size;
  const { position } = descriptor;
  const length = buffers.length === 0 ? 0 : fs.writevSync(descriptor.fd, buffers, position === undefined ? null : Number(position));
  if (position !== undefined) descriptor.position += BigInt(length);
  call.setSize(nwritten, length);
}

function seek(descriptor, offset, whence) {
  if (whence > 2) fail(E.INVAL);
  if (!descriptor.isSeekable) fail(E.SPIPE);
  const base = whence === 0 ? 0n : whence === 1 ? positionOf(descriptor) : statOf(descriptor.fd).size;
  const position = base + BigInt.asIntN(64, offset);
  if (position < 0n) fail(E.INVAL);
  descriptor.position = position;
  return position;
}

// Seconds for `utimes`: those given, now, or those that the file has.
function timesOf(stats, access, change, flags) {
  const one = (given, now, time, old) => {
    if ((flags & given) !== 0 && (flags & now) !== 0) fail(E.INVAL);
    if ((flags & now) !== 0) return Math.floor(Date.now() / 1000);
    return Number(((flags & given) !== 0 ? time : old) / 1000000000n);
  };
  return [one(TimeFlag.ATIM, TimeFlag.ATIM_NOW, access, stats.atimeNs), one(TimeFlag.MTIM, TimeFlag.MTIM_NOW, change, stats.mtimeNs)];
}

const realTime = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;

function timeOf(clock) {
  switch (clock) {
    case 0: return realTime();
    case 1: return process.hrtime.bigint();
    case 2:
    case 3: {
      const { user, system } = process.cpuUsage();
      return BigInt(user + system) * 1000n;
    }
    default: return fail(E.INVAL);
  }
}

function sleep(nanoseconds) {
  if (nanoseconds > 0n) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(nanoseconds / NANOSECONDS));
}

// The flags for `open`, and the rights that the folder must have.
function openFlags(oflags, base, inheriting, fdflags) {
  const reads = (base & (R.FD_READ | R.FD_READDIR)) !== 0n;
  const writes = (base & (R.FD_DATASYNC | R.FD_WRITE | R.FD_ALLOCATE | R.FD_FILESTAT_SET_SIZE)) !== 0n;
  let flags = writes ? reads ? constants.O_RDWR : constants.O_WRONLY : constants.O_RDONLY;
  let needed = R.PATH_OPEN;
  let inherited = base | inheriting;
  if (oflags & OFlag.CREAT) {
    flags |= constants.O_CREAT;
    needed |= R.PATH_CREATE_FILE;
  }
  if (oflags & OFlag.DIRECTORY) flags |= constants.O_DIRECTORY;
  if (oflags & OFlag.EXCL) flags |= constants.O_EXCL;
  if (oflags & OFlag.TRUNC) {
    flags |= constants.O_TRUNC;
    needed |= R.PATH_FILESTAT_SET_SIZE;
  }
  if (fdflags & FdFlag.APPEND) flags |= constants.O_APPEND;
  if (fdflags & FdFlag.DSYNC) {
    flags |= constants.O_DSYNC;
    inherited |= R.FD_DATASYNC;
  }
  if (fdflags & FdFlag.NONBLOCK) flags |= constants.O_NONBLOCK;
  if (fdflags & (FdFlag.RSYNC | FdFlag.SYNC)) {
    flags |= constants.O_SYNC;
    inherited |= R.FD_SYNC;
  }
  if (writes && (flags & (constants.O_APPEND | constants.O_TRUNC)) === 0) inherited |= R.FD_SEEK;
  return { flags, needed, inherited };
}

function twoFolders(call, from, fromRight, to, toRight) {
  return from === to ? Array(2).fill(call.get(from, fromRight | toRight)) : [call.get(from, fromRight), call.get(to, toRight)];
}

// The functions. `this` is a `Call`; an error number is returned or thrown.
const bodies = {
  __proto__: null,
  args_get(pointers, buffer) { this.list(this.args, pointers, buffer); },
  args_sizes_get(count, length) { this.sizes(this.args, count, length); },
  environ_get(pointers, buffer) { this.list(this.environment, pointers, buffer); },
  environ_sizes_get(count, length) { this.sizes(this.environment, count, length); },

  clock_res_get(clock, at) {
    this.check(at, 8);
    if (clock > 3) fail(E.INVAL);
    this.setLong(at, 1n);
  },
  clock_time_get(clock, _precision, at) {
    this.check(at, 8);
    this.setLong(at, timeOf(clock));
  },

  fd_advise(number, _offset, _length, advice) {
    if (advice > 5) fail(E.INVAL);
    if (this.get(number, R.FD_ADVISE).type === types.folder) fail(E.BADF);
  },
  fd_allocate(number, offset, length) {
    const { fd } = this.get(number, R.FD_ALLOCATE);
    if (length === 0n) fail(E.INVAL);
    if (statOf(fd).size < offset + length) fs.ftruncateSync(fd, Number(offset + length));
  },
  fd_close(number) {
    fs.closeSync(this.get(number).fd);
    this.table[number] = undefined;
  },
  fd_datasync(number) { fs.fdatasyncSync(this.get(number, R.FD_DATASYNC).fd); },
  fd_sync(number) { fs.fsyncSync(this.get(number, R.FD_SYNC).fd); },
  fd_fdstat_get(number, at) {
    this.check(at, 24);
    const { fd, type, base, inheriting } = this.get(number);
    this.setLong(at, 0n);
    this.view.setUint8(at, type.number);
    this.view.setUint16(at + 2, systemInfo(fd)?.flags ?? 0, true);
    this.setLong(at + 8, base);
    this.setLong(at + 16, inheriting);
  },
  fd_fdstat_set_flags(number, flags) {
    const descriptor = this.get(number, R.FD_FDSTAT_SET_FLAGS);
    // Without `fcntl` only the position of writes can be changed.
    if ((flags & ~FdFlag.APPEND) !== 0) fail(E.NOTSUP);
    descriptor.appends = flags === FdFlag.APPEND;
  },
  fd_fdstat_set_rights(number, base, inheriting) {
    const descriptor = this.get(number);
    if ((base | descriptor.base) > descriptor.base || (inheriting | descriptor.inheriting) > descriptor.inheriting) fail(E.NOTCAPABLE);
    descriptor.base = base;
    descriptor.inheriting = inheriting;
  },
  fd_filestat_get(number, at) {
    this.check(at, 64);
    this.filestat(at, statOf(this.get(number, R.FD_FILESTAT_GET).fd));
  },
  fd_filestat_set_size(number, size) { fs.ftruncateSync(this.get(number, R.FD_FILESTAT_SET_SIZE).fd, Number(size)); },
  fd_filestat_set_times(number, access, change, flags) {
    const { fd } = this.get(number, R.FD_FILESTAT_SET_TIMES);
    fs.futimesSync(fd, ...timesOf(statOf(fd), access, change, flags));
  },
  fd_prestat_get(number, at) {
    this.check(at, 8);
    const { isPreopen, name } = this.get(number);
    if (!isPreopen) fail(E.INVAL);
    this.view.setUint8(at, 0);
    this.setSize(at + 4, Buffer.byteLength(name));
  },
  fd_prestat_dir_name(number, at, length) {
    const to = this.bytes(at, length);
    const { isPreopen, name } = this.get(number);
    if (!isPreopen) fail(E.BADF);
    const bytes = Buffer.from(name);
    if (bytes.length > length) fail(E.NOBUFS);
    to.set(bytes);
  },
  fd_read(number, iovs, count, nread) { read(this, this.get(number, R.FD_READ), iovs, count, nread); },
  fd_write(number, iovs, count, nwritten) { write(this, this.get(number, R.FD_WRITE), iovs, count, nwritten); },
  fd_pread(number, iovs, count, position, nread) {
    if (position > BIGGEST_OFFSET) fail(E.INVAL);
    const { fd } = this.get(number, R.FD_READ | R.FD_SEEK);
    read(this, { fd, position }, iovs, count, nread);
  },
  fd_pwrite(number, iovs, count, position, nwritten) {
    if (position > BIGGEST_OFFSET) fail(E.INVAL);
    const { fd } = this.get(number, R.FD_WRITE | R.FD_SEEK);
    write(this, { fd, position }, iovs, count, nwritten);
  },
  fd_readdir(number, at, length, cookie, used) {
    const to = this.bytes(at, length);
    this.check(used, 4);
    const folder = fs.opendirSync(this.get(number, R.FD_READDIR).real);
    let filled = 0;
    try {
      for (let next = 1n, entry; (entry = folder.readSync()) !== null && filled < length; next++) {
        if (next <= cookie) continue;
        const name = Buffer.from(entry.name);
        if (filled + 24 > length) {
          filled = length;
          break;
        }
        this.setLong(at + filled, next);
        this.setLong(at + filled + 8, 0n);
        this.setSize(at + filled + 16, name.length);
        this.setSize(at + filled + 20, typeOf(entry).number);
        const part = name.subarray(0, length - filled - 24);
        to.set(part, filled + 24);
        filled += 24 + part.length;
      }
    } finally {
      folder.closeSync();
    }
    this.setSize(used, filled);
  },
  fd_renumber(from, to) {
    if (from === to) return;
    const [source, target] = [this.get(from), this.get(to)];
    fs.closeSync(target.fd);
    this.table[to] = source;
    this.table[from] = undefined;
  },
  fd_seek(number, offset, whence, at) {
    this.check(at, 8);
    this.setLong(at, seek(this.get(number, R.FD_SEEK), offset, whence));
  },
  fd_tell(number, at) {
    this.check(at, 8);
    const descriptor = this.get(number, R.FD_TELL);
    if (!descriptor.isSeekable) fail(E.SPIPE);
    this.setLong(at, positionOf(descriptor));
  },

  path_create_directory(number, path, length) {
    this.check(path, length);
    fs.mkdirSync(this.path(this.get(number, R.PATH_CREATE_DIRECTORY), path, length));
  },
  path_filestat_get(number, flags, path, length, at) {
    this.check(path, length);
    this.check(at, 64);
    this.filestat(at, fs.lstatSync(this.path(this.get(number, R.PATH_FILESTAT_GET), path, length, flags), { bigint: true }));
  },
  path_filestat_set_times(number, flags, path, length, access, change, times) {
    this.check(path, length);
    const file = this.path(this.get(number, R.PATH_FILESTAT_SET_TIMES), path, length, flags);
    fs.lutimesSync(file, ...timesOf(fs.lstatSync(file, { bigint: true }), access, change, times));
  },
  path_link(from, flags, path, length, to, newPath, newLength) {
    this.check(path, length);
    this.check(newPath, newLength);
    const [source, target] = twoFolders(this, from, R.PATH_LINK_SOURCE, to, R.PATH_LINK_TARGET);
    fs.linkSync(this.path(source, path, length, flags), this.path(target, newPath, newLength));
  },
  path_open(number, dirflags, path, length, oflags, base, inheriting, fdflags, at) {
    this.check(path, length);
    this.check(at, 4);
    const { flags, needed, inherited } = openFlags(oflags, base, inheriting, fdflags);
    const folder = this.get(number, needed, inherited);
    const real = this.path(folder, path, length, dirflags);
    const fd = fs.openSync(real, flags, 0o666);
    const type = typeOfDescriptor(fd);
    if (type !== types.folder && (oflags & OFlag.DIRECTORY || real.endsWith('/'))) {
      fs.closeSync(fd);
      fail(E.NOTDIR);
    }
    const access = flags & (constants.O_WRONLY | constants.O_RDWR);
    let most = type.base;
    if (access === constants.O_RDONLY) most &= ~R.FD_WRITE;
    else if (access === constants.O_WRONLY) most &= ~R.FD_READ;
    const opened = new Descriptor(fd, type, base & most, inheriting & type.inheriting);
    if (opened.isSeekable) opened.position = 0n;
    Object.assign(opened, { appends: (fdflags & FdFlag.APPEND) !== 0, name: real, real });
    this.setSize(at, this.add(opened));
  },
  path_readlink(number, path, length, at, size, used) {
    this.check(path, length);
    const to = this.bytes(at, size);
    this.check(used, 4);
    const target = fs.readlinkSync(this.path(this.get(number, R.PATH_READLINK), path, length), 'buffer');
    if (target.length >= size) fail(E.NOBUFS);
    to.set(target);
    to[target.length] = 0;
    this.setSize(used, target.length);
  },
  path_remove_directory(number, path, length) {
    this.check(path, length);
    fs.rmdirSync(this.path(this.get(number, R.PATH_REMOVE_DIRECTORY), path, length));
  },
  path_rename(from, path, length, to, newPath, newLength) {
    this.check(path, length);
    this.check(newPath, newLength);
    const [source, target] = twoFolders(this, from, R.PATH_RENAME_SOURCE, to, R.PATH_RENAME_TARGET);
    fs.renameSync(this.path(source, path, length), this.path(target, newPath, newLength));
  },
  path_symlink(path, length, number, newPath, newLength) {
    this.check(path, length);
    this.check(newPath, newLength);
    const folder = this.get(number, R.PATH_SYMLINK);
    const target = this.text(path, length);
    if (target[0] === '/') fail(E.PERM);
    this.path(folder, path, length);
    fs.symlinkSync(target, this.path(folder, newPath, newLength));
  },
  path_unlink_file(number, path, length) {
    this.check(path, length);
    fs.unlinkSync(this.path(this.get(number, R.PATH_UNLINK_FILE), path, length));
  },

  poll_oneoff(subscriptions, events, count, nevents) {
    this.check(subscriptions, count * 48);
    this.check(events, count * 32);
    this.check(nevents, 4);
    if (count === 0) fail(E.INVAL);
    const { view } = this;
    const found = [];
    let timer = { userdata: 0n, timeout: 0n };
    let hasTimer = false;
    for (let i = 0; i < count; i++) {
      const at = subscriptions + i * 48;
      const userdata = view.getBigUint64(at, true);
      const type = view.getUint8(at + 8);
      if (type > 2) fail(E.INVAL);
      if (type === 0) {
        const timeout = view.getBigUint64(at + 24, true) - (view.getUint16(at + 40, true) === 1 ? realTime() : 0n);
        if (!hasTimer || timeout < timer.timeout) timer = { userdata, timeout };
        hasTimer = true;
        continue;
      }
      const number = view.getUint32(at + 16, true);
      const isOpen = this.table[number] !== undefined;
      // As `epoll`, which takes no files.
      if (isOpen && this.get(number, R.POLL_FD_READWRITE | (type === 1 ? R.FD_READ : R.FD_WRITE)).isSeekable) fail(E.PERM);
      found.push({ userdata, error: isOpen ? E.SUCCESS : E.BADF, type });
    }
    const isReady = found.some(({ error }) => error === E.SUCCESS);
    if (!isReady) sleep(timer.timeout);
    const told = isReady ? found : [{ userdata: timer.userdata, error: E.SUCCESS, type: 0 }];
    told.forEach(({ userdata, error, type }, i) => {
      const at = events + 32 * i;
      for (let k = 0; k < 32; k += 8) this.setLong(at + k, 0n);
      this.setLong(at, userdata);
      view.setUint16(at + 8, error, true);
      view.setUint8(at + 10, type);
    });
    this.setSize(nevents, told.length);
  },

  proc_exit(code) { process.reallyExit(code); },
  proc_raise(number) {
    if (number === 0 || signals[number] === undefined) fail(E.NOSYS);
    process.kill(process.pid, signals[number]);
  },
  random_get(at, length) { randomFillSync(this.bytes(at, length)); },
  sched_yield() {},

  // Node opens no sockets for a module.
  sock_accept(number) {
    this.get(number, R.SOCK_ACCEPT);
    fail(E.NOTSOCK);
  },
  sock_recv(number) {
    this.get(number);
    fail(E.NOTSOCK);
  },
  sock_send(number) {
    this.get(number);
    fail(E.NOTSOCK);
  },
  sock_shutdown(number) {
    this.get(number, R.SOCK_SHUTDOWN);
    fail(E.NOTSOCK);
  },
};

module.exports = { Preview1 };
