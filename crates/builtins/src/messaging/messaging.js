'use strict';
// `MessageChannel`, `MessagePort` and `BroadcastChannel`. Queues and delivery are native; this file creates the
// events and refs a port while it has a 'message' listener.

const process = require('process');
const { ERR_INVALID_THIS, ERR_MISSING_ARGS } = require('internal/errors');
const {
  CustomEvent,
  Event,
  EventTarget,
  NodeEventTarget,
  defineEventHandler,
  initNodeEventTarget,
  kCreateEvent,
  kHybridDispatch,
  kNewListener,
  kRemoveListener,
} = require('internal/event_target');
const { handlesOf, invalid, parts, sortTransfers, withMoving } = require('internal/clone');
const { kTransferOnly } = require('internal/clone_symbols');

const { kClose, kMessage } = require('internal/port');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const kHandle = Symbol('kHandle');
// Ports that are closed, closing or transferred.
const detached = new SafeWeakSet();
const kMake = Symbol('kMake');

// Ports of the message being delivered; the event is created only if a listener needs it.
let arrivedPorts;

function codedTypeError(code, message) {
  const error = new TypeError(message);
  error.code = code;
  return error;
}

class MessagePortCloseEvent extends Event {}

// A function, because Node's MessagePort is a class that cannot be constructed.
function MessagePort(mark, end) {
  if (mark !== kMake) throw codedTypeError('ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called');
  Object.defineProperty(this, kHandle, { __proto__: null, value: end, writable: true });
  initNodeEventTarget(this);
  let onNotification = (kind, value, ports) => deliver(this, kind, value, ports);
  const { on, handle } = require('internal/async_hooks/tracking');
  if (on) onNotification = handle('MESSAGEPORT', onNotification, this);
  native.open(end, onNotification, parts);
}

Object.setPrototypeOf(MessagePort, NodeEventTarget);
Object.setPrototypeOf(MessagePort.prototype, NodeEventTarget.prototype);

function deliver(port, kind, value, ports) {
  if (kind === kClose) {
    // A port closed by the peer still has a native handle.
    native.close(port[kHandle]);
    refed.delete(port[kHandle]);
    port[kHandle] = undefined;
    port.dispatchEvent(new MessagePortCloseEvent('close'));
    return;
  }
  const type = kind === kMessage ? 'message' : 'messageerror';
  if (ports === undefined) {
    port[kHybridDispatch](value, type, undefined);
    return;
  }
  arrivedPorts = ports;
  try {
    port[kHybridDispatch](value, type, undefined);
  } finally {
    arrivedPorts = undefined;
  }
}

// Handles that are or were ref'd, and their objects.
const refed = new SafeMap();
const owners = () => {
  for (const handle of refed.keys()) if (!native.hasRef(handle)) refed.delete(handle);
  return [...refed.values()];
};
const resources = require('internal/resources');
resources.addHandles(() => owners().fill('MessagePort'), owners);
resources.addOwners(() => [...refed].map(([handle, owner]) => [native.functionOf(handle), owner]).filter(([callback]) => callback !== undefined));

function setRef(handle, flag, owner) {
  native.setRef(handle, flag);
  if (flag) refed.set(handle, owner);
  else refed.delete(handle);
}

function transferListOf(options) {
  if (options === undefined || options === null) return [];
  if (typeof options !== 'object') throw invalid('Optional transferList argument must be an iterable');
  const list = listOf(options);
  if (list !== undefined) return list;
  const { transfer } = options;
  if (transfer === undefined) return [];
  const transferred = transfer !== null && typeof transfer === 'object' ? listOf(transfer) : undefined;
  if (transferred === undefined) throw invalid('Optional options.transfer argument must be an iterable');
  return transferred;
}

// The items of an iterable; undefined if the value is not iterable.
function listOf(iterable) {
  if (Array.isArray(iterable)) return iterable;
  const { [Symbol.iterator]: iterate } = iterable;
  if (typeof iterate !== 'function') return undefined;
  const iterator = iterate.call(iterable);
  if (iterator === null || typeof iterator !== 'object') return undefined;
  const { next } = iterator;
  if (typeof next !== 'function') return undefined;
  const items = [];
  for (let step = next.call(iterator); !step.done; step = next.call(iterator)) items.push(step.value);
  return items;
}

const methods = {
  postMessage(message, options) {
    if (arguments.length === 0) {
      throw codedTypeError('ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage');
    }
    const handle = this[kHandle] ?? 0;
    if (options === undefined) return native.postPlain(handle, parts, message) ?? undefined;
    const { buffers, ports, others } = sortTransfers(transferListOf(options), this);
    // A port sent through itself can never arrive: Node closes the channel with a warning.
    const loses = ports.length > 0 && ports.some((port) => native.entangled(handle, port[kHandle]));
    const sent = withMoving(ports, others, () =>
      native.post(loses ? 0 : handle, parts, message, buffers, ports, handlesOf(ports)));
    if (loses) {
      process.emitWarning('The target port was posted to itself, and the communication channel was lost');
      return true;
    }
    return sent ?? undefined;
  },

  start() {
    if (this[kHandle] !== undefined) native.start(this[kHandle]);
  },

  close(callback) {
    if (typeof callback === 'function') this.once('close', callback);
    if (this[kHandle] !== undefined) {
      detached.add(this);
      native.close(this[kHandle]);
    }
  },

  ref() {
    if (this[kHandle] !== undefined) setRef(this[kHandle], true, this);
  },

  unref() {
    if (this[kHandle] !== undefined) setRef(this[kHandle], false);
  },

  hasRef() {
    return this[kHandle] === undefined ? false : native.hasRef(this[kHandle]) ?? false;
  },
};

