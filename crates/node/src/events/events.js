'use strict';
// EventEmitter and the functions around it. No loop: everything here is synchronous, but for `once` and `on`, which are
// promises. The common case of `emit` is native.

const {
  AbortError,
  ERR_INVALID_ARG_TYPE,
  ERR_UNHANDLED_ERROR,
  kEnhanceStackBeforeInspector,
} = require('internal/errors');
const {
  validateAbortSignal,
  validateBoolean,
  validateFunction,
  validateInteger,
  validateNumber,
  validateObject,
} = require('internal/validators');

const kCapture = Symbol('kCapture');
const kErrorMonitor = Symbol('events.errorMonitor');
const kShapeMode = Symbol('shapeMode');
const kMaxEventTargetListeners = Symbol('events.maxEventTargetListeners');
const kMaxEventTargetListenersWarned = Symbol('events.maxEventTargetListenersWarned');
const kWatermarkData = Symbol.for('nodejs.watermarkData');
const kFirstEventParam = Symbol.for('nodejs.kFirstEventParam');
const kRejection = Symbol.for('nodejs.rejection');

const { apply, ownKeys } = Reflect;

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

// Kept apart from the constructor: classes of old style call it on their own `this`.
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

// The native one calls listeners without making an array of their arguments, and this one in all but common cases.
proto.emit = native.makeEmit(function emit(type, ...args) {
  const events = this._events;
  if (type === 'error') {
    if (events?.[kErrorMonitor] !== undefined) this.emit(kErrorMonitor, ...args);
    if (events?.error === undefined) throwUnhandled(this, args, proto.emit);
  } else if (events === undefined) {
    return false;
  }

  const handler = events[type];
  if (handler === undefined) return false;

  // One way for all counts of arguments: without a JIT, telling them apart costs more than it saves.
  if (typeof handler === 'function') {
    const result = apply(handler, this, args);
    if (result !== undefined && result !== null) watchRejection(this, result, type, args);
    return true;
  }

  // A copy: listeners added or removed while these run count from the next emit on.
  const listeners = handler.slice();
  const { length } = listeners;
  for (let i = 0; i < length; i++) {
    const result = apply(listeners[i], this, args);
    if (result !== undefined && result !== null) watchRejection(this, result, type, args);
  }
  return true;
}, watchRejection, kCapture);
Object.defineProperty(proto.emit, 'name', { __proto__: null, value: 'emit', configurable: true });

function throwUnhandled(emitter, args, emitFunction) {
  const error = args.length > 0 ? args[0] : undefined;
  if (error instanceof Error) {
    try {
      const capture = {};
      Error.captureStackTrace(capture, emitFunction);
      Object.defineProperty(error, kEnhanceStackBeforeInspector, {
        __proto__: null,
        value: () => enhanceStackTrace(emitter, error, capture),
        configurable: true,
      });
    } catch {
      // A frozen error is thrown as it is.
    }
    throw error;
  }
  let text;
  try {
    text = require('internal/util/inspect').inspect(error);
  } catch {
    text = error;
  }
  const unhandled = new ERR_UNHANDLED_ERROR(text);
  unhandled.context = error;
  throw unhandled;
}

// The text of a fatal error names the emit that nobody listened to, without the lines both stacks share.
function enhanceStackTrace(emitter, error, own) {
  let where = '';
  try {
    const { name } = emitter.constructor;
    if (name !== 'EventEmitter') where = ` on ${name} instance`;
  } catch {
    // An emitter without a constructor has no name to show.
  }
  const separator = `\nEmitted 'error' event${where} at:\n`;
  const errorLines = error.stack.split('\n').slice(1);
  const ownLines = own.stack.split('\n').slice(1);
  const { length, offset } = longestSharedRun(ownLines, errorLines);
  if (length > 3) {
    ownLines.splice(offset + 1, length - 2, '    [... lines matching original stack trace ...]');
  }
  return error.stack + separator + ownLines.join('\n');
}

function longestSharedRun(a, b) {
  for (let i = 0; i < a.length - 3; i++) {
    const start = b.indexOf(a[i]);
    if (start === -1) continue;
    const rest = b.length - start;
    if (rest <= 3) continue;
    const most = Math.min(rest, a.length - i);
    let length = 1;
    while (length < most && a[i + length] === b[start + length]) length++;
    if (length > 3) return { length, offset: i };
  }
  return { length: 0, offset: 0 };
}

