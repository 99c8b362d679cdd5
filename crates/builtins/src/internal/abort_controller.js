'use strict';
// AbortController and AbortSignal, with `AbortSignal.timeout()` and `AbortSignal.any()`. Aborting dispatches the
// 'abort' event synchronously, first on the signal, then on the composite signals (made by `any()`) that depend on it.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS } = require('internal/errors');
const { validateUint32 } = require('internal/validators');
const {
  Event,
  EventTarget,
  defineEventHandler,
  kMaxEventTargetListeners,
  kNewListener,
  kRemoveListener,
  kTrustEvent,
} = require('internal/event_target');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const kDontThrow = Symbol('kDontThrowSymbol');
const kAborted = Symbol('kAborted');
const kReason = Symbol('kReason');
const kTimeout = Symbol('kTimeout');
const kComposite = Symbol('kComposite');
const kSources = Symbol('kSourceSignals');
const kFollowers = Symbol('kDependantSignals');

// Strong references to signals that have listeners and that only a timer or a source signal can abort. Without them the garbage collector could free
// such a signal before its event (`lib/internal/abort_controller.js: gcPersistentSignals`).
const persistentSignals = new SafeSet();

function inspectAs(self, properties, depth, options) {
  if (depth < 0) return self;
  const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
  return `${self.constructor.name} ${require('internal/util/inspect').inspect(properties, inner)}`;
}

function isSignal(value) {
  return value !== null && typeof value === 'object' && value[kAborted] !== undefined;
}

function checkSignal(value) {
  if (!isSignal(value)) throw new ERR_INVALID_THIS('AbortSignal');
}

class AbortSignal extends EventTarget {
  constructor(mark = undefined) {
    if (mark !== kDontThrow) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super();
    // A signal is often shared by many operations: do not emit MaxListenersExceededWarning.
    this[kMaxEventTargetListeners] = 0;
    this[kAborted] = false;
    this[kReason] = undefined;
    this[kComposite] = false;
    this[kSources] = undefined;
    this[kFollowers] = undefined;
  }

  get aborted() {
    checkSignal(this);
    return !!this[kAborted];
  }

  get reason() {
    checkSignal(this);
    return this[kReason];
  }

  throwIfAborted() {
    checkSignal(this);
    if (this[kAborted]) throw this[kReason];
  }

  [kInspect](depth, options) {
    return inspectAs(this, { aborted: this.aborted }, depth, options);
  }

  static abort(reason = new (require('internal/domexception').DOMException)('This operation was aborted', 'AbortError')) {
    const signal = new AbortSignal(kDontThrow);
    signal[kAborted] = true;
    signal[kReason] = reason;
    return signal;
  }

  static timeout(delay) {
    validateUint32(delay, 'delay', false);
    const signal = new AbortSignal(kDontThrow);
    signal[kTimeout] = true;
    const weak = new SafeWeakRef(signal);
    // The timer has a weak reference, so that it does not keep alive a signal without listeners.
    require('timers').setTimeout(() => {
      const target = weak.deref();
      if (target === undefined) return;
      persistentSignals.delete(target);
      const { DOMException } = require('internal/domexception');
      abort(target, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, delay).unref();
    return signal;
  }

  static any(signals) {
    const sources = signalsOf(signals);
    const result = new AbortSignal(kDontThrow);
    for (const signal of sources) {
      if (signal[kAborted]) {
        result[kAborted] = true;
        result[kReason] = signal[kReason];
        return result;
      }
    }
    result[kComposite] = true;
    result[kSources] = new SafeSet();
    const weak = new SafeWeakRef(result);
    const seen = new SafeSet();
    for (const signal of sources) {
      // Dependencies are one level deep: the result depends on the sources of a composite signal, not on the composite signal.
      if (!signal[kComposite]) seen.add(signal);
      else for (const source of signal[kSources]) seen.add(source.deref());
    }
    for (const source of seen) {
      if (source === undefined) continue;
      source[kFollowers] ??= new SafeSet();
      source[kFollowers].add(weak);
      result[kSources].add(new SafeWeakRef(source));
      // Keep both signals alive: there may be no other reference to the timeout signal, and only it can abort the composite signal.
      if (source[kTimeout]) persistentSignals.add(source).add(result);
    }
    return result;
  }

  [kNewListener](size, type, listener, once, capture, passive, weak) {
    super[kNewListener](size, type, listener, once, capture, passive, weak);
    if (type !== 'abort' || this[kAborted] || weak) return;
    if (this[kTimeout] || (this[kComposite] && this[kSources].size > 0)) persistentSignals.add(this);
  }

  [kRemoveListener](size, type, listener, capture) {
    super[kRemoveListener](size, type, listener, capture);
    if (type === 'abort' && size === 0) persistentSignals.delete(this);
  }
}

function signalsOf(signals) {
  // Converts the argument like a WebIDL sequence: any iterable object is accepted.
  const iterate = signals === null || typeof signals !== 'object' ? undefined : signals[Symbol.iterator];
  if (typeof iterate !== 'function') {
    const error = new TypeError('Value can not be converted to sequence.');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  }
  const list = [...signals];
  for (let i = 0; i < list.length; i++) {
    if (!isSignal(list[i])) throw new ERR_INVALID_ARG_TYPE(`signals[${i}]`, 'AbortSignal', list[i]);
  }
  return list;
}

defineEventHandler(AbortSignal.prototype, 'abort');
Object.defineProperty(AbortSignal.prototype, 'aborted', { __proto__: null, enumerable: true });
Object.defineProperty(AbortSignal.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'AbortSignal',
});

// Sets the state of the signal and of all its dependents before any event: every listener sees all of them aborted.
function abort(signal, reason) {
  if (signal[kAborted]) return;
  signal[kAborted] = true;
  signal[kReason] = reason;
  const followers = [];
  for (const weak of signal[kFollowers] ?? []) {
    const follower = weak.deref();
    if (follower !== undefined && !follower[kAborted]) {
      follower[kAborted] = true;
      follower[kReason] = reason;
      followers.push(follower);
    }
  }
  dispatchAbort(signal);
  for (const follower of followers) dispatchAbort(follower);
}

function dispatchAbort(signal) {
  persistentSignals.delete(signal);
  signal.dispatchEvent(new Event('abort', { [kTrustEvent]: true }));
}

let isController;

class AbortController {
  #signal;

  get signal() {
    if (!isController(this)) throw new ERR_INVALID_THIS('AbortController');
    this.#signal ??= new AbortSignal(kDontThrow);
    return this.#signal;
  }

  abort(reason = new (require('internal/domexception').DOMException)('This operation was aborted', 'AbortError')) {
    if (!isController(this)) throw new ERR_INVALID_THIS('AbortController');
    this.#signal ??= new AbortSignal(kDontThrow);
    abort(this.#signal, reason);
  }

  [kInspect](depth, options) {
    return inspectAs(this, { signal: this.signal }, depth, options);
  }

  static {
    isController = (value) => value !== null && typeof value === 'object' && #signal in value;
  }
}

for (const name of ['signal', 'abort']) {
  Object.defineProperty(AbortController.prototype, name, { __proto__: null, enumerable: true });
}
Object.defineProperty(AbortController.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'AbortController',
});

module.exports = {
  AbortController,
  AbortSignal,
  abort,
  isSignal,
  makeSignal: () => new AbortSignal(kDontThrow),
};
