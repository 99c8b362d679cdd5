'use strict';
// `process.stdin`: an emitter with a Readable's methods over a terminal, a pipe, a socket or a file. It is no instance of
// `stream.Readable`.

const EventEmitter = require('events');
const process = require('process');

// As a Readable's: above this the descriptor is not read further.
const kHighWaterMark = 65536;

class Stdin extends EventEmitter {
  #reader;
  #chunks = [];
  #length = 0;
  // null: nobody has asked; true: chunks are emitted as they come; false: they wait.
  #flowing = null;
  #reading = false;
  #ended = false;
  #endEmitted = false;
  #closed = false;
  #destroyed = false;
  #errored = null;
  #encoding = null;
  #decoder;
  #scheduled = false;
  #kind;
  #isRef = true;

  constructor(fd) {
    super();
    this.fd = fd;
    this.#kind = native.kindOf(fd);
    const reader = native.reader(fd, (got) => this.#got(got));
    if (typeof reader === 'number') {
      // As Node: what cannot be read is at its end.
      this.#ended = true;
    } else {
      this.#reader = reader;
    }
    const { addHandles, wrapOf } = require('internal/resources');
    addHandles(() => {
      const name = this.#isRef && !this.#ended && !this.#destroyed ? wrapOf(fd) : undefined;
      return name === undefined ? [] : [name];
    });
    if (this.#kind === 'TTY') {
      this.isTTY = true;
      this.isRaw = false;
    }
  }

  get readable() { return !this.#destroyed && !this.#endEmitted && this.#errored === null; }
  get readableEnded() { return this.#endEmitted; }
  get readableFlowing() { return this.#flowing; }
  get readableEncoding() { return this.#encoding; }
  get readableLength() { return this.#length; }
  get readableHighWaterMark() { return kHighWaterMark; }
  get readableObjectMode() { return false; }
  get readableAborted() { return this.#destroyed && !this.#endEmitted; }
  get readableDidRead() { return this.#reading || this.#ended; }
  get destroyed() { return this.#destroyed; }
  get closed() { return this.#closed; }
  get errored() { return this.#errored; }

  #got(got) {
    if (this.#destroyed) return;
    if (typeof got === 'number') {
      this.#reading = false;
      if (got !== 0) {
        this.destroy(require('internal/errors').errnoException(got, 'read'));
        return;
      }
      this.#ended = true;
      const rest = this.#decoder?.end();
      if (rest) this.#take(rest);
      this.#settle();
      return;
    }
    const bytes = Buffer.from(got.buffer, got.byteOffset, got.byteLength);
    const chunk = this.#decoder ? this.#decoder.write(bytes) : bytes;
    if (chunk.length > 0) this.#take(chunk);
  }

  #take(chunk) {
    if (this.#flowing && this.#chunks.length === 0 && this.listenerCount('readable') === 0) {
      this.emit('data', chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length >= kHighWaterMark || this.#flowing === false) this.#stop();
    this.#settle();
  }

  #start() {
    if (this.#reading || this.#ended || this.#destroyed || this.#reader === undefined) return;
    this.#reading = true;
    const errno = this.#reader.start();
    if (errno !== 0) this.destroy(require('internal/errors').errnoException(errno, 'read'));
  }

  #stop() {
    if (!this.#reading) return;
    this.#reading = false;
    this.#reader.stop();
  }

  // By a tick: gives out what waits, to whom it may concern, and the end after it.
  #settle() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => {
      this.#scheduled = false;
      this.#flow();
    });
  }

  #flow() {
    if (this.#destroyed) return;
    if (this.listenerCount('readable') > 0) {
      if (!this.#endEmitted && (this.#chunks.length > 0 || this.#ended)) {
        this.emit('readable');
        if (this.#ended && this.#chunks.length === 0) this.#end();
      }
      return;
    }
    while (this.#flowing && this.#chunks.length > 0) {
      const chunk = this.#chunks.shift();
      this.#length -= chunk.length;
      this.emit('data', chunk);
    }
    if (this.#flowing && this.#chunks.length === 0) {
      if (this.#ended) this.#end();
      else this.#start();
    }
  }

  #end() {
    if (this.#endEmitted) return;
    this.#endEmitted = true;
    process.nextTick(() => {
      this.emit('end');
      // As Node: a file's stream is not closed by its end.
      if (this.#kind !== 'FILE') process.nextTick(() => this.destroy());
    });
  }

  on(type, listener) {
    super.on(type, listener);
    if (type === 'data') {
      if (this.#flowing !== false && this.listenerCount('readable') === 0) this.resume();
    } else if (type === 'readable') {
      this.#flowing = false;
      this.#start();
      this.#settle();
    }
    return this;
  }
  addListener(type, listener) { return this.on(type, listener); }

  resume() {
    if (!this.#flowing) {
      this.#flowing = this.listenerCount('readable') === 0;
      process.nextTick(() => {
        if (!this.#destroyed) this.emit('resume');
        this.#flow();
      });
    }
    return this;
  }

  pause() {
    if (this.#flowing !== false) {
      this.#flowing = false;
      this.emit('pause');
    }
    // By a tick, so that a pause that is taken back at once changes nothing.
    process.nextTick(() => { if (this.#flowing === false && this.listenerCount('readable') === 0) this.#stop(); });
    return this;
  }

  isPaused() { return this.#flowing === false && this.listenerCount('readable') === 0; }

  read(size) {
    if (size === 0) {
      this.#start();
      return null;
    }
    if (this.#chunks.length === 0) {
      if (this.#ended) this.#end();
      else this.#start();
      return null;
    }
    if (size !== undefined && size > this.#length && !this.#ended) {
      this.#start();
      return null;
    }
    let all = this.#chunks.length === 1 ? this.#chunks[0] :
      this.#encoding === null ? Buffer.concat(this.#chunks) : this.#chunks.join('');
    this.#chunks = [];
    this.#length = 0;
    if (size !== undefined && size < all.length) {
      const rest = all.slice(size);
      all = all.slice(0, size);
      this.#chunks.push(rest);
      this.#length = rest.length;
    } else if (this.#ended) {
      this.#settle();
    } else {
      this.#start();
    }
    this.emit('data', all);
    return all;
  }

  unshift(chunk) {
    if (typeof chunk === 'string' && this.#encoding === null) chunk = Buffer.from(chunk);
    this.#chunks.unshift(chunk);
    this.#length += chunk.length;
    this.#settle();
  }

  setEncoding(encoding) {
    const { StringDecoder } = require('string_decoder');
    this.#decoder = new StringDecoder(encoding);
    this.#encoding = this.#decoder.encoding;
    if (this.#chunks.length > 0) {
      const text = this.#chunks.map((chunk) => (typeof chunk === 'string' ? chunk : this.#decoder.write(chunk))).join('');
      this.#chunks = text === '' ? [] : [text];
      this.#length = text.length;
    }
    return this;
  }

  pipe(destination, options) {
    const ondata = (chunk) => {
      if (destination.write(chunk) === false) {
        this.pause();
        destination.once('drain', () => this.resume());
      }
    };
    this.on('data', ondata);
    const own = destination === process.stdout || destination === process.stderr;
    if (!own && options?.end !== false) this.once('end', () => destination.end());
    destination.emit('pipe', this);
    return destination;
  }

  setRawMode(flag) {
    if (this.#kind !== 'TTY') return this;
    const errno = this.#reader.setRaw(Boolean(flag));
    if (errno !== 0) {
      this.emit('error', require('internal/errors').errnoException(errno, 'setRawMode'));
      return this;
    }
    this.isRaw = Boolean(flag);
    return this;
  }

  ref() {
    this.#isRef = true;
    this.#reader?.setRef(true);
    return this;
  }
  unref() {
    this.#isRef = false;
    this.#reader?.setRef(false);
    return this;
  }

  destroy(error) {
    if (this.#destroyed) return this;
    this.#destroyed = true;
    this.#reading = false;
    this.#reader?.close();
    process.nextTick(() => {
      if (error) {
        this.#errored = error;
        this.emit('error', error);
      }
      this.#closed = true;
      this.emit('close');
    });
    return this;
  }

  async *[Symbol.asyncIterator]() {
    let wake = () => {};
    let failed;
    const onreadable = () => wake();
    const onerror = (error) => {
      failed = error;
      wake();
    };
    this.on('readable', onreadable).on('end', onreadable).on('close', onreadable).on('error', onerror);
    try {
      for (;;) {
        const chunk = this.#destroyed ? null : this.read();
        if (chunk !== null) {
          yield chunk;
        } else if (failed) {
          throw failed;
        } else if (this.#endEmitted || this.#closed) {
          return;
        } else {
          await new Promise((resolve) => { wake = resolve; });
        }
      }
    } finally {
      this.off('readable', onreadable).off('end', onreadable).off('close', onreadable).off('error', onerror);
      if (!this.#endEmitted) this.destroy();
    }
  }
}

// By the names that Node's streams have.
const classes = { ReadStream: class extends Stdin {}, Socket: class extends Stdin {} };

module.exports = {
  make() {
    const kind = native.kindOf(0);
    return new classes[kind === 'PIPE' || kind === 'TCP' ? 'Socket' : 'ReadStream'](0);
  },
};
