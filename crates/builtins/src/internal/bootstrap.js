'use strict';
// Bootstrap of a realm before the main script runs. Installs the globals, and the hooks through which the scheduler calls JavaScript: for uncaught
// exceptions, 'exit' and unhandled rejections. main.js decides what runs afterwards.

const scheduler = require('internal/scheduler');
const process = require('process');
const timers = require('timers');

const exceptions = () => require('internal/process/exceptions');

// Handles an uncaught exception. Returns if a handler of the program has handled the exception.
function fatal(error) {
  try {
    if (typeof process._fatalException === 'function') process._fatalException(error, false);
    else exceptions().unheard(error);
  } catch {
    exceptions().lastWords(error);
  }
}

scheduler.setHooks({
  fatal,
  beforeExit() { process.emit('beforeExit', process.exitCode || 0); },
  exit() {
    // If a listener of 'exit' has thrown and the exception was handled, 'exit' is emitted again (`src/api/hooks.cc: EmitProcessExitInternal`). Only
    // the first time, unsettled top-level awaits are reported.
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
});

process.on('warning', (warning) => require('internal/process/warnings').onWarning(warning));

// Installs `error.stack` and error messages in V8's format.
require('internal/stack').install();

// Captured at startup: a script may have replaced these functions before the first access of a lazy global.
const defineProperty = Object.defineProperty;
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;

function define(name, value, enumerable = false) {
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
}

// Defines a global whose module is loaded at the first access.
function lazy(name, load, enumerable = false) {
  Object.defineProperty(globalThis, name, {
    __proto__: null,
    configurable: true,
    enumerable,
    get() {
      const value = load();
      // If the global object is frozen, the getter stays and loads the module each time.
      if (getOwnPropertyDescriptor(globalThis, name)?.configurable) define(name, value, enumerable);
      return value;
    },
    set(value) { define(name, value, enumerable); },
  });
}

// Defines a lazy global without a setter, as Node defines `crypto` and `navigator`.
function defineReadOnlyLazy(name, load) {
  const { get } = Object.getOwnPropertyDescriptor({ get [name]() { return load(); } }, name);
  Object.defineProperty(globalThis, name, { __proto__: null, configurable: true, enumerable: true, get });
}

define('global', globalThis, true);
// Extensions of the engine that V8 does not have.
delete globalThis.InternalError;
delete Atomics.wake;
define('process', process);
for (const name of ['clearImmediate', 'setImmediate', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout']) {
  define(name, timers[name], true);
}
define('queueMicrotask', scheduler.queueMicrotask, true);

function lazyFromModule(id, names, enumerable) {
  for (const name of names) lazy(name, () => require(id)[name], enumerable);
}

lazyFromModule('internal/event_target', ['Event', 'EventTarget', 'CustomEvent']);
lazyFromModule('internal/abort_controller', ['AbortController', 'AbortSignal']);
lazyFromModule('internal/domexception', ['DOMException']);
lazyFromModule('buffer', ['Blob', 'Buffer', 'File']);
lazyFromModule('internal/encoding', ['TextDecoder', 'TextEncoder']);
lazyFromModule('internal/url', ['URL', 'URLSearchParams']);
lazyFromModule('internal/clone', ['structuredClone'], true);
lazyFromModule('buffer', ['atob', 'btoa'], true);
lazyFromModule('internal/messaging', ['MessageChannel', 'MessagePort', 'BroadcastChannel']);
lazyFromModule('internal/message_event', ['MessageEvent']);
lazyFromModule('internal/performance', ['performance'], true);
lazyFromModule('internal/performance', ['Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure']);
lazyFromModule('internal/performance/observer', ['PerformanceObserver', 'PerformanceObserverEntryList']);
lazyFromModule('internal/performance/resource_timing', ['PerformanceResourceTiming']);
defineReadOnlyLazy('crypto', () => require('internal/crypto/webcrypto').crypto);
lazyFromModule('internal/crypto/webcrypto', ['Crypto']);
lazyFromModule('internal/crypto/cryptokey', ['CryptoKey']);
lazyFromModule('internal/crypto/subtle', ['SubtleCrypto']);
defineReadOnlyLazy('navigator', () => require('internal/navigator').navigator);
lazyFromModule('internal/navigator', ['Navigator']);
lazyFromModule('internal/fetch/headers', ['Headers']);
lazy('Response', () => {
  require('internal/wasm/streaming');
  return require('internal/fetch/response').Response;
});

lazyFromModule('internal/webstreams/readable', [
  'ReadableStream', 'ReadableStreamDefaultController', 'ReadableStreamDefaultReader',
]);
lazyFromModule('internal/webstreams/readable_bytes', ['ReadableByteStreamController', 'ReadableStreamBYOBRequest']);
lazyFromModule('internal/webstreams/readable_byob', ['ReadableStreamBYOBReader']);
lazyFromModule('internal/webstreams/writable', [
  'WritableStream', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter',
]);
lazyFromModule('internal/webstreams/transform', ['TransformStream', 'TransformStreamDefaultController']);
lazyFromModule('internal/webstreams/strategies', ['ByteLengthQueuingStrategy', 'CountQueuingStrategy']);
lazyFromModule('internal/webstreams/compression', ['CompressionStream', 'DecompressionStream']);
lazyFromModule('internal/webstreams/encoding', ['TextDecoderStream', 'TextEncoderStream']);

lazy('console', () => require('console'));
