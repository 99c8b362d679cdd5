'use strict';
// The `vm` module: scripts that are compiled separately, and contexts to run them in. The engine part is in
// `phasor-js`.
//
// Not implemented: `measureMemory`, `microtaskMode` (rejected).

const process = require('process');
const engine = require('internal/vm/engine');
const { scripts } = require('internal/modules/dynamic');
const { withAttributes } = require('internal/modules/cjs');
const { has } = require('internal/options');
const { within } = require('internal/vm/limits');
const place = require('internal/vm/place');
const {
  kValidateObjectAllowArray, kValidateObjectAllowNullable, validateArray, validateBoolean, validateBuffer, validateFunction,
  validateInt32, validateObject, validateOneOf, validateString, validateStringArray, validateUint32,
} = require('internal/validators');

const none = Object.freeze({ __proto__: null });

const constants = Object.freeze({
  __proto__: null,
  USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default'),
  DONT_CONTEXTIFY: Symbol('vm_context_no_contextify'),
});

let isWarned = false;
function warnOnce() {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER is an experimental feature and might change at any time', 'ExperimentalWarning');
}

// Records the `importModuleDynamically` option of code with this file name. Returns the referrer of `import()` in the code if the option is
// a function that may be called.
function noteImports(file, option) {
  if (typeof option === 'function' && has('experimental-vm-modules')) {
    const referrer = { url: file, isVm: true, importDynamically: undefined };
    return { referrer, bind: (script) => { referrer.importDynamically = require('internal/vm/module').importer(option, script); } };
  }
  if (option === constants.USE_MAIN_CONTEXT_DEFAULT_LOADER) {
    warnOnce();
  } else if (option !== undefined) {
    validateFunction(option, 'options.importModuleDynamically');
  }
  if (option === constants.USE_MAIN_CONTEXT_DEFAULT_LOADER) scripts.delete(file);
  else scripts.set(file, option === undefined ? 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING' : 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG');
  return undefined;
}

// The value of the last magic comment `kind` (`sourceURL` or `sourceMappingURL`) in a text.
function magic(text, kind) {
  if (!text.includes(kind)) return undefined;
  const all = [...text.matchAll(new RegExp(`^[^\\n]*//[#@][ \\t]${kind}=([^\\s'"]*)[ \\t]*$`, 'gm'))];
  return all.at(-1)?.[1] || undefined;
}

const withoutShebang = (text) => (text.startsWith('#!') ? `//${text.slice(2)}` : text);

// Internal option: the realm to compile a script in.
const kRealm = Symbol('realm');

// Internal data of `Script` objects.
const scriptData = new WeakMap();

class ContextifyScript {
  createCachedData() {
    return require('internal/vm/cache').produce(scriptData.get(this));
  }
}

class Script extends ContextifyScript {
  constructor(code, options = none) {
    code = `${code}`;
    if (typeof options === 'string') options = { filename: options };
    else validateObject(options, 'options');
    const {
      filename = 'evalmachine.<anonymous>', lineOffset = 0, columnOffset = 0, cachedData, produceCachedData = false,
      importModuleDynamically, [kRealm]: realm,
    } = options;
    validateString(filename, 'options.filename');
    validateInt32(lineOffset, 'options.lineOffset');
    validateInt32(columnOffset, 'options.columnOffset');
    if (cachedData !== undefined) validateBuffer(cachedData, 'options.cachedData');
    validateBoolean(produceCachedData, 'options.produceCachedData');
    super();
    const sourceURL = magic(code, 'sourceURL');
    const made = { code, text: withoutShebang(code), file: sourceURL ?? filename, lineOffset, columnOffset, realm };
    const imports = noteImports(made.file, importModuleDynamically);
    made.referrer = imports?.referrer;
    imports?.bind(this);
    const cache = cachedData === undefined && !produceCachedData ? undefined : require('internal/vm/cache');
    made.run = cachedData === undefined || realm !== undefined ? undefined : cache.consume(made, cachedData);
    if (cachedData !== undefined) this.cachedDataRejected = made.run === undefined;
    made.run ??= compile(made, Script);
    scriptData.set(this, made);
    if (produceCachedData) cache.attach(this, made);
    this.sourceURL = sourceURL;
    this.sourceMapURL = magic(code, 'sourceMappingURL');
  }

