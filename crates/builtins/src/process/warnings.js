'use strict';
// `process.emitWarning`: creates warnings, emits them in a later tick and prints them.

const process = require('process');

// Creates an error with a name and without a stack.
function bare(name, message) {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 0);
  const warning = new Error(message);
  Reflect.set(Error, 'stackTraceLimit', limit);
  Object.defineProperty(warning, 'name', {
    __proto__: null, value: name, writable: true, configurable: true, enumerable: false,
  });
  return warning;
}

let hasExplained = false;
let print;

const options = require('internal/options');
const silenced = new SafeSet(options.any ? options.values('disable-warning') : []);

// Appends text to the `--redirect-warnings` file. Returns false if that is not possible.
function keep(file, text) {
  try {
    require('fs').appendFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}

function onWarning(warning) {
  if (options.has('warnings') === false || process.env.NODE_NO_WARNINGS === '1' || !(warning instanceof Error)) return;
  const deprecation = warning.name === 'DeprecationWarning';
  if (deprecation && process.noDeprecation) return;
  if (silenced.has(warning.name) || (warning.code && silenced.has(warning.code))) return;
  const trace = process.traceProcessWarnings || (deprecation && process.traceDeprecation);
  let text = `(node:${process.pid}) `;
  if (warning.code) text += `[${warning.code}] `;
  const head = `${warning.name}: ${warning.message}`;
  text += trace && warning.stack ? warning.stack : head;
  if (typeof warning.detail === 'string') text += `\n${warning.detail}`;
  if (!trace && !hasExplained) {
    hasExplained = true;
    const flag = deprecation ? '--trace-deprecation' : '--trace-warnings';
    text += `\n${require('internal/process/trace_hint').hintOf(flag, 'warning was created')}`;
  }
  const file = options.value('redirect-warnings') ?? process.env.NODE_REDIRECT_WARNINGS;
  if (file && keep(file, `${text}\n`)) return;
  // Node prints warnings with the `console.error` that is current at the first warning: a program may have monkey-patched it.
  print ??= require('console').error;
  print(text);
}

function doEmit(warning) {
  process.emit('warning', warning);
}

function emitWarning(warning, type, code, ctor) {
  let detail;
  if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
    ctor = type.ctor;
    code = type.code;
    if (typeof type.detail === 'string') detail = type.detail;
    type = type.type || 'Warning';
  } else if (typeof type === 'function') {
    ctor = type;
    code = '';
    type = 'Warning';
  }
  const { validateString } = require('internal/validators');
  if (type !== undefined) validateString(type, 'type');
  if (typeof code === 'function') {
    ctor = code;
    code = undefined;
  } else if (code !== undefined) {
    validateString(code, 'code');
  }
  if (typeof warning === 'string') {
    warning = bare(String(type || 'Warning'), warning);
    if (code) warning.code = code;
    if (detail) warning.detail = detail;
    Error.captureStackTrace(warning, ctor || process.emitWarning);
  } else if (!(warning instanceof Error)) {
    const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
    throw new ERR_INVALID_ARG_TYPE('warning', ['Error', 'string'], warning);
  }
  if (warning.name === 'DeprecationWarning') {
    if (process.noDeprecation) return;
    if (process.throwDeprecation) {
      process.nextTick(() => { throw warning; });
      return;
    }
  }
  process.nextTick(doEmit, warning);
}

// Warns that a script loaded as CommonJS has ES module syntax. The warning is printed immediately, because loading fails next.
function warnOfModule(filename) {
  doEmit(bare('Warning', `Failed to load the ES module: ${filename}. Make sure to set "type": "module" in the nearest ` +
    'package.json file or use the .mjs extension.'));
}

module.exports = { emitWarning, onWarning, bare, warnOfModule };
