'use strict';
// EventTarget, and NodeEventTarget, the base class of MessagePort with methods of EventEmitter. Dispatch is
// synchronous. An exception of a listener does not stop the other listeners: it is thrown again from a tick
// (`lib/internal/event_target.js: emitUncaughtException`).

const {
  ERR_EVENT_RECURSION,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_THIS,
  ERR_MISSING_ARGS,
} = require('internal/errors');
const { validateAbortSignal, validateObject } = require('internal/validators');
const { kMaxEventTargetListeners, kMaxEventTargetListenersWarned } = require('events');
const {
  CustomEvent, Event, enumerable, isEvent, kInPassiveListener, kInspect, kIsBeingDispatched, kNone, kStop, kTarget,
  kTrustEvent, tag,
} = require('internal/event');
const { Chain } = require('internal/event_listeners');
const { flags, UNLOCATED, locate } = require('internal/scheduler/trace');

const kEvents = Symbol('kEvents');
const kHandlers = Symbol('kHandlers');
const kWeakHandler = Symbol('kWeak');
const kResistStopPropagation = Symbol('kResistStopPropagation');
const kIsNodeStyleListener = Symbol('kIsNodeStyleListener');
const kCreateEvent = Symbol('kCreateEvent');
const kNewListener = Symbol('kNewListener');
const kRemoveListener = Symbol('kRemoveListener');
const kHybridDispatch = Symbol.for('nodejs.internal.kHybridDispatch');

const allowObjects = require('internal/validators').kValidateObjectAllowObjects ?? 0;

function rethrowByTick(error) {
  require('process').nextTick(() => {
    throw error;
  });
}

function rethrowRejection(promise) {
  const { then } = promise;
  if (typeof then === 'function') then.call(promise, undefined, rethrowByTick);
}

function optionsOf(options) {
  if (options === undefined || options === null) return kNone;
  if (typeof options === 'boolean') return { __proto__: null, capture: options };
  validateObject(options, 'options', allowObjects);
  return {
    __proto__: null,
    once: !!options.once,
    capture: !!options.capture,
    passive: !!options.passive,
    signal: options.signal,
    weak: options[kWeakHandler],
    resists: options[kResistStopPropagation] ?? false,
    nodeStyle: !!options[kIsNodeStyleListener],
  };
}

function isListener(listener) {
  if (typeof listener === 'function' || (typeof listener === 'object' && listener !== null)) return true;
  if (listener === undefined || listener === null) return false;
  throw new ERR_INVALID_ARG_TYPE('listener', 'EventListener', listener);
}

function initEventTarget(target) {
  target[kEvents] = new SafeMap();
  target[kMaxEventTargetListeners] = require('events').defaultMaxListeners;
  target[kMaxEventTargetListenersWarned] = false;
  target[kHandlers] = new SafeMap();
}

function isEventTarget(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && value[kEvents] !== undefined;
}

function checkTarget(value, name = 'EventTarget') {
  if (!isEventTarget(value)) throw new ERR_INVALID_THIS(name);
}

class EventTarget {
  constructor() {
    initEventTarget(this);
  }

  [kNewListener](size, type, listener, once, capture, passive, weak) {
    const limit = this[kMaxEventTargetListeners];
    if (limit > 0 && size > limit && !this[kMaxEventTargetListenersWarned]) {
      this[kMaxEventTargetListenersWarned] = true;
      const { inspect } = require('internal/util/inspect');
      const warning = new Error(
        `Possible EventTarget memory leak detected. ${size} ${type} listeners added to ` +
        `${inspect(this, { depth: -1 })}. MaxListeners is ${limit}. Use events.setMaxListeners() to increase limit`);
      warning.name = 'MaxListenersExceededWarning';
      warning.target = this;
      warning.type = type;
      warning.count = size;
      require('process').emitWarning(warning);
    }
  }

  [kRemoveListener](size, type, listener, capture) {}

