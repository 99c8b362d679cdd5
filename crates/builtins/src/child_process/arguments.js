'use strict';
// Argument and option validation of `child_process`, with Node's errors.

const process = require('process');
const { Buffer } = require('buffer');
const errors = require('internal/errors');
const { signals } = require('internal/os/constants');
const { kEmptyObject } = require('internal/util');
const {
  isInt32, validateBoolean, validateFunction, validateObject, validateString,
} = require('internal/validators');

// Default `maxBuffer` in bytes.
const kMaxBuffer = 1024 * 1024;

const isNone = (value) => value === undefined || value === null;

function checkText(value, name) {
  if (typeof value === 'string' && value.includes('\0')) {
    throw new errors.ERR_INVALID_ARG_VALUE(name, value, 'must be a string without null bytes');
  }
}

function checkTexts(list, name) {
  for (let at = 0; at < list.length; at++) checkText(list[at], `${name}[${at}]`);
}

function checkTimeout(timeout) {
  if (!isNone(timeout) && !(Number.isInteger(timeout) && timeout >= 0)) {
    throw new errors.ERR_OUT_OF_RANGE('timeout', 'an unsigned integer', timeout);
  }
}

function checkMaxBuffer(maxBuffer) {
  if (!isNone(maxBuffer) && !(typeof maxBuffer === 'number' && maxBuffer >= 0)) {
    throw new errors.ERR_OUT_OF_RANGE('options.maxBuffer', 'a positive number', maxBuffer);
  }
}

// Converts the name or number of a signal to its number; throws if there is no such signal.
function signalNumber(signal) {
  if (typeof signal === 'number' && ArrayPrototypeIncludes(Object.values(signals), signal)) return signal;
  const number = typeof signal === 'string' ? signals[StringPrototypeToUpperCase(signal)] : undefined;
  if (number) return number;
  throw new errors.ERR_UNKNOWN_SIGNAL(signal);
}

const signalName = (number) => Object.keys(signals).find((name) => signals[name] === number) ?? null;

function killSignalOf(killSignal) {
  if (typeof killSignal === 'string' || typeof killSignal === 'number') return signalNumber(killSignal);
  if (!isNone(killSignal)) {
    throw new errors.ERR_INVALID_ARG_TYPE('options.killSignal', ['string', 'number'], killSignal);
  }
  return undefined;
}

function checkArgv0(argv0) {
  if (isNone(argv0)) return;
  validateString(argv0, 'options.argv0');
  checkText(argv0, 'options.argv0');
}

function checkOptions(options) {
  if (!isNone(options.detached)) validateBoolean(options.detached, 'options.detached');
  for (const name of ['uid', 'gid']) {
    if (!isNone(options[name]) && !isInt32(options[name])) {
      throw new errors.ERR_INVALID_ARG_TYPE(`options.${name}`, 'int32', options[name]);
    }
  }
  const { shell } = options;
  if (!isNone(shell) && typeof shell !== 'boolean' && typeof shell !== 'string') {
    throw new errors.ERR_INVALID_ARG_TYPE('options.shell', ['boolean', 'string'], shell);
  }
  checkArgv0(options.argv0);
  for (const name of ['windowsHide', 'windowsVerbatimArguments']) {
    if (!isNone(options[name])) validateBoolean(options[name], `options.${name}`);
  }
}

// The environment as `KEY=value` pairs. It includes inherited properties of the object (`lib/child_process.js: normalizeSpawnArguments`).
function envPairsOf(own) {
  const env = own || { ...process.env };
  const pairs = [];
  for (const key in env) {
    const value = env[key];
    if (value === undefined) continue;
    checkText(key, `options.env['${key}']`);
    checkText(value, `options.env['${key}']`);
    pairs.push(`${key}=${value}`);
  }
  return pairs;
}

function spawnOptions(file, args, options) {
  validateString(file, 'file');
  checkText(file, 'file');
  if (file.length === 0) throw new errors.ERR_INVALID_ARG_VALUE('file', file, 'cannot be empty');

  if (Array.isArray(args)) {
    args = [...args];
  } else if (isNone(args)) {
    args = [];
  } else if (typeof args !== 'object') {
    throw new errors.ERR_INVALID_ARG_TYPE('args', 'object', args);
  } else {
    options = args;
    args = [];
  }
  checkTexts(args, 'args');

  if (options === undefined) options = kEmptyObject;
  else validateObject(options, 'options');
  // Options of a polluted Object.prototype are ignored.
  options = { __proto__: null, ...options };
  let { cwd } = options;
  if (!isNone(cwd)) cwd = require('internal/fs/arguments').toPath(cwd, 'options.cwd');
  if (cwd instanceof Uint8Array) cwd = Buffer.from(cwd).toString();
  checkOptions(options);

  if (options.shell) {
    checkText(options.shell, 'options.shell');
    const command = ArrayPrototypeJoin([file, ...args], ' ');
    file = typeof options.shell === 'string' ? options.shell : '/bin/sh';
    args = ['-c', command];
  }
  ArrayPrototypeUnshift(args, typeof options.argv0 === 'string' ? options.argv0 : file);

  return {
    __proto__: null,
    ...options,
    args,
    cwd,
    detached: Boolean(options.detached),
    envPairs: envPairsOf(options.env),
    file,
    windowsHide: Boolean(options.windowsHide),
    windowsVerbatimArguments: Boolean(options.windowsVerbatimArguments),
  };
}

function execOptions(command, options, callback) {
  validateString(command, 'command');
  checkText(command, 'command');
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  options = { __proto__: null, ...options };
  options.shell = typeof options.shell === 'string' ? options.shell : true;
  return { file: command, options, callback };
}

function execFileOptions(file, args, options, callback) {
  if (Array.isArray(args)) {
    args = [...args];
  } else if (!isNone(args) && typeof args === 'object') {
    [args, options, callback] = [null, args, options];
  } else if (typeof args === 'function') {
    [args, options, callback] = [null, null, args];
  }
  args ??= [];
  if (typeof options === 'function') callback = options;
  else if (!isNone(options)) validateObject(options, 'options');
  options ??= kEmptyObject;
  if (!isNone(callback)) validateFunction(callback, 'callback');
  checkArgv0(options.argv0);
  return { file, args, options, callback };
}

// Converts options to the form that the native code takes: only strings and numbers.
function nativeSpawnOptions({ file, args, envPairs, cwd, uid, gid, detached }, stdio) {
  return {
    file, args: args.map(String), envPairs: Array.isArray(envPairs) ? envPairs.map(String) : undefined, cwd, uid: uid ?? undefined, gid: gid ?? undefined,
    detached: Boolean(detached), stdio,
  };
}

module.exports = {
  checkMaxBuffer,
  checkText,
  checkTexts,
  checkTimeout,
  execFileOptions,
  execOptions,
  kMaxBuffer,
  killSignalOf,
  signalName,
  signalNumber,
  spawnOptions,
  nativeSpawnOptions,
};
