'use strict';
// The `domain` module: routes errors of emitters and callbacks to a domain. The active domains propagate like the
// store of an `AsyncLocalStorage`.

const { AsyncLocalStorage, executionAsyncId } = require('async_hooks');
const EventEmitter = require('events');
const process = require('process');
const { storeIn } = require('internal/async_hooks/storage');
const exceptions = require('internal/process/exceptions');
const {
  ERR_DOMAIN_CALLBACK_NOT_AVAILABLE, ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE, ERR_UNHANDLED_ERROR,
} = require('internal/errors');

if (process.hasUncaughtExceptionCaptureCallback()) throw new ERR_DOMAIN_CALLBACK_NOT_AVAILABLE();

// The entered domains, innermost last. Lists are immutable.
const lists = new AsyncLocalStorage();
const none = Object.freeze([]);
const last = (list) => list[list.length - 1];

// Async continuations run in the innermost domain only (`lib/domain.js: asyncHook`).
function entered() {
  const store = lists.getStore();
  if (store === undefined) return none;
  return store.list.length < 2 || store.id === executionAsyncId() ? store.list : [last(store.list)];
}

const active = () => last(entered());

// The value of `process.domain` while no domain is active: null at first and after an exception, undefined after `exit()`.
let ofNone = null;
function setEntered(list, without) {
  if (list.length === 0) ofNone = without;
  lists.enterWith({ list, id: executionAsyncId() });
}

const hide = (object, name, value) =>
  Object.defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

// The list without the occurrences of a domain at its end.
function listWithout(list, domain) {
  let end = list.length;
  while (end > 0 && list[end - 1] === domain) end--;
  return list.slice(0, end);
}

class Domain extends EventEmitter {
  constructor() {
    super();
    this.members = [];
  }

  enter() { setEntered([...entered(), this]); }

  exit() {
    const list = entered();
    const at = list.lastIndexOf(this);
    if (at !== -1) setEntered(list.slice(0, at), undefined);
  }

  add(emitter) {
    if (emitter.domain === this) return;
    emitter.domain?.remove(emitter);
    // Two domains must not contain each other.
    if (emitter instanceof Domain) {
      for (let above = this.domain; above; above = above.domain) if (above === emitter) return;
    }
    hide(emitter, 'domain', this);
    this.members.push(emitter);
  }

  remove(emitter) {
    emitter.domain = null;
    const at = this.members.indexOf(emitter);
    if (at !== -1) this.members.splice(at, 1);
  }

  // If `fn` throws, `exit` is not called: the domain on the stack handles the error.
  run(fn, ...args) {
    this.enter();
    const result = Reflect.apply(fn, this, args);
    this.exit();
    return result;
  }

  bind(callback) {
    const domain = this;
    return hide(function runBound(...args) {
      domain.enter();
      const result = Reflect.apply(callback, this, args);
      domain.exit();
      return result;
    }, 'domain', this);
  }

  intercept(callback) {
    const domain = this;
    return function runIntercepted(error, ...args) {
      if (error instanceof Error) {
        error.domainBound = callback;
        error.domainThrown = false;
        hide(error, 'domain', domain);
        domain.emit('error', error);
        return undefined;
      }
      domain.enter();
      const result = Reflect.apply(callback, this, args);
      domain.exit();
      return result;
    };
  }

  // Returns whether the domain handled an uncaught error.
  _errorHandler(error) {
    if (isObject(error)) {
      hide(error, 'domain', this);
      error.domainThrown = true;
    }
    // An error handler runs outside its own domain.
    const outer = listWithout(entered(), this);
    setEntered(outer, undefined);
    let caught = false;
    if (outer.length === 0) {
      if (this.listenerCount('error') > 0) caught = this.emit('error', error);
    } else {
      try {
        caught = this.emit('error', error);
      } catch (thrown) {
        caught = last(outer)._errorHandler(thrown);
      }
    }
    setEntered(none, null);
    return caught;
  }
}

exceptions.useDomains((error) => {
  const list = entered();
  if (list.some((domain) => domain.listenerCount('error') > 0)) return last(list)._errorHandler(error);
  setEntered(none, null);
  return false;
}, (context, reason, tellAll) => {
  // The innermost domain in which the promise was rejected.
  const domain = last(storeIn(lists, context)?.list ?? none);
  return lists.exit(() => (domain ? domain.emit('error', reason) : tellAll()));
});

const stack = new Error('require(`domain`) at this point').stack;
process.setUncaughtExceptionCaptureCallback = function() {
  const error = new ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE();
  error.stack += `\n${'-'.repeat(40)}\n${stack}`;
  throw error;
};

Object.defineProperty(process, 'domain', {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get: () => active() ?? ofNone,
  set: (domain) => setEntered(domain ? [...entered(), domain] : none, domain),
});

// New emitters belong to the active domain.
EventEmitter.usingDomains = true;
const { init } = EventEmitter;
EventEmitter.init = function(options) {
  hide(this, 'domain', this instanceof Domain ? null : active() ?? null);
  return Reflect.apply(init, this, [options]);
};

const { emit } = EventEmitter.prototype;
EventEmitter.prototype.emit = { emit(...args) {
  const { domain } = this;
  const [type, given] = args;
  const isHeard = type === 'error' && this.listenerCount(type) > 0;
  if (isHeard || domain === null || domain === undefined || this === process) return Reflect.apply(emit, this, args);
  if (type !== 'error') {
    domain.enter();
    const result = Reflect.apply(emit, this, args);
    domain.exit();
    return result;
  }
  const error = given || new ERR_UNHANDLED_ERROR();
  if (typeof error === 'object') {
    error.domainEmitter = this;
    hide(error, 'domain', domain);
    error.domainThrown = false;
  }
  const before = entered();
  setEntered(listWithout(before, last(before)), null);
  domain.emit('error', error);
  setEntered(before, null);
  return false;
} }.emit;

const create = function createDomain() { return new Domain(); };

module.exports = { Domain, create, createDomain: create };
Object.defineProperties(module.exports, {
  _stack: { __proto__: null, enumerable: true, configurable: true, get: entered },
  active: { __proto__: null, enumerable: true, configurable: true, get: () => process.domain },
});
