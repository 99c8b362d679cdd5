'use strict';
// Event and CustomEvent. Dispatch, which sets the target and the flags, is in event_target.js.

const { ERR_INVALID_THIS, ERR_MISSING_ARGS } = require('internal/errors');
const { validateObject } = require('internal/validators');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const kType = Symbol('type');
const kTarget = Symbol('kTarget');
const kIsBeingDispatched = Symbol('kIsBeingDispatched');
const kInPassiveListener = Symbol('kInPassiveListener');
const kStop = Symbol('kStop');
const kTrustEvent = Symbol('kTrustEvent');
const kNone = Object.freeze({ __proto__: null });

function now() {
  return require('internal/performance').now();
}

function enumerable(proto, names) {
  for (const name of names) Object.defineProperty(proto, name, { __proto__: null, enumerable: true });
}

function tag(Class, name) {
  Object.defineProperty(Class.prototype, Symbol.toStringTag, {
    __proto__: null, writable: false, enumerable: false, configurable: true, value: name,
  });
}

let isEvent;

function checkEvent(value) {
  if (!isEvent(value)) throw new ERR_INVALID_THIS('Event');
}

class Event {
  #cancelable = false;
  #bubbles = false;
  #composed = false;
  #defaultPrevented = false;
  #timestamp = now();
  #propagationStopped = false;
  #trusted = false;

  static {
    isEvent = (value) => typeof value === 'object' && value !== null && #trusted in value;
  }

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    if (options != null) {
      validateObject(options, 'options');
      this.#bubbles = !!options.bubbles;
      this.#cancelable = !!options.cancelable;
      this.#composed = !!options.composed;
      if (options[kTrustEvent]) this.#trusted = true;
    }
    this[kType] = `${type}`;
    this[kTarget] = null;
    this[kIsBeingDispatched] = false;
    this[kInPassiveListener] = false;
  }

  initEvent(type, bubbles = false, cancelable = false) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    if (this[kIsBeingDispatched]) return;
    this[kType] = `${type}`;
    this.#bubbles = !!bubbles;
    this.#cancelable = !!cancelable;
  }

  stopImmediatePropagation() {
    checkEvent(this);
    // DOM Standard: `stopImmediatePropagation()` also sets the stop propagation flag.
    this.stopPropagation();
    this[kStop] = true;
  }

  preventDefault() {
    checkEvent(this);
    if (!this[kInPassiveListener]) this.#defaultPrevented = true;
  }

  get target() {
    checkEvent(this);
    return this[kTarget];
  }

  get currentTarget() {
    checkEvent(this);
    return this[kIsBeingDispatched] ? this[kTarget] : null;
  }

  get srcElement() {
    checkEvent(this);
    return this[kTarget];
  }

  get type() {
    checkEvent(this);
    return this[kType];
  }

  get cancelable() {
    checkEvent(this);
    return this.#cancelable;
  }

  get defaultPrevented() {
    checkEvent(this);
    return this.#cancelable && this.#defaultPrevented;
  }

  get timeStamp() {
    checkEvent(this);
    return this.#timestamp;
  }

  composedPath() {
    checkEvent(this);
    return this[kIsBeingDispatched] ? [this[kTarget]] : [];
  }

  get returnValue() {
    checkEvent(this);
    return !this.#cancelable || !this.#defaultPrevented;
  }

  get bubbles() {
    checkEvent(this);
    return this.#bubbles;
  }

  get composed() {
    checkEvent(this);
    return this.#composed;
  }

  get eventPhase() {
    checkEvent(this);
    return this[kIsBeingDispatched] ? Event.AT_TARGET : Event.NONE;
  }

  get cancelBubble() {
    checkEvent(this);
    return this.#propagationStopped;
  }

  set cancelBubble(value) {
    checkEvent(this);
    if (value) this.#propagationStopped = true;
  }

  stopPropagation() {
    checkEvent(this);
    this.#propagationStopped = true;
  }

  get isTrusted() {
    checkEvent(this);
    return this.#trusted;
  }

  [kInspect](depth, options) {
    checkEvent(this);
    const { name } = this.constructor;
    if (depth < 0) return name;
    const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth };
    const { inspect } = require('internal/util/inspect');
    return `${name} ${inspect({
      type: this[kType],
      defaultPrevented: this.defaultPrevented,
      cancelable: this.#cancelable,
      timeStamp: this.#timestamp,
    }, inner)}`;
  }
}

for (const [value, name] of ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'].entries()) {
  Object.defineProperty(Event, name, { __proto__: null, value, enumerable: true });
}

enumerable(Event.prototype, [
  'initEvent', 'stopImmediatePropagation', 'preventDefault', 'target', 'currentTarget', 'srcElement', 'type',
  'cancelable', 'defaultPrevented', 'timeStamp', 'composedPath', 'returnValue', 'bubbles', 'composed',
  'eventPhase', 'cancelBubble', 'stopPropagation', 'isTrusted',
]);
tag(Event, 'Event');

let isCustomEvent;

class CustomEvent extends Event {
  #detail;

  static {
    isCustomEvent = (value) => typeof value === 'object' && value !== null && #detail in value;
  }

  constructor(type, options = kNone) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() {
    if (!isCustomEvent(this)) throw new ERR_INVALID_THIS('CustomEvent');
    return this.#detail;
  }
}

enumerable(CustomEvent.prototype, ['detail']);
tag(CustomEvent, 'CustomEvent');

module.exports = {
  CustomEvent, Event, enumerable, isEvent, kInPassiveListener, kInspect, kIsBeingDispatched, kNone, kStop, kTarget,
  kTrustEvent, tag,
};
