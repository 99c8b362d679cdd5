'use strict';
// fs.ReadStream and fs.WriteStream over a path, a descriptor or a FileHandle. `_destroy` waits for the current call, so that a descriptor is never
// closed while the thread pool uses it.

const fs = require('fs');
const process = require('process');
const { Buffer } = require('buffer');
const { Readable, Writable } = require('stream');
const {
  ERR_INVALID_ARG_TYPE, ERR_METHOD_NOT_IMPLEMENTED, ERR_OUT_OF_RANGE, ERR_STREAM_DESTROYED, ERR_SYSTEM_ERROR,
} = require('internal/errors');
const { errorOrDestroy } = require('internal/streams/destroy');
const { deprecate } = require('internal/util');
const {
  validateBoolean, validateFunction, validateInteger, validateThisInternalField,
} = require('internal/validators');
const { toFd, toOptions, toPath } = require('internal/fs/arguments');
const { isFileHandle, kRef, kUnref } = require('internal/fs/handle_symbols');

const kIoDone = Symbol('kIoDone');
const kIsPerformingIO = Symbol('kIsPerformingIO');
const kFs = Symbol('kFs');
const kHandle = Symbol('kHandle');

// Maximum number of retries for writes that wrote no bytes.
const kMaxRetries = 5;

// The functions that a stream calls on `fs`, implemented by a FileHandle.
function callsOf(handle) {
  return {
    open() { throw new ERR_METHOD_NOT_IMPLEMENTED('open()'); },
    close(fd, callback) {
      handle[kUnref]();
      handle.close().then(() => callback(), callback);
    },
    fsync(fd, callback) { handle.sync().then(() => callback(), callback); },
    read(fd, buffer, offset, length, position, callback) {
      handle.read(buffer, offset, length, position).then(
        (result) => callback(null, result.bytesRead, result.buffer), (error) => callback(error, 0, buffer));
    },
    write(fd, buffer, offset, length, position, callback) {
      handle.write(buffer, offset, length, position).then(
        (result) => callback(null, result.bytesWritten, result.buffer), (error) => callback(error, 0, buffer));
    },
    writev(fd, buffers, position, callback) {
      handle.writev(buffers, position).then(
        (result) => callback(null, result.bytesWritten, result.buffers), (error) => callback(error, 0, buffers));
    },
  };
}

// Copies the options, including inherited properties.
function copyOptions(input) {
  const options = {};
  const from = toOptions(input);
  for (const key in from) options[key] = from[key];
  return options;
}

function setTarget(stream, path, options, flags) {
  if (options.fd == null) {
    stream.fd = null;
    stream[kFs] = options.fs || fs;
    validateFunction(stream[kFs].open, 'options.fs.open');
    stream.path = toPath(path);
    stream.flags = options.flags === undefined ? flags : options.flags;
    stream.mode = options.mode === undefined ? 0o666 : options.mode;
    return;
  }
  const { fd } = options;
  if (typeof fd === 'number') {
    stream[kFs] = options.fs || fs;
    stream.fd = toFd(fd);
  } else if (isFileHandle(fd)) {
    if (options.fs) throw new ERR_METHOD_NOT_IMPLEMENTED('FileHandle with fs');
    stream[kHandle] = fd;
    stream[kFs] = callsOf(fd);
    fd[kRef]();
    fd.on('close', stream.close.bind(stream));
    stream.fd = toFd(fd.fd);
  } else {
    throw new ERR_INVALID_ARG_TYPE('options.fd', ['number', 'FileHandle'], fd);
  }
}

function setStart(stream, options) {
  stream.start = options.start;
  stream.pos = undefined;
  if (stream.start !== undefined) {
    validateInteger(stream.start, 'start', 0);
    stream.pos = stream.start;
  }
}

function construct(callback) {
  if (typeof this.fd === 'number') {
    callback();
    return;
  }
  if (this.open !== openReadFs && this.open !== openWriteFs) {
    constructByOpen(this, callback);
    return;
  }
  this[kFs].open(this.path, this.flags, this.mode, (error, fd) => {
    if (error) {
      callback(error);
      return;
    }
    this.fd = fd;
    callback();
    this.emit('open', this.fd);
    this.emit('ready');
  });
}

