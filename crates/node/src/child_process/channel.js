'use strict';
// The channel between a program and its fork. The same on both ends: the target is a child there and `process` here.
//
// A handle goes with a message of the channel's own, and the other end says that it has come. Until then nothing else is
// sent: messages wait, so that they come in their order.

const process = require('process');
const EventEmitter = require('events');
const errors = require('internal/errors');
const { Pipe, kWritten } = require('internal/net/handles');
const { validateObject } = require('internal/validators');

const kMessages = Symbol('kPendingMessages');
const kChannelHandle = Symbol('kChannelHandle');

// A sender that is this far ahead is told so.
const kFullBytes = 65536 * 2;

// How often a handle is sent that does not reach the other end.
const kTries = 4;

const kHandle = 'NODE_HANDLE';
const kGot = 'NODE_HANDLE_ACK';
const kLost = 'NODE_HANDLE_NACK';

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

// Messages whose `cmd` begins so are between the two ends of a library.
const isInternal = (message) => message !== null && typeof message === 'object' && typeof message.cmd === 'string' &&
  message.cmd.length > 5 && message.cmd.startsWith('NODE_');

const isReceipt = (message) => message !== null && (message.cmd === kGot || message.cmd === kLost);

const kSendable = ['string', 'object', 'number', 'boolean'];

class Channel {
  // What waits until the other end has the handle that is on its way; none if there is no such handle.
  #waiting = null;
  // A handle that is closed here when the other end has it: `{ message, handle, tries }`.
  #givenAway = null;
  // The last that came and belongs to a message that has not come.
  #arrived = null;

  constructor(target, handle, serialization) {
    this.target = target;
    this.handle = handle;
    this.control = new Control(handle);
    this.wire = new (require('internal/child_process/wire')[serialization])();
    // Sockets of servers, by the servers' keys.
    this.sent = new Map();
    this.got = new Map();
    handle.onread = (count, bytes) => (count > 0 ? this.read(new Uint8Array(bytes)) : this.ended());
    target.on('internalMessage', (message, passed) => this.heard(message, passed));
  }

  read(bytes) {
    if (this.handle.passedKind() !== undefined) {
      this.#arrived = require('internal/child_process/passing').received(this.handle);
    }
    for (const message of this.wire.take(bytes)) {
      // No two handles come in one chunk.
      if (isInternal(message) && message.cmd === kHandle) {
        this.hand(message, this.#arrived);
        this.#arrived = null;
      } else {
        this.hand(message, undefined);
      }
    }
  }

  hand(message, passed) {
    if (!this.target.channel) return;
    process.nextTick(() => this.emit(isInternal(message) ? 'internalMessage' : 'message', message, passed));
  }

  // What nobody listens to waits for a listener.
  emit(type, message, passed) {
    const { target } = this;
    if (type === 'internalMessage' || target.listenerCount('message') > 0) target.emit(type, message, passed);
    else target.channel?.[kMessages].push([message, passed]);
  }

  // A message of the other end of this channel, if it is one.
  heard(message, passed) {
    if (message.cmd === kGot || message.cmd === kLost) {
      this.receipt(message.cmd === kLost);
    } else if (message.cmd === kHandle) {
      // Nobody is to blame if it cannot be told.
      this.send({ cmd: passed ? kGot : kLost }, undefined, true);
      const kind = passed && require('internal/child_process/passing').kinds[message.type];
      kind?.make(this, message, passed, (made) => this.hand(message.msg, made));
    }
  }

  receipt(isLost) {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    const given = this.#givenAway;
    if (given && isLost && given.tries < kTries) {
      this.#givenAway = null;
      this.#write(given.message, given.handle, {}, undefined, given);
    } else if (given) {
      this.#closeGiven();
      if (isLost) {
        process.emitWarning('Handle did not reach the receiving process correctly', 'SentHandleNotReceivedWarning');
      }
    }
    for (const args of waiting) this.send(...args);
    // A disconnect has waited too.
    const { target } = this;
    if (!target.connected && target.channel && this.#waiting === null) target._disconnect();
  }

  #closeGiven() {
    this.#givenAway?.handle.close();
    this.#givenAway = null;
  }

  get isWaiting() { return this.#waiting !== null; }

  // The other end is gone.
  ended() {
    const { target, handle } = this;
    this.wire.forget();
    // A disconnect that waits for an answer does so in vain.
    if (target.connected || target.channel) {
      this.#waiting = null;
      if (target.connected) target.disconnect();
      else target._disconnect();
    }
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
    for (const [message, passed] of messages) target.emit('message', message, passed);
  }

  send(message, passed, options, callback) {
    if (message === undefined) throw new errors.ERR_MISSING_ARGS('message');
    if (!kSendable.includes(typeof message)) throw new errors.ERR_INVALID_ARG_TYPE('message', kSendable, message);
    if (typeof options === 'boolean') options = { swallowErrors: options };
    options ??= {};
    const passing = passed ? require('internal/child_process/passing') : undefined;
    const type = passing?.kindOf(passed);
    if (this.#waiting !== null && (passed || !isReceipt(message))) {
      return this.#waiting.push([message, passed, options, callback]) === 1;
    }
    if (type === undefined) return this.#write(message, undefined, options, callback);
    const kind = passing.kinds[type];
    const envelope = { cmd: kHandle, type, msg: message };
    const handle = kind.take(this, envelope, passed, options);
    // One that was sent before has no handle any more: the message goes alone.
    if (!handle) return this.#write(message, undefined, options, callback);
    const given = kind.isGivenAway && !options.keepOpen ? { message: envelope, handle, tries: 0 } : undefined;
    return this.#write(envelope, handle, options, callback, given);
  }

  #write(message, passed, options, callback, given) {
    const { target, handle, control } = this;
    const data = this.wire.encode(message);
    const request = {
      oncomplete() {
        control.unrefCounted();
        if (typeof callback === 'function') callback(null);
      },
    };
    let status;
    if (passed) {
      status = handle.writeHandle(request, data, passed);
    } else {
      const written = handle.write(data, false);
      status = written === kWritten || written < 0 ? written : handle.writeRest(request, data, false, written);
    }
    const isSent = status === kWritten || status >= 0;
    if (passed && isSent) this.#waiting = [];
    if (given && isSent) {
      given.tries++;
      this.#givenAway = given;
    } else {
      given?.handle.close();
    }
    if (status === kWritten) {
      if (typeof callback === 'function') process.nextTick(callback, null);
    } else if (status >= 0) {
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
    this.#closeGiven();
    let isDone = false;
    const finish = () => {
      if (isDone) return;
      isDone = true;
      handle.close();
      target.emit('disconnect');
    };
    // A message that is being read is read to its end.
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

// Gives a target its channel over a handle.
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

// In a fork: the end that it was started with.
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
