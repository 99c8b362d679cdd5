'use strict';

// The module `util`. Printing is in inspect.js, deep comparison in comparisons.js, type checks in types.js.

const process = require('process');
const {
  customInspectSymbol,
  defineLazyProperties,
  deprecate,
  promisify,
  shouldColorize,
} = require('internal/util');
const {
  ERR_FALSY_VALUE_REJECTION,
  ERR_INVALID_ARG_TYPE,
  ERR_OUT_OF_RANGE,
} = require('internal/errors');
const {
  validateBoolean,
  validateFunction,
  validateNumber,
  validateObject,
  validateOneOf,
  validateString,
} = require('internal/validators');
const { format, formatWithOptions } = require('internal/util/format');
const { inspect, stripVTControlCharacters } = require('internal/util/inspect');
const types = require('internal/util/types');

function inherits(ctor, superCtor) {
  if (ctor === undefined || ctor === null) throw new ERR_INVALID_ARG_TYPE('ctor', 'Function', ctor);
  if (superCtor === undefined || superCtor === null) {
    throw new ERR_INVALID_ARG_TYPE('superCtor', 'Function', superCtor);
  }
  if (superCtor.prototype === undefined) {
    throw new ERR_INVALID_ARG_TYPE('superCtor.prototype', 'Object', superCtor.prototype);
  }
  Object.defineProperty(ctor, 'super_', { __proto__: null, value: superCtor, writable: true, configurable: true });
  Object.setPrototypeOf(ctor.prototype, superCtor.prototype);
}

function giveRejection(reason, callback) {
  // For a callback, a falsy error means success.
  if (!reason) reason = new ERR_FALSY_VALUE_REJECTION(reason);
  return callback(reason);
}

function callbackify(original) {
  validateFunction(original, 'original');
  function callbackified(...args) {
    const last = args.pop();
    validateFunction(last, 'last argument');
    const callback = last.bind(this);
    // The callback runs on nextTick, so that an exception that it throws is uncaught and not a rejection.
    Reflect.apply(original, this, args).then(
      (value) => process.nextTick(callback, null, value),
      (reason) => process.nextTick(giveRejection, reason, callback));
  }
  const descriptors = Object.getOwnPropertyDescriptors(original);
  if (typeof descriptors.length?.value === 'number') descriptors.length.value++;
  if (typeof descriptors.name?.value === 'string') descriptors.name.value += 'Callbackified';
  return require('internal/util').copyProperties(callbackified, descriptors);
}

function checkErrno(errno) {
  validateNumber(errno, 'err');
  if (errno >= 0 || !Number.isSafeInteger(errno)) throw new ERR_OUT_OF_RANGE('err', 'a negative integer', errno);
}

function getSystemErrorName(errno) {
  checkErrno(errno);
  return require('internal/util').getSystemErrorName(errno);
}

function getSystemErrorMessage(errno) {
  checkErrno(errno);
  return require('internal/util').getSystemErrorMessage(errno);
}

// ---- debuglog -------------------------------------------------------------------------------------------------------

let isSectionOn;
const loggers = { __proto__: null };

// NODE_DEBUG is read only once. It has the names of sections, separated by commas; `*` matches any part of a name.
function testSection(set) {
  if (isSectionOn === undefined) {
    const sections = process.env.NODE_DEBUG;
    const pattern = sections &&
      sections.replace(/[|\\{}()[\]^$+?.]/g, '\\$&').replaceAll('*', '.*').replaceAll(',', '$|^');
    const regexp = pattern && new RegExp(`^${pattern}$`, 'i');
    isSectionOn = (name) => Boolean(regexp) && regexp.test(name);
  }
  return isSectionOn(set);
}

function makeLogger(set, isOn) {
  if (!isOn) return () => {};
  if (set === 'HTTP' || set === 'HTTP2') {
    process.emitWarning(
      `Setting the NODE_DEBUG environment variable to '${set.toLowerCase()}' can expose sensitive data ` +
      '(such as passwords, tokens and authentication headers) in the resulting log.');
  }
  return (...args) => {
    const colors = shouldColorize(process.stderr);
    const text = formatWithOptions({ colors }, ...args);
    process.stderr.write(`${set} ${inspect(process.pid, { colors })}: ${text}\n`);
  };
}

function debuglog(set, callback) {
  let isOn;
  let debug;
  const test = () => (isOn ??= testSection(`${set}`.toUpperCase()));
  const logger = (...args) => {
    if (!test() && debug !== undefined) return;
    if (debug === undefined) {
      const name = `${set}`.toUpperCase();
      debug = loggers[name] ??= makeLogger(name, isOn);
      if (typeof callback === 'function') {
        Object.defineProperty(debug, 'enabled', {
          __proto__: null, get: () => isOn, configurable: true, enumerable: true,
        });
        callback(debug);
      }
    }
    debug(...args);
  };
  Object.defineProperty(logger, 'enabled', { __proto__: null, get: test, configurable: true, enumerable: true });
  return logger;
}

