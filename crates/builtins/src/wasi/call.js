'use strict';
// The data that WASI functions use: file descriptors, and the memory of the WebAssembly module during a call.

const fs = require('fs');
const { Buffer } = require('buffer');
const { E, typeOf, types } = require('internal/wasi/numbers');
const { resolve } = require('internal/wasi/paths');

// A flag of lookups: follow a link at the end of a path.
const FOLLOW = 1;

// The exception by which a WASI function returns an error number.
class Failure {
  constructor(number) { this.number = number; }
}
const fail = (number) => { throw new Failure(number); };

// The flags and the position that the kernel has for a descriptor, from `/proc`; undefined if `/proc` cannot be read.
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

// An open file. `position` is undefined while the kernel's file position is used.
class Descriptor {
  constructor(fd, type, base, inheriting) {
    this.fd = fd;
    this.type = type;
    this.base = base;
    this.inheriting = inheriting;
    this.position = undefined;
    this.appends = false;
    // For a directory: its path in the WebAssembly module, and its path on the host.
    this.name = '';
    this.real = '';
    this.isPreopen = false;
  }

  get isSeekable() { return this.type === types.file; }
}

const lengthOf = (texts) => texts.reduce((sum, text) => sum + text.length, 0);

// The context of one WASI call. Its DataView is new for each call, because `memory.grow` detaches the ArrayBuffer.
class Call {
  constructor(memory, table, args, environment, add) {
    this.view = new DataView(memory.buffer);
    this.table = table;
    this.args = args;
    this.environment = environment;
    this.add = add;
  }

  // Fails if the range is outside of the memory.
  check(at, bytes) { if (at + bytes > this.view.byteLength) fail(E.OVERFLOW); }
  bytes(at, length) {
    this.check(at, length);
    return new Uint8Array(this.view.buffer, at, length);
  }
  text(at, length) { return Buffer.from(this.bytes(at, length)).toString(); }
  setSize(at, value) { this.view.setUint32(at, value, true); }
  setLong(at, value) { this.view.setBigUint64(at, value, true); }

  // Returns the descriptor with a number. Fails if there is none, or if it lacks one of the rights.
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

  // Returns views of the memory for a list of `count` iovecs (address and length) at `at`.
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

module.exports = { Call, Descriptor, Failure, fail, statOf, systemInfo, typeOfDescriptor };