for (const name of Object.keys(methods)) {
  Object.defineProperty(MessagePort.prototype, name, {
    __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true,
  });
}

function hidden(name, value) {
  Object.defineProperty(MessagePort.prototype, name, {
    __proto__: null, value, writable: true, enumerable: false, configurable: true,
  });
}

hidden(kTransferOnly, true);
hidden(kCreateEvent, function(data, type) {
  if (type !== 'message' && type !== 'messageerror') return new CustomEvent(type, { detail: data });
  const { MessageEvent } = require('internal/message_event');
  return new MessageEvent(type, { data, ports: arrivedPorts ?? [] });
});
hidden(kNewListener, function(size, type, ...rest) {
  if (type === 'message' && size === 1 && this[kHandle] !== undefined) {
    setRef(this[kHandle], true, this);
    native.start(this[kHandle]);
  }
  return NodeEventTarget.prototype[kNewListener].call(this, size, type, ...rest);
});
hidden(kRemoveListener, function(size, type, ...rest) {
  if (type === 'message' && size === 0 && this[kHandle] !== undefined) {
    setRef(this[kHandle], false);
    native.stop(this[kHandle]);
  }
  return NodeEventTarget.prototype[kRemoveListener].call(this, size, type, ...rest);
});
hidden(kInspect, function() {
  const refed = this[kHandle] === undefined ? undefined : native.hasRef(this[kHandle]);
  const about = refed === undefined ? { active: false } : { active: true, refed };
  return Object.assign(Object.create(MessagePort.prototype, { [kInspect]: { value: undefined } }), about, this);
});
defineEventHandler(MessagePort.prototype, 'message');
defineEventHandler(MessagePort.prototype, 'messageerror');

function MessageChannel() {
  if (new.target === undefined) {
    throw codedTypeError('ERR_CONSTRUCT_CALL_REQUIRED', 'Cannot call constructor without `new`');
  }
  const [one, other] = native.pair();
  this.port1 = portOf(one);
  this.port2 = portOf(other);
}

function portOf(end) {
  return new MessagePort(kMake, end);
}

// undefined for a port that is closed, closing or transferred.
function handleOf(port) {
  return detached.has(port) ? undefined : port[kHandle];
}

function detach(port) {
  detached.add(port);
}

// ---- BroadcastChannel

let isChannel;
let handleOfChannel;

class BroadcastChannel extends EventTarget {
  #name;
  #handle;

  static {
    isChannel = (value) => typeof value === 'object' && value !== null && #name in value;
    handleOfChannel = (channel) => channel.#handle;
  }

  constructor(name) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    super();
    this.#name = `${name}`;
    this.#handle = native.named(this.#name);
    refed.set(this.#handle, this);
    let onNotification = (kind, data) => {
      if (kind === kClose || this.#handle === undefined) return;
      const { MessageEvent } = require('internal/message_event');
      this.dispatchEvent(new MessageEvent(kind === kMessage ? 'message' : 'messageerror', { data }));
    };
    const { on, handle } = require('internal/async_hooks/tracking');
    if (on) onNotification = handle('MESSAGEPORT', onNotification);
    native.open(this.#handle, onNotification, parts);
    native.setRef(this.#handle, true);
    native.start(this.#handle);
  }

  [kInspect](depth, options) {
    checkChannel(this);
    if (depth < 0) return 'BroadcastChannel';
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    const about = { name: this.#name, active: this.#handle !== undefined };
    return `BroadcastChannel ${require('internal/util/inspect').inspect(about, inner)}`;
  }

  get name() {
    checkChannel(this);
    return this.#name;
  }

  close() {
    checkChannel(this);
    if (this.#handle === undefined) return;
    native.close(this.#handle);
    refed.delete(this.#handle);
    this.#handle = undefined;
  }

  postMessage(message) {
    checkChannel(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('message');
    if (this.#handle === undefined) {
      const { DOMException } = require('internal/domexception');
      throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
    }
    native.post(this.#handle, parts, message, [], [], []);
  }

  ref() {
    checkChannel(this);
    if (this.#handle !== undefined) setRef(this.#handle, true, this);
    return this;
  }

  unref() {
    checkChannel(this);
    if (this.#handle !== undefined) setRef(this.#handle, false);
    return this;
  }
}

function checkChannel(value) {
  if (!isChannel(value)) throw new ERR_INVALID_THIS('BroadcastChannel');
}

for (const name of ['name', 'close', 'postMessage']) {
  Object.defineProperty(BroadcastChannel.prototype, name, { __proto__: null, enumerable: true });
}
defineEventHandler(BroadcastChannel.prototype, 'message');
defineEventHandler(BroadcastChannel.prototype, 'messageerror');

// Takes the oldest message of a port or a channel synchronously.
function receiveMessageOnPort(port) {
  let handle;
  if (isChannel(port)) handle = handleOfChannel(port);
  else if (port instanceof MessagePort) handle = port[kHandle];
  else throw invalid('The "port" argument must be a MessagePort instance');
  const received = handle === undefined ? undefined : native.receive(handle);
  return received == null ? undefined : { message: received[0] };
}

module.exports = { BroadcastChannel, MessageChannel, MessagePort, detach, handleOf, portOf, receiveMessageOnPort };