// ---- styleText ------------------------------------------------------------------------------------------------------

const isStreamLike = (stream) => stream !== null && typeof stream === 'object' &&
  (typeof stream.write === 'function' || typeof stream.pipe === 'function' || typeof stream.getReader === 'function' ||
   typeof stream.getWriter === 'function' || typeof stream.on === 'function');

const sequence = (code) => `\u001b[${code}m`;

// The close sequence inside the text would also end the outer style, so the outer style is opened again after it (`lib/util.js: styleText`).
function reopen(text, [open, close]) {
  const end = sequence(close);
  const isWeight = open === inspect.colors.bold[0] || open === inspect.colors.dim[0];
  return text.replaceAll(end, (match, at) => {
    if (at + match.length >= text.length) return match;
    return isWeight ? match + sequence(open) : sequence(open);
  });
}

function styleText(format, text, { validateStream = true, stream = process.stdout } = {}) {
  validateString(text, 'text');
  validateBoolean(validateStream, 'options.validateStream');
  let isPlain = false;
  if (validateStream) {
    if (!isStreamLike(stream)) {
      throw new ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
    }
    isPlain = !shouldColorize(stream);
  }
  const codes = [];
  for (const key of Array.isArray(format) ? format : [format]) {
    if (key === 'none') continue;
    const pair = inspect.colors[key];
    if (pair == null) validateOneOf(key, 'format', Object.keys(inspect.colors));
    codes.push(pair);
  }
  if (isPlain) return text;
  const opens = codes.map(([open]) => sequence(open)).join('');
  const closes = codes.map(([, close]) => sequence(close)).reverse().join('');
  return opens + codes.reduce(reopen, text) + closes;
}

// ---- Other functions

async function aborted(signal, resource) {
  if (signal === undefined) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  require('internal/validators').validateAbortSignal(signal, 'signal');
  validateObject(resource, 'resource', require('internal/validators').kValidateObjectAllowObjects);
  if (signal.aborted) return undefined;
  const { kWeakHandler } = require('internal/event_target');
  return new Promise((resolve) => {
    const options = { __proto__: null, once: true };
    // The listener is weak and `resource` owns it: both are freed together (`lib/internal/abort_controller.js: aborted`).
    if (kWeakHandler !== undefined) options[kWeakHandler] = resource;
    signal.addEventListener('abort', () => resolve(), options);
  });
}

let hasWarnedOfRename = false;

function getCallSite(...args) {
  if (!hasWarnedOfRename) {
    hasWarnedOfRename = true;
    const message = 'The `util.getCallSite` API has been renamed to `util.getCallSites()`.';
    require('process').emitWarning(message, 'ExperimentalWarning');
  }
  return getCallSites(...args);
}

// Returns the frames above the caller, parsed from a stack string.
function getCallSites(frameCount = 10, options) {
  if (options === undefined && typeof frameCount === 'object') {
    options = frameCount;
    frameCount = 10;
  }
  if (options !== undefined) {
    validateObject(options, 'options');
    if (options.sourceMap !== undefined) validateBoolean(options.sourceMap, 'options.sourceMap');
  }
  validateNumber(frameCount, 'frameCount', 1, 200);
  const sites = [];
  for (const line of require('internal/stack').linesAbove(getCallSites, frameCount).split('\n')) {
    const match = /^ {4}at (?:(.*) \((.*):(\d+):(\d+)\)|(.*):(\d+):(\d+))$/.exec(line);
    if (match === null || sites.length === frameCount) continue;
    const [, name = '', file = match[5], row = match[6], column = match[7]] = match;
    sites.push({
      __proto__: null,
      functionName: name === '<anonymous>' ? '' : name,
      scriptId: '0',
      scriptName: file,
      lineNumber: +row,
      columnNumber: +column,
      column: +column,
    });
  }
  return sites;
}

// Parses the text of a .env file.
function parseEnv(content) {
  validateString(content, 'content');
  return require('internal/util/dotenv').parse(content);
}

