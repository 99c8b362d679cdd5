'use strict';
// `vm.SourceTextModule` and `vm.SyntheticModule`, behind `--experimental-vm-modules`: `lib/internal/vm/module.js`. Each engine module is
// compiled with a `record` as its referrer. The hooks for `import.meta` and `import()` in the module receive that record.

const { Buffer } = require('buffer');
const process = require('process');
const engine = require('internal/modules/engine');
const codes = require('internal/errors');
const { within } = require('internal/vm/limits');
const { isModuleNamespaceObject } = require('internal/util/types');
const {
  validateArray, validateBoolean, validateBuffer, validateFunction, validateInt32, validateObject, validateString, validateUint32,
} = require('internal/validators');

const none = Object.freeze({ __proto__: null });
const customInspect = Symbol.for('nodejs.util.inspect.custom');

let isWarned = false;
function warnOnce() {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning('VM Modules is an experimental feature and might change at any time', 'ExperimentalWarning');
}

let count = 0;
// The number of unnamed modules of each context.
const counts = new WeakMap();

function nextIdentifier(context) {
  if (context === undefined) return `vm:module(${count++})`;
  const number = counts.get(context) ?? 0;
  counts.set(context, number + 1);
  return `vm:module(${number})`;
}

// The internal data of each module: { module, record, context, requests, status, failed, isLinked }.
const inner = new SafeWeakMap();

function dataOf(object, name) {
  const data = typeof object === 'object' && object !== null ? inner.get(object) : undefined;
  if (data !== undefined) return data;
  const { ERR_INVALID_THIS } = require('internal/errors');
  throw new ERR_INVALID_THIS(name);
}

function realmOf(context) {
  return context === undefined ? undefined : require('internal/vm/realm').of(context);
}

// The status of a module, a string of `lib/internal/vm/module.js: STATUS_MAP`.
function statusOf(data) {
  if (data.failed !== undefined) return 'errored';
  if (data.status !== undefined) return data.status;
  // The engine has a status for errors of linked modules only; an error of `link()` is in `data.failed`.
  return engine.status(data.module);
}

class Module {
  constructor(options) {
    warnOnce();
    if (new.target === Module) throw new TypeError('Module is not a constructor');
    const { context, make } = options;
    let { identifier } = options;
    if (context !== undefined) {
      validateObject(context, 'context');
      if (!require('vm').isContext(context)) {
        const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
        throw new ERR_INVALID_ARG_TYPE('options.context', 'vm.Context', context);
      }
    }
    if (identifier !== undefined) validateString(identifier, 'options.identifier');
    else identifier = nextIdentifier(context);
    const record = { url: identifier, owner: this, isVm: true, initializeMeta: undefined, importDynamically: undefined };
    const data = { module: undefined, record, context, requests: [], status: undefined, failed: undefined, isLinked: false };
    data.module = make(record, realmOf(context));
    inner.set(this, data);
  }

  get identifier() {
    return dataOf(this, 'Module').record.url;
  }

  get context() {
    return dataOf(this, 'Module').context;
  }

  get namespace() {
    const { module } = dataOf(this, 'Module');
    if (engine.status(module) === 'unlinked') throw new codes.ERR_VM_MODULE_STATUS('must not be unlinked or linking');
    return engine.namespace(module);
  }

  get status() {
    return statusOf(dataOf(this, 'Module'));
  }

  get error() {
    const data = dataOf(this, 'Module');
    if (statusOf(data) !== 'errored') throw new codes.ERR_VM_MODULE_STATUS('must be errored');
    return data.failed === undefined ? engine.errorOf(data.module) : data.failed.error;
  }

  async link(linker) {
    const data = dataOf(this, 'Module');
    validateFunction(linker, 'linker');
    const { status } = this;
    if (status === 'linked') throw new codes.ERR_VM_MODULE_ALREADY_LINKED();
    if (status !== 'unlinked') throw new codes.ERR_VM_MODULE_STATUS('must be unlinked');
    await linkAll(this, data, linker);
    engine.instantiate(data.module);
  }