  runInThisContext(options) {
    const { run, decorate } = prepared(scriptData.get(this), undefined, options, Script.prototype.runInThisContext);
    try {
      return run();
    } catch (error) {
      throw decorate(error);
    }
  }

  runInContext(contextifiedObject, options) {
    const { run, decorate } = prepared(scriptData.get(this), realmOf(contextifiedObject), options, Script.prototype.runInContext);
    try {
      return run();
    } catch (error) {
      throw decorate(error);
    }
  }

  runInNewContext(contextObject, options) {
    const context = createContext(contextObject, contextOptions(options));
    return this.runInContext(context, options);
  }
}

// Returns the function that runs a script with the given options, and its error decorator. The caller runs it, to
// keep the number of stack frames small.
function prepared(made, realm, options = none, from) {
  validateObject(options, 'options');
  const { timeout, displayErrors = true, breakOnSigint = false } = options;
  if (timeout !== undefined) validateUint32(timeout, 'options.timeout', true);
  validateBoolean(displayErrors, 'options.displayErrors');
  validateBoolean(breakOnSigint, 'options.breakOnSigint');
  // Recompile a script for another realm: its globals differ.
  const own = made.realm === realm ? made.run : compile({ ...made, realm }, from);
  const isLimited = timeout !== undefined || breakOnSigint;
  return {
    run: isLimited ? () => within(own, timeout, breakOnSigint, from) : own,
    decorate: displayErrors ? place.thrown : (error) => error,
  };
}

// Compiles a text to a function. Frames above `from` are hidden in compile errors.
function compile(made, from) {
  const { code, text, file, lineOffset, columnOffset, linesBefore = 0 } = made;
  try {
    const run = engine.compile(withAttributes(text, false), file, lineOffset - linesBefore, made.realm, made.referrer);
    place.know(file, code, lineOffset, columnOffset);
    return run;
  } catch (error) {
    throw place.unread(error, made, from);
  }
}

function createScript(code, options) {
  return new Script(code, options);
}

function runInThisContext(code, options) {
  if (typeof options === 'string') options = { filename: options };
  return createScript(code, options).runInThisContext(options);
}

function isContext(object) {
  validateObject(object, 'object', kValidateObjectAllowArray);
  return isMade && realms().of(object) !== undefined;
}

// Load the context code when the first context is created.
let isMade = false;
const realms = () => require('internal/vm/realm');

function realmOf(contextifiedObject) {
  if (isContext(contextifiedObject)) return realms().of(contextifiedObject);
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  throw new ERR_INVALID_ARG_TYPE('contextifiedObject', 'vm.Context', contextifiedObject);
}

// Translates the context options of `runInNewContext` to those of `createContext`.
function contextOptions(options) {
  if (!options) return {};
  const { contextName: name, contextOrigin: origin, contextCodeGeneration, microtaskMode } = options;
  if (name !== undefined) validateString(name, 'options.contextName');
  if (origin !== undefined) validateString(origin, 'options.contextOrigin');
  let codeGeneration;
  if (contextCodeGeneration !== undefined) {
    validateObject(contextCodeGeneration, 'options.contextCodeGeneration');
    const { strings, wasm } = contextCodeGeneration;
    if (strings !== undefined) validateBoolean(strings, 'options.contextCodeGeneration.strings');
    if (wasm !== undefined) validateBoolean(wasm, 'options.contextCodeGeneration.wasm');
    codeGeneration = { strings, wasm };
  }
  if (microtaskMode !== undefined) validateString(microtaskMode, 'options.microtaskMode');
  return { name, origin, codeGeneration, microtaskMode };
}

function createContext(contextObject = {}, options = none) {
  const isBare = contextObject === constants.DONT_CONTEXTIFY;
  if (!isBare && isContext(contextObject)) return contextObject;
  validateObject(options, 'options');
  const { name = '', origin, codeGeneration, microtaskMode, importModuleDynamically } = options;
  validateString(name, 'options.name');
  if (origin !== undefined) validateString(origin, 'options.origin');
  if (codeGeneration !== undefined) validateObject(codeGeneration, 'options.codeGeneration');
  const { strings = true, wasm = true } = codeGeneration ?? none;
  validateBoolean(strings, 'options.codeGeneration.strings');
  validateBoolean(wasm, 'options.codeGeneration.wasm');
  validateOneOf(microtaskMode, 'options.microtaskMode', ['afterEvaluate', undefined]);
  if (microtaskMode !== undefined) {
    const { ERR_FEATURE_UNAVAILABLE_ON_PLATFORM } = require('internal/errors');
    throw new ERR_FEATURE_UNAVAILABLE_ON_PLATFORM('options.microtaskMode');
  }
  if (importModuleDynamically !== undefined && importModuleDynamically !== constants.USE_MAIN_CONTEXT_DEFAULT_LOADER) {
    validateFunction(importModuleDynamically, 'options.importModuleDynamically');
  }
  isMade = true;
  return realms().make(isBare ? undefined : contextObject, strings);
}