  addEventListener(type, listener, options = undefined) {
    checkTarget(this);
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('type', 'listener');
    const chosen = optionsOf(options);
    if (!isListener(listener)) {
      const warning = new Error(`addEventListener called with ${listener} which has no effect.`);
      warning.name = 'AddEventListenerArgumentTypeWarning';
      warning.target = this;
      warning.type = type;
      require('process').emitWarning(warning);
      return;
    }
    if (typeof type === 'symbol') throw new ERR_INVALID_ARG_VALUE('value', type);
    type = `${type}`;
    const { signal, capture = false } = chosen;
    let tie;
    if (signal !== undefined) {
      validateAbortSignal(signal, 'options.signal');
      if (signal.aborted) return;
      // The 'abort' listener is weak, and the entry of this listener owns it: it lives as long as the entry, and neither the signal nor this target
      // keeps the other one alive.
      tie = {};
      signal.addEventListener('abort', () => this.removeEventListener(type, listener, options), {
        __proto__: null, once: true, [kWeakHandler]: tie, [kResistStopPropagation]: true,
      });
    }

    let root = this[kEvents].get(type);
    if (root === undefined) {
      root = new Chain();
      this[kEvents].set(type, root);
    }
    const known = root.find(listener, capture);
    const own = known ?? root.add(listener, chosen);
    if (tie !== undefined) (own.ties ??= []).push(tie);
    if (known !== undefined) return;
    this[kNewListener](root.size, type, listener, chosen.once ?? false, capture, chosen.passive ?? false,
                       chosen.weak);
  }

  removeEventListener(type, listener, options = undefined) {
    checkTarget(this);
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('type', 'listener');
    if (!isListener(listener)) return;
    type = `${type}`;
    // `addEventListener` accepts a boolean for `capture`, but here a boolean is ignored: only an object counts
    // (`lib/internal/event_target.js: removeEventListener`).
    const capture = options?.capture === true;
    const root = this[kEvents].get(type);
    if (root === undefined) return;
    const found = root.find(listener, capture);
    if (found === undefined) return;
    found.remove();
    if (root.size === 0) this[kEvents].delete(type);
    this[kRemoveListener](root.size, type, listener, capture);
  }

  dispatchEvent(event) {
    checkTarget(this);
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('event');
    if (!isEvent(event)) throw new ERR_INVALID_ARG_TYPE('event', 'Event', event);
    if (event[kIsBeingDispatched]) throw new ERR_EVENT_RECURSION(event.type);
    this[kHybridDispatch](event, event.type, event);
    return event.defaultPrevented !== true;
  }

  // Calls the listeners. A listener added by `on()` receives `value`; one added by `addEventListener()` receives an event object, which is created
  // for the first such listener.
  [kHybridDispatch](value, type, event) {
    const root = this[kEvents].get(type);
    if (event === undefined) {
      const only = root?.next;
      if (only === undefined) return;
      if (only.next === undefined && only.isPlain) {
        if (flags[UNLOCATED] !== 0) locate(only.listener);
        try {
          const result = only.callback.call(this, value);
          if (result !== undefined && result !== null) rethrowRejection(result);
        } catch (error) {
          rethrowByTick(error);
        }
        return;
      }
    }

    const begin = () => {
      if (event === undefined) {
        event = this[kCreateEvent](value, type);
        event[kTarget] = this;
        event[kIsBeingDispatched] = true;
      }
      return event;
    };
    if (event !== undefined) {
      event[kTarget] = this;
      event[kIsBeingDispatched] = true;
    }

    let each = root?.next;
    while (each !== undefined && (root.resists || event?.[kStop] !== true)) {
      const { next } = each;
      if (each.removed || (event?.[kStop] === true && !each.resists)) {
        each = next;
        continue;
      }
      const liveListener = each.liveListener();
      if (each.once) {
        each.remove();
        if (root.size === 0 && this[kEvents].get(type) === root) this[kEvents].delete(type);
        this[kRemoveListener](root.size, type, liveListener, each.capture);
      }
      try {
        let argument;
        if (each.nodeStyle) {
          argument = value;
        } else {
          argument = begin();
          argument[kInPassiveListener] = each.passive;
        }
        const callback = each.weak ? liveListener : each.callback;
        let result;
        if (flags[UNLOCATED] !== 0) locate(liveListener);
        if (callback) result = callback.call(this, argument);
        if (!each.nodeStyle) argument[kInPassiveListener] = false;
        if (result !== undefined && result !== null) rethrowRejection(result);
      } catch (error) {
        rethrowByTick(error);
      }
      each = next;
    }
    if (event !== undefined) event[kIsBeingDispatched] = false;
  }

  [kCreateEvent](value, type) {
    return new CustomEvent(type, { detail: value });
  }

  [kInspect](depth, options) {
    const { name } = this.constructor;
    if (depth < 0) return name;
    const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth };
    const { inspect } = require('internal/util/inspect');
    return `${name} ${inspect({}, inner)}`;
  }
}

enumerable(EventTarget.prototype, ['addEventListener', 'removeEventListener', 'dispatchEvent']);
tag(EventTarget, 'EventTarget');