// Supports a monkey-patched `open` method, which reports its result by emitting 'open' or 'error'.
function constructByOpen(stream, callback) {
  const { emit } = stream;
  stream.emit = function(...args) {
    if (args[0] === 'open') {
      this.emit = emit;
      callback();
      emit.apply(this, args);
    } else if (args[0] === 'error') {
      this.emit = emit;
      callback(args[1]);
    } else {
      emit.apply(this, args);
    }
  };
  stream.open();
}

function destroy(error, callback) {
  if (this[kIsPerformingIO]) this.once(kIoDone, (late) => close(this, error || late, callback));
  else close(this, error, callback);
}

function close(stream, error, callback) {
  if (!stream.fd) {
    callback(error);
  } else if (stream.flush) {
    stream[kFs].fsync(stream.fd, (failed) => closeNow(stream, error || failed, callback));
  } else {
    closeNow(stream, error, callback);
  }
}

function closeNow(stream, error, callback) {
  stream[kFs].close(stream.fd, (failed) => callback(failed || error));
  stream.fd = null;
}

// Defines the properties and methods that ReadStream and WriteStream have in common.
function share(Stream, name, stateKey) {
  Object.defineProperties(Stream.prototype, {
    autoClose: {
      __proto__: null,
      get() {
        validateThisInternalField(this, kFs, name);
        return this[stateKey].autoDestroy;
      },
      set(value) {
        validateThisInternalField(this, kFs, name);
        this[stateKey].autoDestroy = value;
      },
    },
    pending: { __proto__: null, configurable: true, get() { return this.fd === null; } },
  });
  Stream.prototype._construct = construct;
  Stream.prototype._destroy = destroy;
}

// ---- Reading

function ReadStream(path, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(path, options);
  options = copyOptions(options);
  if (options.highWaterMark === undefined) options.highWaterMark = 64 * 1024;
  setTarget(this, path, options, 'r');
  options.autoDestroy = options.autoClose === undefined ? true : options.autoClose;
  validateFunction(this[kFs].read, 'options.fs.read');
  if (options.autoDestroy) validateFunction(this[kFs].close, 'options.fs.close');
  this.start = options.start;
  this.end = options.end;
  this.pos = undefined;
  this.bytesRead = 0;
  this[kIsPerformingIO] = false;
  setStart(this, options);
  if (this.end === undefined) {
    this.end = Infinity;
  } else if (this.end !== Infinity) {
    validateInteger(this.end, 'end', 0);
    if (this.start !== undefined && this.start > this.end) {
      throw new ERR_OUT_OF_RANGE('start', `<= "end" (here: ${this.end})`, this.start);
    }
  }
  Readable.call(this, options);
}
Object.setPrototypeOf(ReadStream.prototype, Readable.prototype);
Object.setPrototypeOf(ReadStream, Readable);
share(ReadStream, 'ReadStream', '_readableState');

const openReadFs = deprecate(function() {}, 'ReadStream.prototype.open() is deprecated', 'DEP0135');
ReadStream.prototype.open = openReadFs;

ReadStream.prototype._read = function(size) {
  const left = this.end - (this.pos !== undefined ? this.pos : this.bytesRead) + 1;
  if (left < size) size = left;
  if (size <= 0) {
    this.push(null);
    return;
  }
  const buffer = Buffer.allocUnsafeSlow(size);
  this[kIsPerformingIO] = true;
  this[kFs].read(this.fd, buffer, 0, size, this.pos, (error, bytesRead, read) => {
    this[kIsPerformingIO] = false;
    if (this.destroyed) {
      this.emit(kIoDone, error);
    } else if (error) {
      errorOrDestroy(this, error);
    } else if (bytesRead > 0) {
      if (this.pos !== undefined) this.pos += bytesRead;
      this.bytesRead += bytesRead;
      // A short read is copied, so that the chunk does not keep the whole allocation alive.
      this.push(bytesRead === read.length ? read : copyOf(read, bytesRead));
    } else {
      this.push(null);
    }
  });
};

function copyOf(buffer, length) {
  const copy = Buffer.allocUnsafeSlow(length);
  buffer.copy(copy, 0, 0, length);
  return copy;
}

ReadStream.prototype.close = function(callback) {
  if (typeof callback === 'function') require('stream').finished(this, callback);
  this.destroy();
};

// ---- Writing

