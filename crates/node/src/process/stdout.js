'use strict';
// `process.stdout` and `process.stderr`: small streams that write at once, whatever they lead to. They are emitters with
// a Writable's methods, and no instances of `stream.Writable`.

const EventEmitter = require('events');
const process = require('process');

const kTypes = { __proto__: null, TTY: 'tty', FILE: 'fs', PIPE: 'pipe', TCP: 'pipe' };

function badChunk(chunk) {
  if (chunk === null) {
    const { ERR_STREAM_NULL_VALUES } = require('internal/errors');
    return new ERR_STREAM_NULL_VALUES();
  }
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  return new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
}

function nothing() {}

class Stdio extends EventEmitter {
  #encoding = 'utf8';
  #ended = false;
  #finished = false;
  #closed = false;
  #errored = null;
  // Whether an error is on its way.
  #failing = false;
  #corked = 0;

  constructor(fd, kind) {
    super();
    this.fd = fd;
    this._type = kTypes[kind];
    this._isStdio = true;
    this.bytesWritten = 0;
  }

  get writable() { return !this.#ended && this.#errored === null; }
  get writableEnded() { return this.#ended; }
  get writableFinished() { return this.#finished; }
  get writableLength() { return 0; }
  get writableHighWaterMark() { return 65536; }
  get writableObjectMode() { return false; }
  get writableNeedDrain() { return false; }
  get writableCorked() { return this.#corked; }
  get writableAborted() { return false; }
  get destroyed() { return false; }
  get closed() { return this.#closed; }
  get errored() { return this.#errored; }

  write(chunk, encoding, callback) {
    if (typeof encoding === 'function') {
      callback = encoding;
      encoding = undefined;
    }
    const done = typeof callback === 'function' ? callback : nothing;
    let errno = 0;
    if (typeof chunk === 'string') {
      encoding ??= this.#encoding;
      if (encoding !== 'buffer' && !Buffer.isEncoding(encoding)) {
        const { ERR_UNKNOWN_ENCODING } = require('internal/errors');
        throw new ERR_UNKNOWN_ENCODING(encoding);
      }
      if (this.#ended) return this.#late(done);
      if (/^utf-?8$/i.test(encoding) || encoding === 'buffer') {
        errno = native.writeText(this.fd, chunk.isWellFormed() ? chunk : chunk.toWellFormed());
        this.bytesWritten += chunk.length;
      } else {
        chunk = Buffer.from(chunk, encoding);
        errno = native.writeBytes(this.fd, chunk);
        this.bytesWritten += chunk.length;
      }
    } else if (ArrayBuffer.isView(chunk)) {
      if (this.#ended) return this.#late(done);
      const bytes = chunk instanceof Uint8Array ? chunk :
        new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      errno = native.writeBytes(this.fd, bytes);
      this.bytesWritten += bytes.length;
    } else {
      throw badChunk(chunk);
    }
    if (errno !== 0) {
      const { errnoException, uvException } = require('internal/errors');
      // As Node: a file is written by fs, and its errors are in the words of fs.
      const error = this._type === 'fs' ? uvException({ errno, syscall: 'write' }) : errnoException(errno, 'write');
      this.#fail(error, done);
      return false;
    }
    if (done !== nothing) process.nextTick(done, null);
    return true;
  }

  #late(done) {
    const { ERR_STREAM_WRITE_AFTER_END } = require('internal/errors');
    this.#fail(new ERR_STREAM_WRITE_AFTER_END(), done);
    return false;
  }

  // As a Writable: the callback hears of it first, then everybody, once.
  #fail(error, done) {
    this.#failing = true;
    process.nextTick(() => {
      done(error);
      if (this.#errored !== null) return;
      this.#errored = error;
      this.emit('error', error);
      this.#close();
    });
  }

  #close() {
    if (this.#closed) return;
    this.#closed = true;
    this.emit('close');
  }

  end(chunk, encoding, callback) {
    if (typeof chunk === 'function') {
      callback = chunk;
      chunk = undefined;
      encoding = undefined;
    } else if (typeof encoding === 'function') {
      callback = encoding;
      encoding = undefined;
    }
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (this.#ended) {
      if (typeof callback === 'function') {
        const { ERR_STREAM_ALREADY_FINISHED, ERR_STREAM_WRITE_AFTER_END } = require('internal/errors');
        process.nextTick(callback,
          this.#finished ? new ERR_STREAM_ALREADY_FINISHED('end') : new ERR_STREAM_WRITE_AFTER_END());
      }
      return this;
    }
    this.#ended = true;
    process.nextTick(() => {
      if (this.#failing) {
        if (typeof callback === 'function') callback(this.#errored);
        return;
      }
      this.#finished = true;
      if (typeof callback === 'function') callback();
      this.emit('finish');
      process.nextTick(() => this.#close());
    });
    return this;
  }

  // As Node: the descriptor stays open, and what is written afterwards is written.
  destroy(error) {
    process.nextTick(() => {
      if (error) {
        this.#errored = error;
        this.emit('error', error);
      }
      this.#close();
    });
    return this;
  }
  destroySoon() { return this.destroy(); }
  _destroy(error, callback) { callback(error); }

  cork() { this.#corked++; }
  uncork() { if (this.#corked > 0) this.#corked--; }

  setDefaultEncoding(encoding) {
    if (!Buffer.isEncoding(encoding)) {
      const { ERR_UNKNOWN_ENCODING } = require('internal/errors');
      throw new ERR_UNKNOWN_ENCODING(encoding);
    }
    this.#encoding = encoding;
    return this;
  }

  pipe() {
    const { ERR_STREAM_CANNOT_PIPE } = require('internal/errors');
    this.emit('error', new ERR_STREAM_CANNOT_PIPE());
  }

  ref() { return this; }
  unref() { return this; }
}

// What a terminal shows: 1, 4, 8 or 24 bits.
function getColorDepth(env = process.env) {
  if (env.FORCE_COLOR !== undefined) {
    switch (env.FORCE_COLOR) {
      case '':
      case '1':
      case 'true':
        return 4;
      case '2':
        return 8;
      case '3':
        return 24;
      default:
        return 1;
    }
  }
  if ((env.NODE_DISABLE_COLORS !== undefined && env.NODE_DISABLE_COLORS !== '') ||
      (env.NO_COLOR !== undefined && env.NO_COLOR !== '') || env.TERM === 'dumb') {
    return 1;
  }
  if (env.TMUX) return 24;
  if (env.TF_BUILD !== undefined && env.AGENT_NAME !== undefined) return 4;
  if (env.CI !== undefined) {
    if (env.CIRCLECI !== undefined || env.GITEA_ACTIONS !== undefined || env.GITHUB_ACTIONS !== undefined) return 24;
    return ['APPVEYOR', 'BUILDKITE', 'DRONE', 'GITLAB_CI', 'TRAVIS'].some((name) => env[name] !== undefined) ||
      env.CI_NAME === 'codeship' ? 8 : 1;
  }
  if (env.TEAMCITY_VERSION !== undefined) return /^9\.(0*[1-9]\d*)\.|\d{2,}\./.test(env.TEAMCITY_VERSION) ? 4 : 1;
  switch (env.TERM_PROGRAM) {
    case 'iTerm.app':
      return !env.TERM_PROGRAM_VERSION || /^[0-2]\./.test(env.TERM_PROGRAM_VERSION) ? 8 : 24;
    case 'HyperTerm':
    case 'MacTerm':
      return 24;
    case 'Apple_Terminal':
      return 8;
  }
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 24;
  if (env.TERM) {
    if (/truecolor/.test(env.TERM)) return 24;
    if (env.TERM.startsWith('xterm-256')) return 8;
    const term = env.TERM.toLowerCase();
    if (term === 'xterm-kitty' || term === 'mosh' || term === 'rxvt-unicode-24bit' || term === 'terminator') return 24;
    if (/ansi|color|linux|direct|^con\d*x\d|^rxvt|^screen|^xterm|^vt100|^vt220/.test(term) ||
        ['eterm', 'cons25', 'console', 'cygwin', 'dtterm', 'gnome', 'hurd', 'jfbterm', 'konsole', 'kterm', 'mlterm', 'putty', 'st']
          .includes(term)) {
      return 4;
    }
  }
  return env.COLORTERM ? 4 : 1;
}

class WriteStream extends Stdio {
  constructor(fd, kind) {
    super(fd, kind);
    this.isTTY = true;
    [this.columns, this.rows] = native.windowSize(fd) ?? [];
  }

  getWindowSize() { return [this.columns, this.rows]; }

  _refreshSize() {
    const size = native.windowSize(this.fd);
    if (!size || (size[0] === this.columns && size[1] === this.rows)) return;
    [this.columns, this.rows] = size;
    this.emit('resize');
  }

  getColorDepth(env) { return getColorDepth(env); }

  hasColors(count, env) {
    if (env === undefined && (count === undefined || (typeof count === 'object' && count !== null))) {
      env = count;
      count = 16;
    } else {
      require('internal/validators').validateInteger(count, 'count', 2);
    }
    return count <= 2 ** getColorDepth(env);
  }

  #sequence(text, callback) {
    if (callback !== undefined) require('internal/validators').validateFunction(callback, 'callback');
    return this.write(text, callback);
  }

  cursorTo(x, y, callback) {
    if (typeof y === 'function') {
      callback = y;
      y = undefined;
    }
    if (Number.isNaN(x) || Number.isNaN(y)) {
      const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
      throw new ERR_INVALID_ARG_VALUE(Number.isNaN(x) ? 'x' : 'y', NaN);
    }
    if (typeof x !== 'number') {
      if (typeof y === 'number') {
        const { ERR_INVALID_CURSOR_POS } = require('internal/errors');
        throw new ERR_INVALID_CURSOR_POS();
      }
      if (typeof callback === 'function') process.nextTick(callback, null);
      return true;
    }
    return this.#sequence(typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`, callback);
  }

  moveCursor(dx, dy, callback) {
    let text = '';
    if (dx) text += `\x1b[${Math.abs(dx)}${dx < 0 ? 'D' : 'C'}`;
    if (dy) text += `\x1b[${Math.abs(dy)}${dy < 0 ? 'A' : 'B'}`;
    return this.#sequence(text, callback);
  }

  clearLine(direction, callback) {
    return this.#sequence(direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K', callback);
  }

  clearScreenDown(callback) { return this.#sequence('\x1b[0J', callback); }
}

function make(fd) {
  const kind = native.kindOf(fd);
  if (kind !== 'TTY') return new Stdio(fd, kind);
  const stream = new WriteStream(fd, kind);
  if (fd === 1) process.on('SIGWINCH', () => stream._refreshSize());
  return stream;
}

module.exports = { make, getColorDepth };
