'use strict';
// What happens before the main script: globals, and the hooks by which the scheduler calls JavaScript.

const scheduler = require('internal/scheduler');
const process = require('process');
const timers = require('timers');

const exceptions = () => require('internal/process/exceptions');

// Returns if somebody has handled it.
function fatal(error) {
  try {
    if (typeof process._fatalException === 'function') process._fatalException(error, false);
    else exceptions().unheard(error);
  } catch {
    // Something of the language that this needs is not what it was.
    scheduler.mend();
    exceptions().lastWords(error);
  }
}

scheduler.setHooks({
  fatal,
  beforeExit() { process.emit('beforeExit', process.exitCode || 0); },
  exit() {
    // As Node: also if a listener has thrown before, and that was handled.
    if (!process._exiting && process.exitCode === undefined) {
      const warning = require('internal/modules/cjs').unsettled();
      if (warning !== undefined) {
        process.exitCode = 13;
        process.once('exit', () => { if (process.exitCode === 13 && warning !== '') process._rawDebug(warning); });
      }
    }
    process._exiting = true;
    scheduler.setExiting();
    const code = process.exitCode || 0;
    try {
      process.emit('exit', code);
    } catch (error) {
      fatal(error);
    }
    return process.exitCode ?? code;
  },
  unhandled(promise, reason, context) {
    const { asPromise } = require('internal/async_hooks/tracking');
    if (asPromise === undefined) exceptions().unhandled(promise, reason, context);
    else asPromise(promise, () => exceptions().unhandled(promise, reason, context));
  },
  rejectionHandled(promise) { exceptions().rejectionHandled(promise); },
  badCallback(value) {
    const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
    throw new ERR_INVALID_ARG_TYPE('callback', 'Function', value);
  },
  overflow(delay) {
    process.emitWarning(
      `${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
      'TimeoutOverflowWarning');
  },
});

process.on('warning', (warning) => require('internal/process/warnings').onWarning(warning));

// Stacks are in V8's form. Nothing is loaded before one is asked for.
{
  const { get: read } = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
  const stack = () => require('internal/stack');
  native.readSites = read;
  native.accessors = {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() { return stack().first(this, read); },
    set(value) { stack().set(this, value); },
  };
  Object.defineProperty(Error.prototype, 'stack', native.accessors);
  const capture = Error.captureStackTrace;
  Error.captureStackTrace = function captureStackTrace(target, above) {
    const below = typeof above === 'function' ? above : captureStackTrace;
    capture(target, below);
    stack().captured(target, below.name);
  };
  Object.defineProperty(Error, 'captureStackTrace', { __proto__: null, enumerable: false });
  native.thrown = native.watchErrors();
  // As Node's: what stacks are made by unless a program has another.
  native.prepareStackTrace = function ErrorPrepareStackTrace(error, sites) { return stack().prepared(error, sites); };
  Object.defineProperty(Error, 'prepareStackTrace', {
    __proto__: null, value: native.prepareStackTrace, writable: true, configurable: true, enumerable: false,
  });
  native.explainJson((error, given, parsing) => require('internal/json')(error, given, parsing));
}

// Kept, as a script may have replaced them when it asks for a global.
const { defineProperty, getOwnPropertyDescriptor } = Object;

function define(name, value, enumerable = false) {
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
}

// A global that is loaded when it is first asked for.
function lazy(name, load, enumerable = false) {
  Object.defineProperty(globalThis, name, {
    __proto__: null,
    configurable: true,
    enumerable,
    get() {
      const value = load();
      // A frozen global object keeps the getter.
      if (getOwnPropertyDescriptor(globalThis, name)?.configurable) define(name, value, enumerable);
      return value;
    },
    set(value) { define(name, value, enumerable); },
  });
}

// One that cannot be set, as Node's.
function given(name, load) {
  const { get } = Object.getOwnPropertyDescriptor({ get [name]() { return load(); } }, name);
  Object.defineProperty(globalThis, name, { __proto__: null, configurable: true, enumerable: true, get });
}

define('global', globalThis, true);
// The engine's own, which V8 does not have.
delete globalThis.InternalError;
for (const name of ['fileName', 'lineNumber', 'columnNumber']) delete Function.prototype[name];
define('process', process);
for (const name of ['clearImmediate', 'setImmediate', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout']) {
  define(name, timers[name], true);
}
define('queueMicrotask', scheduler.queueMicrotask, true);

function lazyFrom(id, names, enumerable) {
  for (const name of names) lazy(name, () => require(id)[name], enumerable);
}

lazyFrom('internal/event_target', ['Event', 'EventTarget', 'CustomEvent']);
lazyFrom('internal/abort_controller', ['AbortController', 'AbortSignal']);
lazyFrom('internal/domexception', ['DOMException']);
lazyFrom('buffer', ['Blob', 'Buffer', 'File']);
lazyFrom('internal/encoding', ['TextDecoder', 'TextEncoder']);
lazyFrom('internal/url', ['URL', 'URLSearchParams']);
lazyFrom('internal/clone', ['structuredClone'], true);
lazyFrom('buffer', ['atob', 'btoa'], true);
lazyFrom('internal/messaging', ['MessageChannel', 'MessagePort', 'BroadcastChannel']);
lazyFrom('internal/message_event', ['MessageEvent']);
lazyFrom('internal/performance', ['performance'], true);
lazyFrom('internal/performance', ['Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure']);
lazyFrom('internal/performance/observer', ['PerformanceObserver', 'PerformanceObserverEntryList']);
lazyFrom('internal/performance/resource_timing', ['PerformanceResourceTiming']);
given('crypto', () => require('internal/crypto/webcrypto').crypto);
lazyFrom('internal/crypto/webcrypto', ['Crypto']);
lazyFrom('internal/crypto/cryptokey', ['CryptoKey']);
lazyFrom('internal/crypto/subtle', ['SubtleCrypto']);
given('navigator', () => require('internal/navigator').navigator);
lazyFrom('internal/navigator', ['Navigator']);
lazyFrom('internal/intl', ['Intl']);
lazyFrom('internal/fetch/headers', ['Headers']);
lazyFrom('internal/fetch/response', ['Response']);

lazyFrom('internal/webstreams/readable', [
  'ReadableStream', 'ReadableStreamDefaultController', 'ReadableStreamDefaultReader',
]);
lazyFrom('internal/webstreams/readable_bytes', ['ReadableByteStreamController', 'ReadableStreamBYOBRequest']);
lazyFrom('internal/webstreams/readable_byob', ['ReadableStreamBYOBReader']);
lazyFrom('internal/webstreams/writable', [
  'WritableStream', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter',
]);
lazyFrom('internal/webstreams/transform', ['TransformStream', 'TransformStreamDefaultController']);
lazyFrom('internal/webstreams/strategies', ['ByteLengthQueuingStrategy', 'CountQueuingStrategy']);
lazyFrom('internal/webstreams/compression', ['CompressionStream', 'DecompressionStream']);
lazyFrom('internal/webstreams/encoding', ['TextDecoderStream', 'TextEncoderStream']);

lazy('console', () => require('console'));

// What the language leaves to a locale, in the realm whose globals these are. `Intl` is loaded when it is first asked.
function localize({ Array, BigInt, Date, Number, String, Uint8Array }) {
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const set = ({ prototype }, name, value) =>
    defineProperty(prototype, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  for (const { 0: Class, 1: name, 2: id, 3: verb } of [
    [String, 'toLocaleLowerCase', 'internal/intl/case', 'lower'],
    [String, 'toLocaleUpperCase', 'internal/intl/case', 'upper'],
    [Date, 'toLocaleString', 'internal/intl/dates', 'toLocaleString'],
    [Date, 'toLocaleDateString', 'internal/intl/dates', 'toLocaleDateString'],
    [Date, 'toLocaleTimeString', 'internal/intl/dates', 'toLocaleTimeString'],
    [Number, 'toLocaleString', 'internal/intl/number_format', 'ofNumber'],
    [BigInt, 'toLocaleString', 'internal/intl/number_format', 'ofBigInt'],
    [Array, 'toLocaleString', 'internal/intl/lists', 'ofArray'],
    [TypedArray, 'toLocaleString', 'internal/intl/lists', 'ofTypedArray'],
  ]) {
    const methods = {
      [name](locales = undefined, options = undefined) { return require(id)[verb](this, locales, options); },
    };
    set(Class, name, methods[name]);
  }
  const { toString, toTimeString } = Date.prototype;
  const dates = {
    __proto__: null,
    toString() { return require('internal/intl/dates').withZone('toString', this, toString); },
    toTimeString() { return require('internal/intl/dates').withZone('toTimeString', this, toTimeString); },
  };
  for (const name in dates) set(Date, name, dates[name]);
  native.keepDateText(Date, dates.toString);
  // Sorting compares again and again: this one is native.
  set(String, 'localeCompare', native.localeCompare(localeCompare));
}
localize(globalThis);

// For the native, where it does not know itself.
function localeCompare(...given) { return require('internal/intl/collator').localeCompare(...given); }

module.exports = { localize };