// ---- NodeEventTarget: methods of EventEmitter on an EventTarget

function initNodeEventTarget(target) {
  initEventTarget(target);
}

class NodeEventTarget extends EventTarget {
  static defaultMaxListeners = 10;

  constructor() {
    super();
    initNodeEventTarget(this);
  }

  setMaxListeners(n) {
    checkTarget(this, 'NodeEventTarget');
    require('events').setMaxListeners(n, this);
  }

  getMaxListeners() {
    checkTarget(this, 'NodeEventTarget');
    return this[kMaxEventTargetListeners];
  }

  eventNames() {
    checkTarget(this, 'NodeEventTarget');
    return Array.from(this[kEvents].keys());
  }

  listenerCount(type) {
    checkTarget(this, 'NodeEventTarget');
    return this[kEvents].get(String(type))?.size ?? 0;
  }

  off(type, listener, options) {
    checkTarget(this, 'NodeEventTarget');
    this.removeEventListener(type, listener, options);
    return this;
  }

  removeListener(type, listener, options) {
    checkTarget(this, 'NodeEventTarget');
    this.removeEventListener(type, listener, options);
    return this;
  }

  on(type, listener) {
    checkTarget(this, 'NodeEventTarget');
    this.addEventListener(type, listener, { [kIsNodeStyleListener]: true });
    return this;
  }

  addListener(type, listener) {
    checkTarget(this, 'NodeEventTarget');
    this.addEventListener(type, listener, { [kIsNodeStyleListener]: true });
    return this;
  }

  emit(type, argument) {
    checkTarget(this, 'NodeEventTarget');
    require('internal/validators').validateString(type, 'type');
    const hadListeners = this.listenerCount(type) > 0;
    this[kHybridDispatch](argument, type);
    return hadListeners;
  }

  once(type, listener) {
    checkTarget(this, 'NodeEventTarget');
    this.addEventListener(type, listener, { once: true, [kIsNodeStyleListener]: true });
    return this;
  }

  removeAllListeners(type) {
    checkTarget(this, 'NodeEventTarget');
    if (type !== undefined) this[kEvents].delete(String(type));
    else this[kEvents].clear();
    return this;
  }
}

enumerable(NodeEventTarget.prototype, [
  'setMaxListeners', 'getMaxListeners', 'eventNames', 'listenerCount', 'off', 'removeListener', 'on', 'addListener',
  'once', 'emit', 'removeAllListeners',
]);

function listenersOf(target, type) {
  const listeners = [];
  for (let each = target[kEvents].get(type)?.next; each !== undefined; each = each.next) {
    const liveListener = each.liveListener();
    if (liveListener !== undefined) listeners.push(liveListener);
  }
  return listeners;
}

// Defines the property `on<name>`. If the handler is replaced, its wrapper keeps its place in the list of listeners
// (`lib/internal/event_target.js: defineEventHandler`).
function defineEventHandler(proto, name, event = name) {
  function get() {
    return this[kHandlers]?.get(event)?.handler ?? null;
  }
  function set(value) {
    let wrapper = this[kHandlers].get(event);
    if (wrapper === undefined) {
      wrapper = function(...args) {
        if (typeof wrapper.handler !== 'function') return undefined;
        return Reflect.apply(wrapper.handler, this, args);
      };
      wrapper.handler = value;
      this.addEventListener(event, wrapper);
    } else {
      const root = this[kEvents].get(event);
      if (typeof wrapper.handler === 'function' && root !== undefined) {
        root.size--;
        this[kRemoveListener](root.size, event, wrapper.handler, false);
      }
      wrapper.handler = value;
      if (typeof value === 'function' && root !== undefined) {
        root.size++;
        this[kNewListener](root.size, event, value, false, false, false, undefined);
      }
    }
    this[kHandlers].set(event, wrapper);
  }
  Object.defineProperty(get, 'name', { __proto__: null, value: `get on${name}` });
  Object.defineProperty(set, 'name', { __proto__: null, value: `set on${name}` });
  Object.defineProperty(proto, `on${name}`, { __proto__: null, get, set, configurable: true, enumerable: true });
}

module.exports = {
  Event,
  CustomEvent,
  EventTarget,
  NodeEventTarget,
  defineEventHandler,
  initNodeEventTarget,
  isEventTarget,
  listenersOf,
  kCreateEvent,
  kHybridDispatch,
  kMaxEventTargetListeners,
  kNewListener,
  kRemoveListener,
  kResistStopPropagation,
  kTrustEvent,
  kWeakHandler,
};
