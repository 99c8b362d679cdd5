'use strict';
// EventEmitter and its static functions. All synchronous, except for the promises of `once` and `on`.

const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { flags, FINDINGS } = require('internal/scheduler/state');
const { UNLOCATED, locate } = require('internal/scheduler/trace');
const { validateBoolean, validateFunction, validateNumber } = require('internal/validators');

const kCapture = Symbol('kCapture');
const kErrorMonitor = Symbol('events.errorMonitor');
const kShapeMode = Symbol('shapeMode');
const kMaxEventTargetListeners = Symbol('events.maxEventTargetListeners');
const kMaxEventTargetListenersWarned = Symbol('events.maxEventTargetListenersWarned');
const kRejection = Symbol.for('nodejs.rejection');

const apply = Reflect.apply;
const ownKeys = Reflect.ownKeys;
// Captured at startup: scripts may monkey-patch them.
const { slice, splice, unshift } = Array.prototype;

const trouble = () => require('internal/events/trouble');
const waiting = () => require('internal/events/waiting');
const findings = () => require('internal/scheduler/findings');

let defaultMaxListeners = 10;

function EventEmitter(opts) {
  EventEmitter.init.call(this, opts);
}

module.exports = EventEmitter;
EventEmitter.addAbortListener = addAbortListener;
EventEmitter.once = once;
EventEmitter.on = on;
Object.defineProperty(EventEmitter, 'EventEmitterAsyncResource', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return require('internal/async_hooks/emitter').EventEmitterAsyncResource; },
});
EventEmitter.getEventListeners = getEventListeners;
EventEmitter.getMaxListeners = getMaxListeners;
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.usingDomains = false;
EventEmitter.captureRejectionSymbol = kRejection;

const proto = EventEmitter.prototype;

Object.defineProperties(EventEmitter, {
  captureRejections: {
    __proto__: null,
    enumerable: true,
    get() {
      return proto[kCapture];
    },
    set(value) {
      validateBoolean(value, 'EventEmitter.captureRejections');
      proto[kCapture] = value;
    },
  },
  errorMonitor: {
    __proto__: null,
    value: kErrorMonitor,
    writable: true,
    enumerable: true,
    configurable: true,
  },
  defaultMaxListeners: {
    __proto__: null,
    enumerable: true,
    get() {
      return defaultMaxListeners;
    },
    set(value) {
      validateNumber(value, 'defaultMaxListeners', 0);
      defaultMaxListeners = value;
    },
  },
  kMaxEventTargetListeners: { __proto__: null, value: kMaxEventTargetListeners },
  kMaxEventTargetListenersWarned: { __proto__: null, value: kMaxEventTargetListenersWarned },
});

proto._events = undefined;
proto._eventsCount = 0;
proto._maxListeners = undefined;
Object.defineProperty(proto, kCapture, { __proto__: null, value: false, writable: true, enumerable: false });

EventEmitter.setMaxListeners = function(n = defaultMaxListeners, ...eventTargets) {
  validateNumber(n, 'setMaxListeners', 0);
  if (eventTargets.length === 0) {
    defaultMaxListeners = n;
    return;
  }
  for (let i = 0; i < eventTargets.length; i++) {
    const target = eventTargets[i];
    if (isEventTarget(target)) {
      target[kMaxEventTargetListeners] = n;
      target[kMaxEventTargetListenersWarned] = false;
    } else if (typeof target.setMaxListeners === 'function') {
      target.setMaxListeners(n);
    } else {
      throw new ERR_INVALID_ARG_TYPE('eventTargets', ['EventEmitter', 'EventTarget'], target);
    }
  }
};

// Separate from the constructor, because old-style classes call it on their own `this`.
EventEmitter.init = function(opts) {
  const events = this._events;
  if (events === undefined || events === Object.getPrototypeOf(this)._events) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
    this._maxListeners = this._maxListeners || undefined;
    this[kShapeMode] = false;
  } else {
    this._maxListeners = this._maxListeners || undefined;
    this[kShapeMode] = true;
  }
  if (opts?.captureRejections) {
    validateBoolean(opts.captureRejections, 'options.captureRejections');
    this[kCapture] = true;
  } else {
    this[kCapture] = proto[kCapture];
  }
};

// ---- Emitting

proto.setMaxListeners = function setMaxListeners(n) {
  validateNumber(n, 'setMaxListeners', 0);
  this._maxListeners = n;
  return this;
};

function limitOf(emitter) {
  return emitter._maxListeners === undefined ? defaultMaxListeners : emitter._maxListeners;
}

