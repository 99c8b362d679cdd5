'use strict';
// The channel between a program and its fork: a line of JSON per message. The same on both ends: the target is a child
// there and `process` here.

const EventEmitter = require('events');
const errors = require('internal/errors');
const { Pipe, kWritten } = require('internal/net/handles');
const { validateObject } = require('internal/validators');

const kMessages = Symbol('kPendingMessages');
const kDecoder = Symbol('kStringDecoder');

// A sender that is this far ahead is told so.
const kFullBytes = 65536 * 2;

// What `channel` is: whether it keeps the process alive. It does while somebody listens and while something is being
// written, unless the script has said what it wants.
class Control extends EventEmitter {
  #handle;
  #users = 0;
  #isChosen = false;

  constructor(handle) {
    super();
    this.#handle = handle;
    Object.defineProperty(this, kMessages, { __proto__: null, value: [], writable: true });
  }

  refCounted() {
    if (++this.#users === 1 && !this.#isChosen) this.#handle.ref();
  }

  unrefCounted() {
    if (--this.#users === 0 && !this.#isChosen) this.#handle.unref();
  }

  ref() {
    this.#isChosen = true;
    this.#handle.ref();
  }

  unref() {
    this.#isChosen = true;
    this.#handle.unref();
  }

  get fd() { return this.#handle.fd; }
}

// Messages whose `cmd` begins so are between the two ends of a library.
const isInternal = (message) => message !== null && typeof message === 'object' && typeof message.cmd === 'string' &&
  message.cmd.length > 5 && message.cmd.startsWith('NODE_');

const kSendable = ['string', 'object', 'number', 'boolean'];

// Reads lines out of a handle's bytes.
class Lines {
  #rest = '';

  constructor() {
    const { StringDecoder } = require('string_decoder');
    this[kDecoder] = new StringDecoder('utf8');
  }

  // Whether a message has begun and not ended.
  get isHalf() { return this.#rest !== ''; }

  forget() { this.#rest = ''; }

  take(bytes) {
    const lines = (this.#rest + this[kDecoder].write(new Uint8Array(bytes))).split('\n');
    this.#rest = lines.pop();
    return lines;
  }
}

class Channel {
  constructor(target, handle) {
    this.target = target;
    this.handle = handle;
    this.control = new Control(handle);
    this.lines = new Lines();
    handle.onread = (count, bytes) => (count > 0 ? this.read(bytes) : this.ended());
  }

  read(bytes) {
    for (const line of this.lines.take(bytes)) {
      const message = JSON.parse(line);
      if (this.target.channel) {
        process.nextTick(() => this.emit(isInternal(message) ? 'internalMessage' : 'message', message));
      }
    }
  }

  // What nobody listens to waits for a listener.
  emit(type, message) {
    const { target } = this;
    if (type === 'internalMessage' || target.listenerCount('message') > 0) target.emit(type, message, undefined);
    else target.channel?.[kMessages].push(message);
  }

  // The other end is gone.
  ended() {
    const { target, handle } = this;
    this.lines.forget();
    target.disconnect();
    handle.onread = () => {};
    handle.close();
    target.channel = null;
    // By a tick, as 'disconnect': a child that has ended meanwhile tells that before its 'close'.
    process.nextTick(require('internal/child_process/child').maybeClose, target);
  }

  deliver() {
    const { target } = this;
    if (!target.channel || target.listenerCount('message') === 0) return;
    const messages = target.channel[kMessages];
    target.channel[kMessages] = [];
    for (const message of messages) target.emit('message', message, undefined);
  }

  send(message, passed, options, callback) {
    const { target, handle, control } = this;
    if (message === undefined) throw new errors.ERR_MISSING_ARGS('message');
    if (!kSendable.includes(typeof message)) throw new errors.ERR_INVALID_ARG_TYPE('message', kSendable, message);
    if (passed) throw new errors.ERR_INVALID_HANDLE_TYPE();
    if (typeof options === 'boolean') options = { swallowErrors: options };
    const text = `${JSON.stringify(message)}\n`;
    const written = handle.write(text, false);
    const request = {
      oncomplete() {
        control.unrefCounted();
        if (typeof callback === 'function') callback(null);
      },
    };
    const status = written === kWritten || written < 0 ? written : handle.writeRest(request, text, false, written);
    if (status === kWritten) {
      if (typeof callback === 'function') process.nextTick(callback, null);
    } else if (status >= 0) {
      control.refCounted();
    } else if (!options?.swallowErrors) {
      fail(target, errors.errnoException(status, 'write'), callback);
    }
    return handle.writeQueueSize < kFullBytes;
  }

  close() {
    const { target, handle } = this;
    target.channel = null;
    let isDone = false;
    const finish = () => {
      if (isDone) return;
      isDone = true;
      handle.close();
      target.emit('disconnect');
    };
    // A message that is being read is read to its end.
    if (this.lines.isHalf) {
      target.once('message', finish);
      target.once('internalMessage', finish);
    } else {
      process.nextTick(finish);
    }
  }
}

function fail(target, error, callback) {
  if (typeof callback === 'function') process.nextTick(callback, error);
  else process.nextTick(() => target.emit('error', error));
}

// Gives a target its channel over a handle.
function setup(target, handle) {
  const channel = new Channel(target, handle);
  target.channel = channel.control;
  target.on('newListener', () => process.nextTick(() => channel.deliver()));

  target.send = function(message, passed, options, callback) {
    if (typeof passed === 'function') {
      [passed, options, callback] = [undefined, undefined, passed];
    } else if (typeof options === 'function') {
      [options, callback] = [undefined, options];
    } else if (options !== undefined) {
      validateObject(options, 'options');
    }
    if (this.connected) return this._send(message, passed, { swallowErrors: false, ...options }, callback);
    fail(this, new errors.ERR_IPC_CHANNEL_CLOSED(), callback);
    return false;
  };
  target._send = (message, passed, options, callback) => channel.send(message, passed, options, callback);

  target.connected = true;
  target.disconnect = function() {
    if (!this.connected) {
      this.emit('error', new errors.ERR_IPC_DISCONNECTED());
      return;
    }
    this.connected = false;
    this._disconnect();
  };
  target._disconnect = () => channel.close();

  handle.readStart();
  return channel.control;
}

// In a fork: the end that it was started with.
function setupFork(fd) {
  const handle = new Pipe(Pipe.IPC);
  handle.open(fd);
  handle.unref();
  const control = setup(process, handle);
  const isHeard = (type) => type === 'message' || type === 'disconnect';
  process.on('newListener', (type) => { if (isHeard(type)) control.refCounted(); });
  process.on('removeListener', (type) => { if (isHeard(type)) control.unrefCounted(); });
}

module.exports = { setup, setupFork };
