'use strict';
// The IPC channel between a process and a process that it has forked. Both ends run this code: the target is a ChildProcess in the parent, and
// `process` in the child.
//
// A handle is sent with an internal message, which the receiver acknowledges. Until then other messages are queued, to keep their order
// (`lib/internal/child_process.js: setupChannel`).

const process = require('process');
const EventEmitter = require('events');
const errors = require('internal/errors');
const { Pipe } = require('internal/net/handles');
const { validateObject } = require('internal/validators');

const kMessages = Symbol('kPendingMessages');
const kChannelHandle = Symbol('kChannelHandle');

// Backpressure: `send()` returns false above this queue size.
const kFullBytes = 65536 * 2;

// Number of times that sending a handle is tried.
const kTries = 4;

const kHandle = 'NODE_HANDLE';
const kAck = 'NODE_HANDLE_ACK';
const kNack = 'NODE_HANDLE_NACK';

// The public `channel` object, which controls whether the channel keeps the process alive. It does so while there is a 'message' listener or a
// pending write. After a call of `ref()` or `unref()` only that call counts.
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
    if (--this.#users !== 0 || this.#isChosen) return;
    this.#handle.unref();
    this.emit('unref');
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

// True for an internal message of Node or a library: its `cmd` starts with `NODE_`.
const isInternal = (message) => message !== null && typeof message === 'object' && typeof message.cmd === 'string' &&
  message.cmd.length > 5 && message.cmd.startsWith('NODE_');

const isAcknowledgement = (message) => message !== null && (message.cmd === kAck || message.cmd === kNack);

const kSendable = ['string', 'object', 'number', 'boolean'];

class Channel {
  // Messages queued until the peer acknowledges a handle; null if no acknowledgement is pending.
  #queue = null;
  // A sent handle: `{ message, handle, tries }`. The handle is closed when the peer has acknowledged it.
  #sentHandle = null;
  // The last received handle whose message has not arrived yet.
  #receivedHandle = null;

  constructor(target, handle, serialization) {
    this.target = target;
    this.handle = handle;
    this.control = new Control(handle);
    this.wire = new (require('internal/child_process/wire')[serialization])();
    // Lists of sockets that were sent and received, by the key of their server.
    this.sent = new SafeMap();
    this.got = new SafeMap();
    handle.onread = (count, bytes) => (count > 0 ? this.read(new Uint8Array(bytes)) : this.ended());
    target.on('internalMessage', (message, passed) => this.heard(message, passed));
  }

  read(bytes) {
    if (this.handle.passedKind() !== undefined) {
      this.#receivedHandle = require('internal/child_process/passing').received(this.handle);
    }
    for (const message of this.wire.take(bytes)) {
      // The sender waits for the acknowledgement, so a chunk has at most one handle.
      if (isInternal(message) && message.cmd === kHandle) {
        this.emitLater(message, this.#receivedHandle);
        this.#receivedHandle = null;
      } else {
        this.emitLater(message, undefined);
      }
    }
  }

  emitLater(message, passed) {
    if (!this.target.channel) return;
    process.nextTick(() => this.emit(isInternal(message) ? 'internalMessage' : 'message', message, passed));
  }

  // Emits a message. Without a 'message' listener, messages are queued until one is added.
  emit(type, message, passed) {
    const { target } = this;
    if (type === 'internalMessage' || target.listenerCount('message') > 0) target.emit(type, message, passed);
    else target.channel?.[kMessages].push([message, passed]);
  }

  // Handles the channel's own internal messages.
  heard(message, passed) {
    if (message.cmd === kAck || message.cmd === kNack) {
      this.acknowledged(message.cmd === kNack);
    } else if (message.cmd === kHandle) {
      // An error is ignored, because the peer may have exited.
      this.send({ cmd: passed ? kAck : kNack }, undefined, true);
      const kind = passed && require('internal/child_process/passing').kinds[message.type];
      kind?.make(this, message, passed, (made) => this.emitLater(message.msg, made));
    }
  }

  acknowledged(isLost) {
    const waiting = this.#queue ?? [];
    this.#queue = null;
    const pending = this.#sentHandle;
    if (pending && isLost && pending.tries < kTries) {
      this.#sentHandle = null;
      this.#write(pending.message, pending.handle, {}, undefined, pending);
    } else if (pending) {
      this.#closeSent();
      if (isLost) {
        process.emitWarning('Handle did not reach the receiving process correctly', 'SentHandleNotReceivedWarning');
      }
    }
    for (const args of waiting) this.send(...args);
    // `disconnect()` waits for the acknowledgement, and can continue now.
    const { target } = this;
    if (!target.connected && target.channel && this.#queue === null) target._disconnect();
  }

  #closeSent() {
    this.#sentHandle?.handle.close();
    this.#sentHandle = null;
  }

  get isWaiting() { return this.#queue !== null; }

  // Called when the peer has closed the channel.
  ended() {
    const { target, handle } = this;
    this.wire.forget();
    // No acknowledgement can arrive any more: drop the queue.
    if (target.connected || target.channel) {
      this.#queue = null;
      if (target.connected) target.disconnect();
      else target._disconnect();
    }
    handle.onread = () => {};
    handle.close();
    target.channel = null;
    // The call is delayed to a later tick, like 'disconnect': if the child has exited in the meantime, 'exit' is emitted before 'close'.
    process.nextTick(require('internal/child_process/child').maybeClose, target);
  }

  deliver() {
    const { target } = this;
    if (!target.channel || target.listenerCount('message') === 0) return;
    const messages = target.channel[kMessages];
    target.channel[kMessages] = [];
    for (const [message, passed] of messages) target.emit('message', message, passed);
  }

  send(message, passed, options, callback) {
    if (message === undefined) throw new errors.ERR_MISSING_ARGS('message');
    if (!kSendable.includes(typeof message)) throw new errors.ERR_INVALID_ARG_TYPE('message', kSendable, message);
    if (typeof options === 'boolean') options = { swallowErrors: options };
    options ??= {};
    const passing = passed ? require('internal/child_process/passing') : undefined;
    const type = passing?.kindOf(passed);
    if (this.#queue !== null && (passed || !isAcknowledgement(message))) {
      return this.#queue.push([message, passed, options, callback]) === 1;
    }
    if (type === undefined) return this.#write(message, undefined, options, callback);
    const kind = passing.kinds[type];
    const envelope = { cmd: kHandle, type, msg: message };
    const handle = kind.take(this, envelope, passed, options);
    // The socket has been sent before and has no handle: send only the message.
    if (!handle) return this.#write(message, undefined, options, callback);
    const pending = kind.closesAfterAck && !options.keepOpen ? { message: envelope, handle, tries: 0 } : undefined;
    return this.#write(envelope, handle, options, callback, pending);
  }

  #write(message, passed, options, callback, pending) {
    const { target, handle, control } = this;
    const data = this.wire.encode(message);
    const request = {
      oncomplete() {
        control.unrefCounted();
        if (typeof callback === 'function') callback(null);
      },
    };
    let status;
    let isWaiting = true;
    if (passed) {
      status = handle.writeHandle(request, data, passed);
    } else {
      status = handle.write(data, false);
      isWaiting = status !== 0;
      if (status > 0) status = handle.writeRest(request, data, false, status);
    }
    const isSent = status >= 0;
    if (passed && isSent) this.#queue = [];
    if (pending && isSent) {
      pending.tries++;
      this.#sentHandle = pending;
    } else {
      pending?.handle.close();
    }
    if (!isWaiting) {
      if (typeof callback === 'function') process.nextTick(callback, null);
    } else if (isSent) {
      control.refCounted();
    } else if (!options.swallowErrors) {
      fail(target, errors.errnoException(status, 'write'), callback);
    }
    return handle.writeQueueSize < kFullBytes;
  }

  close() {
    const { target, handle } = this;
    target.channel = null;
    target[kChannelHandle] = null;
    this.#closeSent();
    let isDone = false;
    const finish = () => {
      if (isDone) return;
      isDone = true;
      handle.close();
      target.emit('disconnect');
    };
    // A message that has been read partially is completed before the channel closes.
    if (this.wire.isHalf) {
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

function defineOldName(target) {
  const { deprecate } = require('util');
  const message = '_channel is deprecated. Use ChildProcess.channel instead.';
  Object.defineProperty(target, '_channel', {
    __proto__: null,
    get: deprecate(() => target.channel, message, 'DEP0129'),
    set: deprecate((value) => { target.channel = value; }, message, 'DEP0129'),
    configurable: true,
    enumerable: false,
  });
}

// Opens a channel on a handle, and adds its methods to the target.
function setup(target, handle, serialization) {
  const channel = new Channel(target, handle, serialization);
  target.channel = channel.control;
  Object.defineProperty(target, kChannelHandle, { __proto__: null, value: handle, writable: true, configurable: true });
  defineOldName(target);
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
    if (!channel.isWaiting) this._disconnect();
  };
  target._disconnect = () => channel.close();

  handle.readStart();
  return channel.control;
}

// Called in a forked process: opens the channel that it has inherited.
function setupFork(fd, serialization) {
  const handle = new Pipe(Pipe.IPC);
  handle.open(fd);
  handle.unref();
  const control = setup(process, handle, serialization);
  const isHeard = (type) => type === 'message' || type === 'disconnect';
  process.on('newListener', (type) => { if (isHeard(type)) control.refCounted(); });
  process.on('removeListener', (type) => { if (isHeard(type)) control.unrefCounted(); });
}

module.exports = { kChannelHandle, setup, setupFork };