function watchRejection(emitter, promise, type, args) {
  if (!emitter[kCapture]) return;
  // A thenable's getter or `then` may throw: that is an 'error' of the emitter as well.
  try {
    const { then } = promise;
    if (typeof then === 'function') {
      then.call(promise, undefined, (error) => {
        // By a tick, so that what the handler throws is an uncaught exception, not one more rejection.
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
  // Capture off meanwhile: an async 'error' listener that rejects would go round for ever.
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
    // Before it is added, so that a listener of 'newListener' added by 'newListener' is not told of itself.
    if (events.newListener !== undefined) {
      emitter.emit('newListener', type, listener.listener ?? listener);
      events = emitter._events;
    }
    existing = events[type];
  }

  if (existing === undefined) {
    events[type] = listener;
    ++emitter._eventsCount;
    return emitter;
  }
  if (typeof existing === 'function') {
    existing = events[type] = prepend ? [listener, existing] : [existing, listener];
  } else if (prepend) {
    existing.unshift(listener);
  } else {
    existing.push(listener);
  }
  const limit = limitOf(emitter);
  if (limit > 0 && existing.length > limit && !existing.warned) warnOfLeak(emitter, type, existing, limit);
  return emitter;
}

function warnOfLeak(emitter, type, existing, limit) {
  existing.warned = true;
  const { inspect } = require('internal/util/inspect');
  const warning = new Error(
    `Possible EventEmitter memory leak detected. ${existing.length} ${String(type)} listeners ` +
    `added to ${inspect(emitter, { depth: -1 })}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  warning.emitter = emitter;
  warning.type = type;
  warning.count = existing.length;
  require('process').emitWarning(warning);
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

  let position = -1;
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i] === listener || list[i].listener === listener) {
      position = i;
      break;
    }
  }
  if (position < 0) return this;
  if (position === 0) list.shift();
  else list.splice(position, 1);
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

// ---- Asking

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

// ---- Promises of events

function attach(emitter, name, listener, flags) {
  if (typeof emitter.on === 'function') {
    if (flags?.once) emitter.once(name, listener);
    else emitter.on(name, listener);
  } else if (typeof emitter.addEventListener === 'function') {
    emitter.addEventListener(name, listener, flags);
  } else {
    throw new ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
  }
}

function detach(emitter, name, listener, flags) {
  if (typeof emitter.removeListener === 'function') {
    emitter.removeListener(name, listener);
  } else if (typeof emitter.removeEventListener === 'function') {
    emitter.removeEventListener(name, listener, flags);
  } else {
    throw new ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
  }
}

async function once(emitter, name, options = {}) {
  validateObject(options, 'options');
  const { signal } = options;
  validateAbortSignal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  return new Promise((resolve, reject) => {
    const onError = (error) => {
      emitter.removeListener(name, onEvent);
      if (signal != null) detach(signal, 'abort', onAbort);
      reject(error);
    };
    const onEvent = (...args) => {
      if (typeof emitter.removeListener === 'function') emitter.removeListener('error', onError);
      if (signal != null) detach(signal, 'abort', onAbort);
      resolve(args);
    };
    // An EventTarget passes its listeners' `once` through as an option of its own.
    const flags = { __proto__: null, once: true, [kResistStopPropagation()]: true };
    attach(emitter, name, onEvent, flags);
    if (name !== 'error' && typeof emitter.once === 'function') emitter.once('error', onError);
    function onAbort() {
      detach(emitter, name, onEvent);
      detach(emitter, 'error', onError);
      reject(new AbortError(undefined, { cause: signal?.reason }));
    }
    if (signal != null) attach(signal, 'abort', onAbort, { __proto__: null, once: true, [kResistStopPropagation()]: true });
  });
}

function kResistStopPropagation() {
  return require('internal/event_target').kResistStopPropagation;
}

const asyncIteratorProto = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

// A queue that does not move its items on every shift.
class Queue {
  #items = [];
  #head = 0;
  get length() {
    return this.#items.length - this.#head;
  }
  push(item) {
    this.#items.push(item);
  }
  shift() {
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }
}

function on(emitter, event, options = {}) {
  validateObject(options, 'options');
  const { signal } = options;
  validateAbortSignal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  // `highWatermark` and `lowWatermark` are the older spellings of the same options.
  const high = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  validateInteger(high, 'options.highWaterMark', 1);
  const low = options.lowWaterMark ?? options.lowWatermark ?? 1;
  validateInteger(low, 'options.lowWaterMark', 1);

  const waitingEvents = new Queue();
  const waitingPromises = new Queue();
  const attached = [];
  let paused = false;
  let error = null;
  let finished = false;
  let size = 0;

  const listen = (target, name, listener, flags) => {
    attach(target, name, listener, flags);
    attached.push([target, name, listener, flags]);
  };

  const iterator = Object.setPrototypeOf({
    next() {
      if (size) {
        const value = waitingEvents.shift();
        size--;
        if (paused && size < low) {
          emitter.resume();
          paused = false;
        }
        return Promise.resolve({ value, done: false });
      }
      if (error) {
        // The error is told once; from then on the iterator is just over.
        const rejected = Promise.reject(error);
        error = null;
        return rejected;
      }
      if (finished) return close();
      return new Promise((resolve, reject) => waitingPromises.push({ resolve, reject }));
    },
    return() {
      return close();
    },
    throw(reason) {
      if (!reason || !(reason instanceof Error)) {
        throw new ERR_INVALID_ARG_TYPE('EventEmitter.AsyncIterator', 'Error', reason);
      }
      fail(reason);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [kWatermarkData]: {
      get size() {
        return size;
      },
      get low() {
        return low;
      },
      get high() {
        return high;
      },
      get isPaused() {
        return paused;
      },
    },
  }, asyncIteratorProto);

  listen(emitter, event, options[kFirstEventParam] ? take : (...args) => take(args));
  if (event !== 'error' && typeof emitter.on === 'function') listen(emitter, 'error', fail);
  if (options.close?.length) {
    for (const name of options.close) listen(emitter, name, close);
  }
  const abortListener = signal ? addAbortListener(signal, onAbort) : null;
  return iterator;

  function onAbort() {
    fail(new AbortError(undefined, { cause: signal?.reason }));
  }

  function take(value) {
    if (waitingPromises.length === 0) {
      size++;
      if (!paused && size > high) {
        paused = true;
        emitter.pause();
      }
      waitingEvents.push(value);
    } else {
      waitingPromises.shift().resolve({ value, done: false });
    }
  }

  function fail(reason) {
    if (waitingPromises.length === 0) error = reason;
    else waitingPromises.shift().reject(reason);
    close();
  }

  function close() {
    abortListener?.[Symbol.dispose]();
    for (const [target, name, listener, flags] of attached.splice(0)) detach(target, name, listener, flags);
    finished = true;
    const result = { value: undefined, done: true };
    while (waitingPromises.length > 0) waitingPromises.shift().resolve(result);
    return Promise.resolve(result);
  }
}
