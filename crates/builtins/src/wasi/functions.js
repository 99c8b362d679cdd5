'use strict';
// The functions of WASI preview 1, implemented with `fs`. As `deps/uvwasi/src/uvwasi.c`. `this` is a `Call`; `fail` throws an error number.
//
// A descriptor from `path_open` has a position of its own. The standard streams use the kernel's file position until the module seeks in them.
// Differences to uvwasi: `poll_oneoff` reports every open descriptor as ready, and sockets are not supported (Node opens none for a module).

const fs = require('fs');
const process = require('process');
const { Buffer } = require('buffer');
const { randomFillSync } = require('crypto');
const { Descriptor, fail, statOf, systemInfo, typeOfDescriptor } = require('internal/wasi/call');
const { E, R, signals, typeOf, types } = require('internal/wasi/numbers');

const { constants } = fs;
const BIGGEST_OFFSET = 2n ** 63n - 1n;
const NANOSECONDS = 1000000n;

const OFlag = { CREAT: 1, DIRECTORY: 2, EXCL: 4, TRUNC: 8 };
const FdFlag = { APPEND: 1, DSYNC: 2, NONBLOCK: 4, RSYNC: 8, SYNC: 16 };
const TimeFlag = { ATIM: 1, ATIM_NOW: 2, MTIM: 4, MTIM_NOW: 8 };

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

// Access and modification time for `utimes`, in seconds. Depending on `flags`, each is the argument, the current time, or the file's old time.
function timesOf(stats, access, change, flags) {
  const one = (given, now, time, old) => {
    if ((flags & given) !== 0 && (flags & now) !== 0) fail(E.INVAL);
    if ((flags & now) !== 0) return Math.floor(Date.now() / 1000);
    return Number(((flags & given) !== 0 ? time : old) / 1000000000n);
  };
  return [one(TimeFlag.ATIM, TimeFlag.ATIM_NOW, access, stats.atimeNs), one(TimeFlag.MTIM, TimeFlag.MTIM_NOW, change, stats.mtimeNs)];
}

const realTime = () => {
  const { performance } = require('internal/performance');
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
};

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

// The flags for `open`, and the rights that the descriptor of the directory must have.
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

module.exports = {
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
    // `fs` has no `fcntl`, so only APPEND can change: `write` implements it.
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
      // uvwasi polls with epoll, which fails with EPERM for regular files.
      if (isOpen && this.get(number, R.POLL_FD_READWRITE | (type === 1 ? R.FD_READ : R.FD_WRITE)).isSeekable) fail(E.PERM);
      found.push({ userdata, error: isOpen ? E.SUCCESS : E.BADF, type });
    }
    const isReady = found.some(({ error }) => error === E.SUCCESS);
    if (!isReady) sleep(timer.timeout);
    const reported = isReady ? found : [{ userdata: timer.userdata, error: E.SUCCESS, type: 0 }];
    reported.forEach(({ userdata, error, type }, i) => {
      const at = events + 32 * i;
      for (let k = 0; k < 32; k += 8) this.setLong(at + k, 0n);
      this.setLong(at, userdata);
      view.setUint16(at + 8, error, true);
      view.setUint8(at + 10, type);
    });
    this.setSize(nevents, reported.length);
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