proto.getMaxListeners = function getMaxListeners() {
  return limitOf(this);
};

proto.emit = function emit(type, ...args) {
  const events = this._events;
  if (type === 'error') {
    if (events?.[kErrorMonitor] !== undefined) this.emit(kErrorMonitor, ...args);
    if (events?.error === undefined) trouble().throwUnhandled(this, args, proto.emit);
  } else if (events === undefined) {
    return false;
  }

  const handler = events[type];
  if (flags[FINDINGS] !== 0) findings().emitted(this, type, handler !== undefined);
  if (handler === undefined) return false;

  if (typeof handler === 'function') {
    if (flags[UNLOCATED] !== 0) locate(handler);
    const result = apply(handler, this, args);
    if (result !== undefined && result !== null) watchRejection(this, result, type, args);
    return true;
  }

  // Copy: listeners added or removed during this emit take effect at the next one.
  const listeners = apply(slice, handler, []);
  const { length } = listeners;
  for (let i = 0; i < length; i++) {
    if (flags[UNLOCATED] !== 0) locate(listeners[i]);
    const result = apply(listeners[i], this, args);
    if (result !== undefined && result !== null) watchRejection(this, result, type, args);
  }
  return true;
};

function watchRejection(emitter, promise, type, args) {
  if (!emitter[kCapture]) return;
  // A `then` getter or method that throws is emitted as 'error' too.
  try {
    const { then } = promise;
    if (typeof then === 'function') {
      then.call(promise, undefined, (error) => {
        // On nextTick, so that an exception of the handler is uncaught instead of another rejection.
        require('process').nextTick(emitRejection, emitter, error, type, args);
      });
    }
  } catch (error) {
    emitter.emit('error', error);
  }
}

function emitRejection(emitter, error, type, args) {
  if (typeof emitter[kRejection] === 'function') {
    emitter[kRejection](error, type, ...args);
    return;
  }
  // Disable capture during this emit: an async 'error' listener that rejects would loop forever.
  const before = emitter[kCapture];
  try {
    emitter[kCapture] = false;
    emitter.emit('error', error);
  } finally {
    emitter[kCapture] = before;
  }
}

// ---- Adding and removing

function checkListener(listener) {
  if (typeof listener !== 'function') validateFunction(listener, 'listener');
}

function add(emitter, type, listener, prepend) {
  checkListener(listener);
  let events = emitter._events;
  let existing;
  if (events === undefined) {
    events = emitter._events = { __proto__: null };
    emitter._eventsCount = 0;
  } else {
    // Emitted before the listener is added, so that a 'newListener' listener is not reported to itself.
    if (events.newListener !== undefined) {
      emitter.emit('newListener', type, listener.listener ?? listener);
      events = emitter._events;
    }
    existing = events[type];
  }

  if (existing === undefined) {
    events[type] = listener;
    ++emitter._eventsCount;
    if (flags[FINDINGS] !== 0) findings().listened(emitter, type);
    return emitter;
  }
  if (typeof existing === 'function') {
    existing = events[type] = prepend ? [listener, existing] : [existing, listener];
  } else if (prepend) {
    apply(unshift, existing, [listener]);
  } else {
    existing[existing.length] = listener;
  }
  const limit = limitOf(emitter);
  if (limit > 0 && existing.length > limit && !existing.warned) {
    trouble().warnOfLeak(emitter, type, existing, limit);
  }
  return emitter;
}

proto.addListener = function addListener(type, listener) {
  return add(this, type, listener, false);
};

proto.on = proto.addListener;

proto.prependListener = function prependListener(type, listener) {
  return add(this, type, listener, true);
};

function onceWrapper() {
  if (this.fired) return;
  this.target.removeListener(this.type, this.wrapFn);
  this.fired = true;
  if (arguments.length === 0) return this.listener.call(this.target);
  return apply(this.listener, this.target, arguments);
}

function onceWrap(target, type, listener) {
  const state = { fired: false, wrapFn: undefined, target, type, listener };
  const wrapped = onceWrapper.bind(state);
  wrapped.listener = listener;
  state.wrapFn = wrapped;
  return wrapped;
}

proto.once = function once(type, listener) {
  checkListener(listener);
  this.on(type, onceWrap(this, type, listener));
  return this;
};

proto.prependOnceListener = function prependOnceListener(type, listener) {
  checkListener(listener);
  this.prependListener(type, onceWrap(this, type, listener));
  return this;
};