function runInContext(code, contextifiedObject, options) {
  const realm = realmOf(contextifiedObject);
  const given = typeof options === 'string' ? { filename: options, [kRealm]: realm } : { ...options, [kRealm]: realm };
  return createScript(code, given).runInContext(contextifiedObject, given);
}

function runInNewContext(code, contextObject, options) {
  const given = typeof options === 'string' ? { filename: options } : options;
  const context = createContext(contextObject, contextOptions(given));
  return runInContext(code, context, given);
}

// Source of a function around a body; the body starts on its second line.
function functionText(code, params, count) {
  const own = `(function (${params.join(', ')}) {\n${code}\n})`;
  if (count === 0) return own;
  const names = Array.from({ length: count }, (_, i) => `$${i}`);
  return `(function (${names.join(', ')}) {${names.map((name) => `with(${name})`).join('')}return ${own}})`;
}

function compileFunction(code, params, options = none) {
  validateString(code, 'code');
  validateObject(options, 'options');
  if (params !== undefined) validateStringArray(params, 'params');
  const {
    filename = '', columnOffset = 0, lineOffset = 0, cachedData, produceCachedData = false, parsingContext,
    contextExtensions = [], importModuleDynamically,
  } = options;
  validateString(filename, 'options.filename');
  validateInt32(columnOffset, 'options.columnOffset');
  validateInt32(lineOffset, 'options.lineOffset');
  if (cachedData !== undefined) validateBuffer(cachedData, 'options.cachedData');
  validateBoolean(produceCachedData, 'options.produceCachedData');
  if (parsingContext !== undefined) checkParsingContext(parsingContext);
  validateArray(contextExtensions, 'options.contextExtensions');
  contextExtensions.forEach((one, i) => validateObject(one, `options.contextExtensions[${i}]`, kValidateObjectAllowNullable));
  const imports = noteImports(filename, importModuleDynamically);
  const extensions = contextExtensions.filter((one) => one !== null);
  const text = functionText(code, params ?? [], extensions.length);
  const realm = parsingContext === undefined ? undefined : realms().of(parsingContext);
  const made = { code, text, file: filename, lineOffset, columnOffset, linesBefore: 1, realm, referrer: imports?.referrer };
  const cache = cachedData === undefined && !produceCachedData ? undefined : require('internal/vm/cache');
  const revived = cachedData === undefined || realm !== undefined ? undefined : cache.consume(made, cachedData);
  const run = revived ?? compileBody(made);
  const compiled = extensions.length === 0 ? run() : run()(...extensions);
  imports?.bind(compiled);
  if (produceCachedData) cache.attach(compiled, made);
  if (cachedData !== undefined) compiled.cachedDataRejected = revived === undefined;
  return compiled;
}

// Compiles the wrapper function around a body. Rejects a body that closes the wrapper early: the whole text would still parse.
function compileBody(made) {
  const run = compile(made, compileFunction);
  const { code, text } = made;
  const end = native.functionEnd(text);
  if (end === -1) return run;
  const at = end - text.lastIndexOf(`{\n${code}`) - 2;
  throw place.unexpected(code[at], at, made, compileFunction);
}

function checkParsingContext(value) {
  if (typeof value === 'object' && value !== null && isContext(value)) return;
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  throw new ERR_INVALID_ARG_TYPE('options.parsingContext', 'Context', value);
}

module.exports = {
  Script, createContext, createScript, runInContext, runInNewContext, runInThisContext, isContext, compileFunction, constants,
};

// As `lib/internal/process/pre_execution.js: initializeESMLoader`.
if (has('experimental-vm-modules')) {
  const { Module, SourceTextModule, SyntheticModule } = require('internal/vm/module');
  Object.assign(module.exports, { Module, SourceTextModule, SyntheticModule });
}
