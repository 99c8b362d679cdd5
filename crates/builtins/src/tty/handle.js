'use strict';
// A terminal as `_handle` of a stream. Writes are synchronous; a loop handle for reading is opened on first use.

const { Buffer } = require('buffer');
const { kOwner } = require('internal/net/handles');
const { setImmediate } = require('internal/scheduler');

// libuv's EINVAL and EPIPE.
const kNotATerminal = -22;
const kBrokenPipe = -32;

class TTY {
  #fd;
  // The loop handle for reading.
  #reader;
  #isRef = true;
  #isClosed = false;
  #isShut = false;

  constructor(fd) {
    this.#fd = fd;
    this[kOwner] = null;
    this.reading = false;
    this.onread = undefined;
    this.bytesRead = 0;
    this.bytesWritten = 0;
    const alive = (of) => (this.#isRef && !this.#isClosed && this.#fd === 0 ? [of] : []);
    require('internal/resources').addHandles(() => alive('TTYWrap'), () => alive(this[kOwner] ?? this));
  }

  get fd() { return this.#fd; }
  get isStreamBase() { return true; }
  get writeQueueSize() { return 0; }
  getAsyncId() { return -1; }
  setBlocking() { return 0; }

  #open() {
    if (this.#isClosed) return kNotATerminal;
    if (this.#reader !== undefined) return 0;
    const reader = native.terminal(this.#fd, (got) => {
      if (typeof got === 'number') {
        this.onread(got);
        return;
      }
      this.bytesRead += got.length;
      this.onread(got.length, got.buffer);
    });
    if (typeof reader === 'number') return reader;
    this.#reader = reader;
    if (!this.#isRef) reader.setRef(false);
    return 0;
  }

  readStart() {
    const status = this.#open();
    return status === 0 ? this.#reader.start() : status;
  }

  readStop() {
    this.#reader?.stop();
    return 0;
  }

  setRawMode(raw) {
    const status = this.#open();
    return status === 0 ? this.#reader.setRaw(raw) : status;
  }

  // Stores columns and rows in a list.
  getWindowSize(size) {
    const found = native.windowSize(this.#fd);
    if (!found) return kNotATerminal;
    [size[0], size[1]] = found;
    return 0;
  }

  // Writes a buffer, a string, or a list of both, completely and synchronously.
  write(data, isLatin1) {
    if (this.#isShut) return kBrokenPipe;
    for (const part of Array.isArray(data) ? data : [data]) {
      const status = this.#writeOne(part, isLatin1);
      if (status !== 0) return status;
    }
    return 0;
  }

  #writeOne(part, isLatin1) {
    if (typeof part === 'string' && !isLatin1) {
      this.bytesWritten += Buffer.byteLength(part);
      return native.writeText(this.#fd, part);
    }
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    this.bytesWritten += bytes.length;
    return native.writeBytes(this.#fd, bytes);
  }

  shutdown(request) {
    const status = this.#open();
    if (status !== 0) return status;
    this.#isShut = true;
    return this.#reader.shutdown(() => request.oncomplete(0));
  }

  close(callback) {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const done = () => callback?.call(this);
    if (this.#reader === undefined) setImmediate(done);
    else this.#reader.close(done);
  }

  ref() {
    this.#isRef = true;
    this.#reader?.setRef(true);
  }

  unref() {
    this.#isRef = false;
    this.#reader?.setRef(false);
  }

  hasRef() { return this.#isRef; }
}

module.exports = { TTY, isTerminal: (fd) => native.kindOf(fd) === 'TTY' };
