'use strict';
// `domain`, deprecated in Node and still required by packages: what is begun inside of one, and what its emitters tell, fails there.
// Which domain something was begun in is known by `async_hooks`, which works from the moment this is loaded.

const process = require('process');
const EventEmitter = require('events');
const { createHook } = require('async_hooks');

// Those that were entered, and not left yet.
let stack = [];

// The domains of what has not run yet, by async ids.
const begun = new Map();

createHook({
  init(id) {
    if (process.domain) begun.set(id, process.domain);
  },
  before(id) { begun.get(id)?.enter(); },
  after(id) { begun.get(id)?.exit(); },
  destroy(id) { begun.delete(id); },
}).enable();

function activate(domain) {
  module.exports.active = process.domain = domain;
}

const listens = (domain) => domain.listenerCount('error') > 0;

function updateCapture() {
  const isWanted = stack.some(listens);
  process.setUncaughtExceptionCaptureCallback(null);
  if (isWanted) process.setUncaughtExceptionCaptureCallback((error) => process.domain._errorHandler(error));
}

function mark(error, domain, extra) {
  if ((typeof error !== 'object' && typeof error !== 'function') || error === null) return;
  Object.defineProperty(error, 'domain', { __proto__: null, value: domain, configurable: true, enumerable: false, writable: true });
  Object.assign(error, extra);
}

class Domain extends EventEmitter {
  constructor() {
    super();
    this.members = [];
  }

  enter() {
    stack.push(this);
    activate(this);
    updateCapture();
  }

  // With those that were entered inside of it.
  exit() {
    const at = stack.lastIndexOf(this);
    if (at === -1) return;
    stack.splice(at);
    activate(stack.at(-1));
    updateCapture();
  }

  add(emitter) {
    if (emitter.domain === this) return;
    emitter.domain?.remove(emitter);
    // A domain in a domain that is in it would never be left.
    for (let outer = this.domain; outer && emitter instanceof Domain; outer = outer.domain) {
      if (outer === emitter) return;
    }
    Object.defineProperty(emitter, 'domain', {
      __proto__: null, value: this, configurable: true, enumerable: false, writable: true,
    });
    this.members.push(emitter);
  }

  remove(emitter) {
    emitter.domain = null;
    const at = this.members.indexOf(emitter);
    if (at !== -1) this.members.splice(at, 1);
  }

  run(call, ...values) {
    this.enter();
    const result = Reflect.apply(call, this, values);
    this.exit();
    return result;
  }

  bind(call) {
    const domain = this;
    const bound = function(...values) {
      domain.enter();
      const result = Reflect.apply(call, this, values);
      domain.exit();
      return result;
    };
    return this.#told(bound);
  }

  // A callback whose errors the domain is told of.
  intercept(call) {
    const domain = this;
    const intercepted = function(error, ...values) {
      if (error instanceof Error) {
        mark(error, domain, { domainBound: call, domainThrown: false });
        domain.emit('error', error);
        return undefined;
      }
      domain.enter();
      const result = Reflect.apply(call, this, values);
      domain.exit();
      return result;
    };
    return this.#told(intercepted);
  }

  #told(call) {
    Object.defineProperty(call, 'domain', { __proto__: null, value: this, configurable: true, enumerable: false, writable: true });
    return call;
  }

  // Something was thrown, and nobody has caught it. Whether it is handled.
  _errorHandler(error) {
    mark(error, this, { domainThrown: true });
    let isCaught = false;
    // What the listener throws is the business of the domain around this one.
    stack = stack.slice(0, Math.max(stack.lastIndexOf(this), 0));
    while (stack.at(-1) === this) stack.pop();
    const outer = stack.at(-1);
    activate(outer);
    updateCapture();
    if (!listens(this)) throw error;
    if (outer === undefined) {
      isCaught = this.emit('error', error);
    } else {
      try {
        isCaught = this.emit('error', error);
      } catch (again) {
        isCaught = outer._errorHandler(again);
      }
    }
    stack.length = 0;
    activate(null);
    updateCapture();
    return isCaught;
  }
}

const create = () => new Domain();

module.exports = { active: undefined, Domain, create, createDomain: create, get _stack() { return stack; } };

// Emitters belong to the domain that they are made in.
EventEmitter.usingDomains = true;
const { init } = EventEmitter;
EventEmitter.init = function(options) {
  const domain = this instanceof Domain ? null : process.domain ?? null;
  Object.defineProperty(this, 'domain', { __proto__: null, value: domain, configurable: true, enumerable: false, writable: true });
  return Reflect.apply(init, this, [options]);
};

const { emit } = EventEmitter.prototype;
EventEmitter.prototype.emit = function(...values) {
  const { domain } = this;
  const [type, error] = values;
  if (domain === null || domain === undefined || this === process || (type === 'error' && this.listenerCount('error') > 0)) {
    return Reflect.apply(emit, this, values);
  }
  if (type !== 'error') {
    domain.enter();
    const result = Reflect.apply(emit, this, values);
    domain.exit();
    return result;
  }
  const told = error || new (require('internal/errors').ERR_UNHANDLED_ERROR)(error);
  mark(told, domain, { domainEmitter: this, domainThrown: false });
  // The listener runs outside of the domain.
  const before = stack;
  stack = stack.filter((one) => one !== domain);
  activate(stack.at(-1));
  updateCapture();
  domain.emit('error', told);
  stack = before;
  activate(stack.at(-1));
  updateCapture();
  return false;
};
