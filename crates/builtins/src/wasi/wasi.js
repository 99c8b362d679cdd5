'use strict';
// The module `wasi`: the class WASI, as `lib/wasi.js`. The functions that a WebAssembly module imports are in preview1.js.

const process = require('process');
const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_WASI_ALREADY_STARTED } = require('internal/errors');
const {
  validateArray, validateBoolean, validateFunction, validateInt32, validateObject, validateString,
} = require('internal/validators');
const { Preview1 } = require('internal/wasi/preview1');

const kExitCode = Symbol('kExitCode');
const kSetMemory = Symbol('kSetMemory');
const kStarted = Symbol('kStarted');
const kInstance = Symbol('kInstance');
const kBindingName = Symbol('kBindingName');

process.emitWarning('WASI is an experimental feature and might change at any time', 'ExperimentalWarning');

function validateUndefined(value, name) {
  if (value !== undefined) throw new ERR_INVALID_ARG_TYPE(name, 'undefined', value);
}

const bindingNames = { __proto__: null, unstable: 'wasi_unstable', preview1: 'wasi_snapshot_preview1' };

// Validates an object, and maps its entries with `join`, which returns an array for each.
function listed(object, name, join) {
  if (object === undefined) return [];
  validateObject(object, name);
  return Object.entries(object).flatMap(join);
}

// Creates the import object. Its functions are bound, so that their names begin with `bound`, as in Node.
function importsOf(functions) {
  const imports = new Imports();
  for (const name of Object.keys(functions)) imports[name] = functions[name].bind(undefined);
  return imports;
}

// The class of the import object: the class of Node's binding is also called WASI.
const Imports = { WASI: class {} }.WASI;

class WASI {
  constructor(options = {}) {
    validateObject(options, 'options');
    const { version, args, env, preopens, stdin = 0, stdout = 1, stderr = 2, returnOnExit = true } = options;
    validateString(version, 'options.version');
    this[kBindingName] = bindingNames[version];
    if (this[kBindingName] === undefined) throw new ERR_INVALID_ARG_VALUE('options.version', version, 'unsupported WASI version');
    if (args !== undefined) validateArray(args, 'options.args');
    const environment = listed(env, 'options.env', ({ 0: name, 1: value }) => (value === undefined ? [] : [`${name}=${value}`]));
    const folders = listed(preopens, 'options.preopens', ({ 0: name, 1: path }) => [{ name: String(name), path: String(path) }]);
    validateInt32(stdin, 'options.stdin', 0);
    validateInt32(stdout, 'options.stdout', 0);
    validateInt32(stderr, 'options.stderr', 0);
    const preview1 = new Preview1((args ?? []).map(String), environment, folders, [stdin, stdout, stderr]);
    const imports = importsOf(preview1.functions);
    validateBoolean(returnOnExit, 'options.returnOnExit');
    if (returnOnExit) imports.proc_exit = wasiReturnOnProcExit.bind(this);
    this[kSetMemory] = function _setMemory(memory) { preview1.setMemory(memory); }.bind(undefined);
    this.wasiImport = imports;
    this[kStarted] = false;
    this[kExitCode] = 0;
    this[kInstance] = undefined;
  }

  // The module must export `_start` and must not export `_initialize`.
  start(instance) {
    setUp(this, instance);
    const { _start, _initialize } = instance.exports;
    validateFunction(_start, 'instance.exports._start');
    validateUndefined(_initialize, 'instance.exports._initialize');
    try {
      _start();
    } catch (error) {
      if (error !== kExitCode) throw error;
    }
    return this[kExitCode];
  }

  // The module must not export `_start`, and may export `_initialize`.
  initialize(instance) {
    setUp(this, instance);
    const { _start, _initialize } = instance.exports;
    validateUndefined(_start, 'instance.exports._start');
    if (_initialize !== undefined) {
      validateFunction(_initialize, 'instance.exports._initialize');
      _initialize();
    }
  }

  getImportObject() {
    return { [this[kBindingName]]: this.wasiImport };
  }
}

function setUp(wasi, instance) {
  if (wasi[kStarted]) throw new ERR_WASI_ALREADY_STARTED();
  wasi[kStarted] = true;
  validateObject(instance, 'instance');
  validateObject(instance.exports, 'instance.exports');
  wasi[kInstance] = instance;
  wasi[kSetMemory](instance.exports.memory);
}

// Ends the WebAssembly module by an exception, because `proc_exit` must not return.
function wasiReturnOnProcExit(code) {
  this[kExitCode] = code;
  throw kExitCode;
}

module.exports = { WASI };