function forget(emitter, events, type) {
  emitter._eventsCount -= 1;
  if (emitter[kShapeMode]) {
    events[type] = undefined;
  } else if (emitter._eventsCount === 0) {
    emitter._events = { __proto__: null };
  } else {
    delete events[type];
  }
}

// Removes the last occurrence of a listener. Returns whether there is one.
function take(list, listener) {
  for (let i = list.length - 1; i >= 0; i--) {
    const one = list[i];
    if (one !== listener && one.listener !== listener) continue;
    apply(splice, list, [i, 1]);
    return true;
  }
  return false;
}

proto.removeListener = function removeListener(type, listener) {
  checkListener(listener);
  const events = this._events;
  if (events === undefined) return this;
  const list = events[type];
  if (list === undefined) return this;

  if (list === listener || list.listener === listener) {
    forget(this, events, type);
    if (events.removeListener) this.emit('removeListener', type, list.listener || listener);
    return this;
  }
  if (typeof list === 'function') return this;

  if (!take(list, listener)) return this;
  if (list.length === 1) events[type] = list[0];
  if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
  return this;
};

proto.off = proto.removeListener;

proto.removeAllListeners = function removeAllListeners(type) {
  const events = this._events;
  if (events === undefined) return this;

  if (events.removeListener === undefined) {
    if (arguments.length === 0) {
      this._events = { __proto__: null };
      this._eventsCount = 0;
    } else if (events[type] !== undefined) {
      if (--this._eventsCount === 0) this._events = { __proto__: null };
      else delete events[type];
    }
    this[kShapeMode] = false;
    return this;
  }

  if (arguments.length === 0) {
    for (const key of ownKeys(events)) {
      if (key !== 'removeListener') this.removeAllListeners(key);
    }
    this.removeAllListeners('removeListener');
    this._events = { __proto__: null };
    this._eventsCount = 0;
    this[kShapeMode] = false;
    return this;
  }

  const listeners = events[type];
  if (typeof listeners === 'function') {
    this.removeListener(type, listeners);
  } else if (listeners !== undefined) {
    for (let i = listeners.length - 1; i >= 0; i--) this.removeListener(type, listeners[i]);
  }
  return this;
};

// ---- Listing listeners

function listenersOf(emitter, type, unwrap) {
  const listener = emitter._events?.[type];
  if (listener === undefined) return [];
  if (typeof listener === 'function') return [unwrap ? listener.listener || listener : listener];
  return unwrap ? listener.map((each) => each.listener || each) : listener.slice();
}

proto.listeners = function listeners(type) {
  return listenersOf(this, type, true);
};

proto.rawListeners = function rawListeners(type) {
  return listenersOf(this, type, false);
};

function listenerCount(type, listener) {
  const list = this._events?.[type];
  if (list === undefined) return 0;
  if (typeof list === 'function') {
    return listener == null || listener === list || listener === list.listener ? 1 : 0;
  }
  if (listener == null) return list.length;
  let count = 0;
  for (const each of list) {
    if (each === listener || each.listener === listener) count++;
  }
  return count;
}

proto.listenerCount = listenerCount;

EventEmitter.listenerCount = function(emitter, type) {
  if (typeof emitter.listenerCount === 'function') return emitter.listenerCount(type);
  return listenerCount.call(emitter, type);
};

proto.eventNames = function eventNames() {
  return this._eventsCount > 0 ? ownKeys(this._events) : [];
};

function isEventTarget(target) {
  return require('internal/event_target').isEventTarget(target);
}

function getEventListeners(emitterOrTarget, type) {
  if (typeof emitterOrTarget.listeners === 'function') return emitterOrTarget.listeners(type);
  if (isEventTarget(emitterOrTarget)) {
    return require('internal/event_target').listenersOf(emitterOrTarget, type);
  }
  throw new ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], emitterOrTarget);
}

function getMaxListeners(emitterOrTarget) {
  if (typeof emitterOrTarget?.getMaxListeners === 'function') return limitOf(emitterOrTarget);
  if (isEventTarget(emitterOrTarget)) {
    return emitterOrTarget[kMaxEventTargetListeners] ?? defaultMaxListeners;
  }
  throw new ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], emitterOrTarget);
}

function addAbortListener(signal, listener) {
  return require('internal/abort').addAbortListener(signal, listener);
}

async function once(emitter, name, options = { __proto__: null }) {
  return waiting().once(emitter, name, options);
}

function on(emitter, event, options = { __proto__: null }) {
  return waiting().on(emitter, event, options);
}

