'use strict';
// The `async_hooks` module: `createHook`, `AsyncResource` and the execution ids.

const { ERR_ASYNC_CALLBACK, ERR_ASYNC_TYPE, ERR_INVALID_ASYNC_ID } = require('internal/errors');
const { validateFunction, validateObject, validateString } = require('internal/validators');
const {
  DESTROY, INIT, addHook, depth, destroy, destroyWhenGone, emit, enter, hasHook, kId, kTrigger, leave, newId, removeHook, runningId,
  runningResource, runningTrigger, setRunningResource, trigger,
} = require('internal/async_hooks');
const { asyncState } = require('internal/scheduler/state');

const kContext = Symbol('context_frame');

const hookNames = ['init', 'before', 'after', 'destroy', 'promiseResolve'];

class AsyncHook {
  // The hook functions as they were when the hook was enabled.
  #functions = { __proto__: null };

  constructor(functions) {
    for (const name of hookNames) {
      const function_ = functions[name];
      if (function_ !== undefined && typeof function_ !== 'function') throw new ERR_ASYNC_CALLBACK(`hook.${name}`);
      if (function_ !== undefined) this.#functions[name] = function_;
    }
  }

  enable() {
    addHook(this, this.#functions);
    return this;
  }

  disable() {
    removeHook(this);
    return this;
  }
}

function createHook(functions) {
  validateObject(functions, 'options');
  return new AsyncHook(functions);
}

const executionAsyncId = () => runningId();
const triggerAsyncId = () => runningTrigger();

// The resource of the main script and of code outside of all async resources.
const topLevel = {};

function executionAsyncResource() {
  const known = runningResource();
  if (known !== undefined) return known;
  if (runningId() <= 1) return topLevel;
  const made = {};
  setRunningResource(made);
  return made;
}

class AsyncResource {
  #context = asyncState.context;

  constructor(type, options = {}) {
    validateString(type, 'type');
    let triggerId = options;
    let manual = false;
    if (typeof options !== 'number') {
      triggerId = options.triggerAsyncId === undefined ? trigger() : options.triggerAsyncId;
      manual = !!options.requireManualDestroy;
    }
    if (!Number.isSafeInteger(triggerId) || triggerId < -1) {
      throw new ERR_INVALID_ASYNC_ID('triggerAsyncId', triggerId);
    }
    // `lib/async_hooks.js: AsyncResource` has this property. Node sets it only with `--experimental-async-context-frame`.
    this[kContext] = undefined;
    const id = newId();
    this[kId] = id;
    this[kTrigger] = triggerId;
    if (hasHook(INIT)) {
      if (type.length === 0) throw new ERR_ASYNC_TYPE(type);
      emit(INIT, id, type, triggerId, this);
    }
    if (!manual && hasHook(DESTROY)) {
      Object.defineProperty(this, kDestroyed, { __proto__: null, value: { destroyed: false } });
      destroyWhenGone(this, id, this[kDestroyed]);
    }
  }

  runInAsyncScope(fn, thisArg, ...args) {
    const at = depth();
    enter(this[kId], this[kTrigger], this, this.#context);
    try {
      return Reflect.apply(fn, thisArg, args);
    } finally {
      this.#context = asyncState.context;
      leave(at);
    }
  }

  emitDestroy() {
    if (this[kDestroyed] !== undefined) this[kDestroyed].destroyed = true;
    destroy(this[kId]);
    return this;
  }

  asyncId() {
    return this[kId];
  }

  triggerAsyncId() {
    return this[kTrigger];
  }

  bind(fn, thisArg) {
    validateFunction(fn, 'fn');
    let self = this;
    const bound = thisArg === undefined ?
      function(...args) { return self.runInAsyncScope(fn, this, ...args); } :
      this.runInAsyncScope.bind(this, fn, thisArg);
    const { deprecate } = require('internal/util');
    const message = 'The asyncResource property on bound functions is deprecated';
    Object.defineProperties(bound, {
      length: { __proto__: null, configurable: true, enumerable: false, value: fn.length, writable: false },
      asyncResource: {
        __proto__: null,
        configurable: true,
        enumerable: true,
        get: deprecate(() => self, message, 'DEP0172'),
        set: deprecate((given) => { self = given; }, message, 'DEP0172'),
      },
    });
    return bound;
  }

  static bind(fn, type, thisArg) {
    type ||= fn.name;
    return new AsyncResource(type || 'bound-anonymous-fn').bind(fn, thisArg);
  }
}
const kDestroyed = Symbol('destroyed');

const providers = (
  'NONE DIRHANDLE DNSCHANNEL ELDHISTOGRAM FILEHANDLE FILEHANDLECLOSEREQ BLOBREADER FSEVENTWRAP FSREQCALLBACK ' +
  'FSREQPROMISE GETADDRINFOREQWRAP GETNAMEINFOREQWRAP HEAPSNAPSHOT HTTP2SESSION HTTP2STREAM HTTP2PING HTTP2SETTINGS ' +
  'HTTPINCOMINGMESSAGE HTTPCLIENTREQUEST JSSTREAM JSUDPWRAP MESSAGEPORT PIPECONNECTWRAP PIPESERVERWRAP PIPEWRAP ' +
  'PROCESSWRAP PROMISE QUERYWRAP QUIC_ENDPOINT QUIC_LOGSTREAM QUIC_PACKET QUIC_SESSION QUIC_STREAM QUIC_UDP ' +
  'SHUTDOWNWRAP SIGNALWRAP STATWATCHER STREAMPIPE TCPCONNECTWRAP TCPSERVERWRAP TCPWRAP TTYWRAP UDPSENDWRAP UDPWRAP ' +
  'SIGINTWATCHDOG WORKER WORKERCPUPROFILE WORKERCPUUSAGE WORKERHEAPSNAPSHOT WORKERHEAPSTATISTICS WRITEWRAP ZLIB ' +
  'CHECKPRIMEREQUEST PBKDF2REQUEST KEYPAIRGENREQUEST KEYGENREQUEST KEYEXPORTREQUEST CIPHERREQUEST DERIVEBITSREQUEST ' +
  'HASHREQUEST RANDOMBYTESREQUEST RANDOMPRIMEREQUEST SCRYPTREQUEST SIGNREQUEST TLSWRAP VERIFYREQUEST'
).split(' ');

module.exports = {
  get AsyncLocalStorage() {
    return require('internal/async_hooks/storage').AsyncLocalStorage;
  },
  createHook,
  executionAsyncId,
  triggerAsyncId,
  executionAsyncResource,
  asyncWrapProviders: Object.freeze({ __proto__: null, ...Object.fromEntries(providers.map((name, at) => [name, at])) }),
  AsyncResource,
};