function isDeepStrictEqual(a, b, options) {
  const { isDeepStrictEqual: compare } = require('internal/util/comparisons');
  return compare(a, b, options);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function log(...args) {
  const now = new Date();
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map((part) => `${part}`.padStart(2, '0')).join(':');
  require('console').log('%s - %s', `${now.getDate()} ${months[now.getMonth()]} ${time}`, format(...args));
}

function _extend(target, source) {
  if (source === null || typeof source !== 'object') return target;
  for (const key of Object.keys(source).reverse()) target[key] = source[key];
  return target;
}

function _errnoException(...args) {
  checkErrno(args[0]);
  return require('internal/errors').errnoException(...args);
}

function _exceptionWithHostPort(...args) {
  checkErrno(args[0]);
  return require('internal/errors').exceptionWithHostPort(...args);
}

// Deprecated functions, each with its own warning.
const isBoolean = (arg) => typeof arg === 'boolean';
const isBuffer = (arg) => require('buffer').Buffer.isBuffer(arg);
const isNull = (arg) => arg === null;
const isNullOrUndefined = (arg) => arg === null || arg === undefined;
const isNumber = (arg) => typeof arg === 'number';
const isString = (arg) => typeof arg === 'string';
const isSymbol = (arg) => typeof arg === 'symbol';
const isUndefined = (arg) => arg === undefined;
const isObject = (arg) => arg !== null && typeof arg === 'object';
const isError = (arg) => Object.prototype.toString.call(arg) === '[object Error]' || arg instanceof Error;
const isFunction = (arg) => typeof arg === 'function';
const isPrimitive = (arg) => arg === null || (typeof arg !== 'object' && typeof arg !== 'function');

const old = (fn, name, gap, advice, code) =>
  deprecate(fn, `The \`util.${name}\` API is deprecated.${gap}Please use ${advice} instead.`, code);

module.exports = {
  _errnoException,
  _exceptionWithHostPort,
  _extend: deprecate(
    _extend, 'The `util._extend` API is deprecated. Please use ' + 'Object.assign() instead.', 'DEP0060'),
  callbackify,
  debug: debuglog,
  debuglog,
  deprecate,
  format,
  styleText,
  formatWithOptions,
  getCallSite,
  getCallSites,
  getSystemErrorMap: () => require('internal/util').getSystemErrorMap(),
  getSystemErrorName,
  getSystemErrorMessage,
  inherits,
  inspect,
  isArray: old(Array.isArray, 'isArray', ' ', '`Array.isArray()`', 'DEP0044'),
  isBoolean: old(isBoolean, 'isBoolean', '  ', '`typeof arg === "boolean"`', 'DEP0045'),
  isBuffer: old(isBuffer, 'isBuffer', ' ', '`Buffer.isBuffer()`', 'DEP0046'),
  isDeepStrictEqual,
  isNull: old(isNull, 'isNull', ' ', '`arg === null`', 'DEP0050'),
  isNullOrUndefined: old(
    isNullOrUndefined, 'isNullOrUndefined', ' ', '`arg === null || arg === undefined`', 'DEP0051'),
  isNumber: old(isNumber, 'isNumber', ' ', '`typeof arg === "number"`', 'DEP0052'),
  isString: old(isString, 'isString', '  ', '`typeof arg === "string"`', 'DEP0056'),
  isSymbol: old(isSymbol, 'isSymbol', '  ', '`arg === "symbol"`', 'DEP0057'),
  isUndefined: old(isUndefined, 'isUndefined', ' ', '`arg === undefined`', 'DEP0058'),
  isRegExp: old(types.isRegExp, 'isRegExp', ' ', '`arg instanceof RegExp`', 'DEP0055'),
  isObject: old(isObject, 'isObject', ' ', '`arg !== null && typeof arg === "object"`', 'DEP0053'),
  isDate: old(types.isDate, 'isDate', '  ', '`arg instanceof Date`', 'DEP0047'),
  isError: old(
    isError, 'isError', ' ', '`ObjectPrototypeToString(e) === "[object Error]" || e instanceof Error`', 'DEP0048'),
  isFunction: old(isFunction, 'isFunction', '  ', '`typeof arg === "function"`', 'DEP0049'),
  isPrimitive: old(
    isPrimitive, 'isPrimitive', ' ',
    '`arg === null || (typeof arg !== "object" && typeof arg !== "function")`', 'DEP0054'),
  log: deprecate(
    log,
    'The `util.log API is deprecated. Please use console.log() with a custom formatter or a third-party logger instead.',
    'DEP0059'),
  promisify,
  stripVTControlCharacters,
  toUSVString(input) {
    return `${input}`.toWellFormed();
  },
  get transferableAbortSignal() {
    return require('internal/abort_transfer').transferableAbortSignal;
  },
  get transferableAbortController() {
    return require('internal/abort_transfer').transferableAbortController;
  },
  aborted,
  types,
  parseEnv,
};

defineLazyProperties(module.exports, 'internal/util/parse_args', ['parseArgs']);
defineLazyProperties(module.exports, 'internal/encoding', ['TextDecoder', 'TextEncoder']);
defineLazyProperties(module.exports, 'internal/util/mime', ['MIMEType', 'MIMEParams']);
defineLazyProperties(module.exports, 'internal/util/diff', ['diff']);

inspect.custom = customInspectSymbol;