function WriteStream(path, options) {
  if (!(this instanceof WriteStream)) return new WriteStream(path, options);
  options = copyOptions(options);
  options.decodeStrings = true;
  setTarget(this, path, options, 'w');
  options.autoDestroy = options.autoClose === undefined ? true : options.autoClose;
  const calls = this[kFs];
  if (!calls.write && !calls.writev) throw new ERR_INVALID_ARG_TYPE('options.fs.write', 'function', calls.write);
  if (calls.write) validateFunction(calls.write, 'options.fs.write');
  if (calls.writev) validateFunction(calls.writev, 'options.fs.writev');
  if (options.autoDestroy) validateFunction(calls.close, 'options.fs.close');
  this.flush = options.flush;
  if (this.flush == null) {
    this.flush = false;
  } else {
    validateBoolean(this.flush, 'options.flush');
    validateFunction(calls.fsync, 'options.fs.fsync');
  }
  // The `fs` option may supply only one of write and writev.
  if (!calls.write) this._write = null;
  if (!calls.writev) this._writev = null;
  this.start = options.start;
  this.pos = undefined;
  this.bytesWritten = 0;
  this[kIsPerformingIO] = false;
  setStart(this, options);
  Writable.call(this, options);
  if (options.encoding) this.setDefaultEncoding(options.encoding);
}
Object.setPrototypeOf(WriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(WriteStream, Writable);
share(WriteStream, 'WriteStream', '_writableState');

const openWriteFs = deprecate(function() {}, 'WriteStream.prototype.open() is deprecated', 'DEP0135');
WriteStream.prototype.open = openWriteFs;

// Handles the result of one write. Returns the number of bytes that are left, or -1 if the callback has been called.
function advance(stream, syscall, work, error, bytesWritten) {
  if (error?.code === 'EAGAIN') {
    error = null;
    bytesWritten = 0;
  }
  if (stream.destroyed || error) {
    work.callback(error || new ERR_STREAM_DESTROYED(syscall));
    return -1;
  }
  stream.bytesWritten += bytesWritten;
  work.retries = bytesWritten ? 0 : work.retries + 1;
  work.size -= bytesWritten;
  work.position += bytesWritten;
  if (work.retries > kMaxRetries) {
    work.callback(new ERR_SYSTEM_ERROR(`${syscall} failed`));
    return -1;
  }
  if (work.size === 0) {
    work.callback();
    return -1;
  }
  return work.size;
}

function writeAll(stream, data, work) {
  stream[kFs].write(stream.fd, data, 0, work.size, work.position, (error, bytesWritten, buffer) => {
    if (advance(stream, 'write', work, error, bytesWritten) > 0) writeAll(stream, buffer.slice(bytesWritten), work);
  });
}

function writevAll(stream, chunks, work) {
  stream[kFs].writev(stream.fd, chunks, stream.pos, (error, bytesWritten, buffers) => {
    if (advance(stream, 'writev', work, error, bytesWritten) > 0) {
      writevAll(stream, [Buffer.concat(buffers).slice(bytesWritten)], work);
    }
  });
}

function begin(stream, size, callback) {
  stream[kIsPerformingIO] = true;
  return {
    size,
    position: stream.pos,
    retries: 0,
    callback(error) {
      stream[kIsPerformingIO] = false;
      callback(error);
      if (stream.destroyed) stream.emit(kIoDone, error);
    },
  };
}

WriteStream.prototype._write = function(data, encoding, callback) {
  writeAll(this, data, begin(this, data.length, callback));
  if (this.pos !== undefined) this.pos += data.length;
};

WriteStream.prototype._writev = function(entries, callback) {
  const chunks = entries.map(({ chunk }) => chunk);
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  writevAll(this, chunks, begin(this, size, callback));
  if (this.pos !== undefined) this.pos += size;
};

WriteStream.prototype.close = function(callback) {
  if (callback) {
    if (this.closed) {
      process.nextTick(callback);
      return;
    }
    this.on('close', callback);
  }
  // Without autoClose, only this listener destroys the stream after `close()`.
  if (!this.autoClose) this.on('finish', this.destroy);
  this.end();
};

WriteStream.prototype.destroySoon = WriteStream.prototype.end;

module.exports = { FileReadStream: ReadStream, FileWriteStream: WriteStream, ReadStream, WriteStream };