  evaluate(options = none) {
    try {
      const data = dataOf(this, 'Module');
      validateObject(options, 'options');
      const { timeout, breakOnSigint = false } = options;
      if (timeout !== undefined) validateUint32(timeout, 'options.timeout', true);
      validateBoolean(breakOnSigint, 'options.breakOnSigint');
      const status = engine.status(data.module);
      if (status !== 'linked' && status !== 'evaluated' && status !== 'errored') {
        throw new codes.ERR_VM_MODULE_STATUS('must be one of linked, evaluated, or errored');
      }
      const run = () => engine.evaluate(data.module);
      return timeout === undefined && !breakOnSigint ? run() : within(run, timeout, breakOnSigint, Module.prototype.evaluate);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  [customInspect](depth, options) {
    const { record, context } = dataOf(this, 'Module');
    if (typeof depth === 'number' && depth < 0) return this;
    const { constructor = Module } = this;
    const shown = { __proto__: { constructor }, status: this.status, identifier: record.url, context };
    Object.setPrototypeOf(shown, Object.getPrototypeOf(this));
    Object.defineProperty(shown, Symbol.toStringTag, { __proto__: null, value: constructor.name, configurable: true });
    return require('internal/util/inspect').inspect(shown, { ...options, customInspect: false });
  }
}

// Returns the internal data of a module. Throws if the value is no module or belongs to another context than the importing module.
function checked(module, context) {
  const data = typeof module === 'object' && module !== null ? inner.get(module) : undefined;
  if (data === undefined) throw new codes.ERR_VM_MODULE_NOT_MODULE();
  if (data.context !== context) throw new codes.ERR_VM_MODULE_DIFFERENT_CONTEXT();
  return data;
}

// `lib/internal/vm/module.js: SourceTextModule[kLink]`: calls the linker for each import, and links the returned modules recursively.
async function linkAll(owner, data, linker) {
  data.status = 'linking';
  try {
    const waiting = [];
    for (let at = 0; at < data.requests.length; at++) {
      const { specifier, attributes } = data.requests[at];
      const found = linker(specifier, owner, { attributes, assert: attributes });
      waiting[at] = Promise.resolve(found).then(async (module) => {
        const below = checked(module, data.context);
        if (module.status === 'errored') {
          throw new codes.ERR_VM_MODULE_LINK_FAILURE(`request for '${specifier}' resolved to an errored module`, module.error);
        }
        if (module.status === 'unlinked') await linkAll(module, below, linker);
        return below.module;
      });
    }
    engine.setImports(data.module, await Promise.all(waiting));
    data.isLinked = true;
  } catch (error) {
    data.failed = { error };
    throw error;
  } finally {
    data.status = undefined;
  }
}

class SourceTextModule extends Module {
  constructor(sourceText, options = none) {
    validateString(sourceText, 'sourceText');
    validateObject(options, 'options');
    const {
      lineOffset = 0, columnOffset = 0, initializeImportMeta, importModuleDynamically, context, identifier, cachedData,
    } = options;
    validateInt32(lineOffset, 'options.lineOffset');
    validateInt32(columnOffset, 'options.columnOffset');
    if (initializeImportMeta !== undefined) validateFunction(initializeImportMeta, 'options.initializeImportMeta');
    if (importModuleDynamically !== undefined) validateFunction(importModuleDynamically, 'options.importModuleDynamically');
    if (cachedData !== undefined) validateBuffer(cachedData, 'options.cachedData');
    super({ context, identifier, make: (record, realm) => compile(record, sourceText, lineOffset, columnOffset, realm, cachedData) });
    const data = inner.get(this);
    const { record } = data;
    record.initializeMeta = initializeImportMeta;
    if (importModuleDynamically !== undefined) record.importDynamically = importer(importModuleDynamically, this);
    data.sourceText = sourceText;
    data.requests = require('internal/modules/esm').requestsOf(data.module, sourceText);
    for (const request of data.requests) Object.freeze(request);
    Object.freeze(data.requests);
  }

  linkRequests(modules) {
    const data = dataOf(this, 'SourceTextModule');
    if (this.status !== 'unlinked') throw new codes.ERR_VM_MODULE_STATUS('must be unlinked');
    validateArray(modules, 'modules');
    if (modules.length !== data.requests.length) {
      throw new codes.ERR_MODULE_LINK_MISMATCH(`Expected ${data.requests.length} modules, got ${modules.length}`);
    }
    engine.setImports(data.module, modules.map((module) => checked(module, data.context).module));
    data.isLinked = true;
  }

  instantiate() {
    const data = dataOf(this, 'SourceTextModule');
    if (this.status !== 'unlinked') throw new codes.ERR_VM_MODULE_STATUS('must be unlinked');
    if (!data.isLinked) throw new codes.ERR_VM_MODULE_LINK_FAILURE('module is not linked');
    engine.instantiate(data.module);
  }

  get dependencySpecifiers() {
    const data = dataOf(this, 'SourceTextModule');
    data.specifiers ??= Object.freeze(data.requests.map(({ specifier }) => specifier));
    return data.specifiers;
  }

  get moduleRequests() {
    return dataOf(this, 'SourceTextModule').requests;
  }

  createCachedData() {
    const data = dataOf(this, 'SourceTextModule');
    const { status } = this;
    if (status === 'evaluating' || status === 'evaluated' || status === 'errored') {
      throw new codes.ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA();
    }
    return cacheOf(data.sourceText);
  }
}

// The cached data is a digest without bytecode, as for scripts (`vm/cache.js`).
const cacheOf = (text) => require('internal/vm/cache').produce({ text, file: 'module', lineOffset: 0 });

function compile(record, text, lineOffset, columnOffset, realm, cachedData) {
  if (cachedData !== undefined) {
    const given = Buffer.from(cachedData.buffer, cachedData.byteOffset, cachedData.byteLength);
    if (!cacheOf(text).equals(given)) throw new codes.ERR_VM_MODULE_CACHED_DATA_REJECTED();
  }
  const place = require('internal/vm/place');
  try {
    const module = require('internal/modules/esm').compileModule(record, text, realm, lineOffset);
    place.know(record.url, text, lineOffset, columnOffset);
    return module;
  } catch (error) {
    throw place.unread(error, { code: text, file: record.url, lineOffset }, SourceTextModule);
  }
}

class SyntheticModule extends Module {
  constructor(exportNames, evaluateCallback, options = none) {
    const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = require('internal/errors');
    if (!Array.isArray(exportNames) || exportNames.some((name) => typeof name !== 'string')) {
      throw new ERR_INVALID_ARG_TYPE('exportNames', 'Array of unique strings', exportNames);
    }
    exportNames.forEach((name, at) => {
      if (exportNames.indexOf(name, at + 1) !== -1) throw new ERR_INVALID_ARG_VALUE(`exportNames.${name}`, name, 'is duplicated');
    });
    validateFunction(evaluateCallback, 'evaluateCallback');
    validateObject(options, 'options');
    const { context, identifier } = options;
    let owner;
    super({
      context, identifier,
      make: (record, realm) => engine.makeSynthetic(record.url, exportNames, () => evaluateCallback.call(owner), realm),
    });
    owner = this;
    engine.instantiate(inner.get(this).module);
  }

  // A synthetic module has no imports.
  link() {
    dataOf(this, 'SyntheticModule');
  }

  setExport(name, value) {
    const { module } = dataOf(this, 'SyntheticModule');
    validateString(name, 'name');
    if (!engine.setExport(module, name, value)) throw new ReferenceError(`Export '${name}' is not defined in module`);
  }
}

// `lib/internal/vm/module.js: importModuleDynamicallyWrap`: wraps the callback in a function that returns the namespace for an `import()`.
function importer(importModuleDynamically, referrer) {
  return async (specifier, attributes) => {
    const module = await Reflect.apply(importModuleDynamically, undefined, [specifier, referrer, attributes]);
    if (isModuleNamespaceObject(module)) return module;
    if (typeof module !== 'object' || module === null || !inner.has(module)) throw new codes.ERR_VM_MODULE_NOT_MODULE();
    if (module.status === 'errored') throw module.error;
    return module.namespace;
  };
}

module.exports = { Module, SourceTextModule, SyntheticModule, importer };
