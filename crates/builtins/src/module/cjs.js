'use strict';
// CommonJS loader: `Module._load`, `_extensions` and `require`. Packages monkey-patch the functions with an
// underscore, so all calls here go through them.

const { traced } = require('internal/channels');
const { readText } = require('internal/modules/read');
const scheduler = require('internal/scheduler');
const trace = require('internal/scheduler/trace');
const process = require('process');
const {
  Module, builtinId, parents, publicIds, realPath, updateChildren, workingFolder,
} = require('internal/modules/cjs_resolve');
const { dirname, normalize, join, scopeOf } = require('internal/modules/package');

// Saved, because programs may replace them.
const defineProperty = Object.defineProperty;
const getPrototypeOf = Object.getPrototypeOf;
const setPrototypeOf = Object.setPrototypeOf;
const parse = JSON.parse;
const apply = Reflect.apply;

// Repeats a pure lookup with the original builtins if it fails because a program has replaced methods that it needs.
function surely(act) {
  try {
    return act();
  } catch (error) {
    return require('internal/original_builtins').retry(error, act);
  }
}

let loadedEsm;
const esm = () => (loadedEsm ??= require('internal/modules/esm'));
// Any code may call `import()`; the ES module loader is loaded on first use.
require('internal/modules/engine').setHooks(
  (referrer, specifier, type, promise) => esm().onDynamicImport(referrer, specifier, type, promise),
  (record, meta) => esm().fillMeta(meta, record));

// Resolution cache. The key is the folder of the parent and the request, separated by NUL.
const relativeCache = { __proto__: null };

const kIsMainSymbol = Symbol('kIsMainSymbol');
const kIsCachedByESMLoader = Symbol('kIsCachedByESMLoader');
const kURL = Symbol('kURL');
const kFormat = Symbol('kFormat');
const kIsExecuting = Symbol('kIsExecuting');

const { flags, TRACE } = trace;

const wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
let wrapped = false;
let wrap = function(script) { return Module.wrapper[0] + script + Module.wrapper[1]; };
let wrapperProxy = new Proxy(wrapper, {
  __proto__: null,
  set(target, property, value, receiver) {
    wrapped = true;
    return Reflect.set(target, property, value, receiver);
  },
  defineProperty(target, property, descriptor) {
    wrapped = true;
    return Reflect.defineProperty(target, property, descriptor);
  },
});
Object.defineProperty(Module, 'wrap', {
  __proto__: null,
  get() { return wrap; },
  set(value) {
    wrapped = true;
    wrap = value;
  },
});
Object.defineProperty(Module, 'wrapper', {
  __proto__: null,
  get() { return wrapperProxy; },
  set(value) {
    wrapped = true;
    wrapperProxy = value;
  },
});

// `exports` of a module in a circular dependency: warns of missing properties.
const circular = new Proxy({}, {
  __proto__: null,
  get(target, property) {
    if (property in target || property === '__esModule') return target[property];
    warnCircular(property);
    return undefined;
  },
  getOwnPropertyDescriptor(target, property) {
    if (Object.hasOwn(target, property) || property === '__esModule') {
      return Object.getOwnPropertyDescriptor(target, property);
    }
    warnCircular(property);
    return undefined;
  },
});

function warnCircular(property) {
  process.emitWarning(
    `Accessing non-existent property '${String(property)}' of module exports inside circular dependency`);
}

function refuseCycle(filename, parent, reason) {
  const { ERR_REQUIRE_CYCLE_MODULE } = require('internal/errors');
  const from = parent ? ` (from ${parent})` : '';
  throw new ERR_REQUIRE_CYCLE_MODULE(`Cannot require() ES Module ${filename} in a cycle.${from}${reason}`);
}

// Exports objects that a circular `require` has returned before their module finished.
const unfinished = new SafeWeakSet();

function exportsInCycle(module) {
  const { exports } = module;
  if (module[kFormat] === 'module') refuseCycle(module.id, parents.get(module)?.filename, '');
  if (exports !== null && typeof exports === 'object' && !scheduler.requireBuiltin('util').types.isProxy(exports) &&
      getPrototypeOf(exports) === Object.prototype && !exports.__esModule) {
    setPrototypeOf(exports, circular);
    unfinished.add(exports);
  }
  return exports;
}

function exportsOfKnown(module, parent) {
  updateChildren(parent, module, true);
  return module.loaded ? module.exports : exportsInCycle(module);
}

function requireBuiltin(id) {
  return scheduler.requireBuiltin(id);
}

// The hooks of `module.registerHooks`, if any.
let hooks;
function useHooks(all) { hooks = all; }

// The function that records the source map of a loaded module; undefined while source maps are disabled.
let noteSourceMap;
function useSourceMaps(note) { noteSourceMap = note; }

const hooksFor = (kind) => (hooks?.any(kind) ? hooks : undefined);

Module._load = function(request, parent, isMain) {
  let key;
  if (parent) {
    key = `${parent.path}\0${request}`;
    const filename = relativeCache[key];
    if (filename !== undefined) {
      const known = Module._cache[filename];
      if (known !== undefined) return exportsOfKnown(known, parent);
      delete relativeCache[key];
    }
  }
  if (hooksFor('resolve') !== undefined || hooksFor('load') !== undefined) {
    return require('internal/modules/hooked').load(request, parent, isMain, key);
  }
  const { filename, id } = surely(() => placeOf(request, parent, isMain));
  const known = filename === undefined ? undefined : Module._cache[filename];
  if (known !== undefined) return exportsOfKnown(known, parent);
  if (id !== undefined) return requireBuiltin(id);
  return makeModule(filename, parent, isMain, key, (module) => module.load(filename));
};

// Resolves a request to a file name, to the id of a builtin, or to both: the cache may override a builtin that is requested without `node:`.
function placeOf(request, parent, isMain, options) {
  if (request.startsWith('node:')) {
    const id = builtinId(request);
    if (id !== undefined) return { id };
    const { ERR_UNKNOWN_BUILTIN_MODULE } = require('internal/errors');
    throw new ERR_UNKNOWN_BUILTIN_MODULE(request);
  }
  const filename = Module._resolveFilename(request, parent, isMain, options);
  if (!Module.isBuiltin(filename)) return { filename };
  return { filename, id: builtinId(filename) };
}

// Adds a module to the cache while `run` executes it, and removes it if `run` throws.
function makeModule(filename, parent, isMain, key, run) {
  const module = surely(() => new Module(filename, parent));
  if (isMain) {
    process.mainModule = module;
    // `parent` is undefined for a main script that is imported, which keeps its file name as id.
    if (parent === null) module.id = '.';
  }
  module[kIsMainSymbol] = Boolean(isMain);
  module[kIsCachedByESMLoader] = false;
  module[kURL] = undefined;
  module[kFormat] = undefined;
  if (key !== undefined) relativeCache[key] = filename;
  Module._cache[filename] = module;
  let threw = true;
  try {
    run(module);
    threw = false;
  } finally {
    if (threw) {
      delete Module._cache[filename];
      if (key !== undefined) {
        delete relativeCache[key];
        const children = parent?.children;
        const at = Array.isArray(children) ? children.indexOf(module) : -1;
        if (at !== -1) children.splice(at, 1);
      }
    } else {
      const { exports } = module;
      if (unfinished.has(exports) && getPrototypeOf(exports) === circular) setPrototypeOf(exports, Object.prototype);
    }
  }
  return module.exports;
}

// The longest registered extension of a file name; `.js` if there is none (`lib/internal/modules/cjs/loader.js: findLongestRegisteredExtension`).
function registeredEnding(filename) {
  const name = filename.slice(filename.lastIndexOf('/') + 1);
  for (let at = name.indexOf('.', 1); at !== -1; at = name.indexOf('.', at + 1)) {
    const ending = name.slice(at);
    if (Module._extensions[ending]) return ending;
  }
  return '.js';
}

const endings = { __proto__: null, addon: '.node', json: '.json' };

Module.prototype.load = function(filename) {
  const began = flags[TRACE] === 0 ? 0 : trace.clock();
  this.filename ??= filename;
  this.paths ??= surely(() => Module._nodeModulePaths(dirname(filename)));
  // A format from hooks takes precedence over the extension.
  const format = this[kFormat];
  const ending = format === undefined ? surely(() => registeredEnding(filename)) : endings[format] ?? '.js';
  Module._extensions[ending](this, filename);
  this.loaded = true;
  if (flags[TRACE] !== 0) trace.moduleLoaded(filename, began);
};

Module.prototype.require = function(id) {
  if (typeof id !== 'string') {
    const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
    throw new ERR_INVALID_ARG_TYPE('id', 'string', id);
  }
  if (id === '') {
    const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
    throw new ERR_INVALID_ARG_VALUE('id', id, 'must be a non-empty string');
  }
  const tracing = traced('module.require');
  if (tracing === undefined) return Module._load(id, this, false);
  return tracing.traceSync(Module._load, { __proto__: null, parentFilename: this.filename, id }, Module, id, this, false);
};

const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];

// Moves the attributes of `import()` that the engine does not support into its specifier (`native.encodeAttributes`); dynamic.js takes them out.
const withAttributes = (text, isModule) => native.encodeAttributes(text, isModule) ?? text;

function compileWrapper(source, filename) {
  const content = withAttributes(source, false);
  if (wrapped) return scheduler.evalScript(Module.wrap(content), filename);
  // V8's name of a module body in stack traces.
  return scheduler.compileFunction(content, filename, parameters, 'Object.<anonymous>');
}

const withoutShebang = (content) => (content[0] === '#' && content[1] === '!' ? `//${content.slice(2)}` : content);

// The source text that was read last, until it is compiled. If `_compile` receives other text, a hook has changed the source, and errors quote the
// changed text.
let lastRead;

Module.prototype._compile = function(content, filename, format) {
  let text = content;
  const isAsRead = content === lastRead;
  lastRead = undefined;
  if (!isAsRead) require('internal/modules/hooks').noteSource(filename, content);
  if (format !== undefined && format.endsWith('typescript')) {
    text = require('internal/modules/typescript').strip(content, filename);
    format = format === 'typescript' ? undefined : format.slice(0, -11);
  }
  text = withoutMark(withoutShebang(text));
  let body;
  if (format !== 'module') {
    try {
      body = compileWrapper(text, filename);
    } catch (error) {
      // Syntax detection: only if neither extension nor package.json determines the format.
      if (format !== undefined || !esm().isModuleSyntax(text)) {
        if (format !== undefined && esm().isModuleSyntax(text)) require('internal/process/warnings').warnOfModule(filename);
        if (error instanceof SyntaxError) require('internal/process/exceptions').putPlace(error);
        throw error;
      }
      format = 'module';
    }
  }
  if (format === 'module') {
    this[kFormat] = format;
    noteSourceMap?.(filename, content);
    esm().requireModule(this, filename, text, this[kIsMainSymbol] === true, parents.get(this)?.filename);
    return undefined;
  }
  noteSourceMap?.(filename, content);
  this[kIsExecuting] = true;
  const folder = surely(() => dirname(filename));
  const { exports } = this;
  const result = apply(body, exports, [exports, makeRequire(this), this, filename, folder]);
  this[kIsExecuting] = false;
  return result;
};

const formats = { '.mjs': 'module', '.cjs': 'commonjs', '.mts': 'module-typescript', '.cts': 'commonjs-typescript' };

// The format that extension and package.json determine; undefined if they do not determine it.
function formatOf(filename) {
  const ending = filename.slice(filename.lastIndexOf('.'));
  const known = formats[ending];
  if (known !== undefined) return known;
  if (ending !== '.js' && ending !== '.ts') return undefined;
  const type = scopeOf(filename)?.type ?? 'none';
  if (ending === '.ts') return type === 'none' ? 'typescript' : `${type}-typescript`;
  return type === 'none' ? undefined : type;
}

const withoutMark = (text) => (text[0] === '\uFEFF' ? text.slice(1) : text);

// The CommonJS file that an `import` is loading: { filename, text }. Its source is known already.
let imported;

function loadImported(filename, text, isMain) {
  imported = { filename, text };
  try {
    return Module._load(filename, undefined, isMain);
  } finally {
    imported = undefined;
  }
}

// Source and format of a module, from hooks or from the file.
function sourceOf(module, filename, format) {
  if (module[kFormat] === undefined) module[kFormat] = format;
  if (imported?.filename === filename) {
    const { text } = imported;
    imported = undefined;
    return { source: text, format };
  }
  if (hooks !== undefined) {
    const hooked = require('internal/modules/hooked');
    if (hooksFor('load') !== undefined || hooked.hasText(module)) return hooked.sourceOf(module, filename);
  }
  return { source: readText(filename), format };
}

Module._extensions['.js'] = function(module, filename) {
  const { source, format } = sourceOf(module, filename, surely(() => formatOf(filename)));
  lastRead = source;
  module._compile(source, filename, format);
};

Module._extensions['.json'] = function(module, filename) {
  const { source } = sourceOf(module, filename, 'json');
  try {
    module.exports = parse(withoutMark(source));
  } catch (error) {
    error.message = `${filename}: ${error.message}`;
    throw error;
  }
};

Module._extensions['.node'] = function(module, filename) {
  const error = new Error(`${filename}: native addons cannot be loaded by this runtime`);
  error.code = 'ERR_DLOPEN_FAILED';
  throw error;
};

function makeRequire(module) {
  const require_ = { require(path) { return module.require(path); } }.require;
  const resolve = { resolve(request, options) {
    if (typeof request !== 'string') require('internal/validators').validateString(request, 'request');
    return Module._resolveFilename(request, module, false, options);
  } }.resolve;
  require_.resolve = resolve;
  resolve.paths = { paths(request) {
    if (typeof request !== 'string') require('internal/validators').validateString(request, 'request');
    return Module._resolveLookupPaths(request, module);
  } }.paths;
  require_.main = process.mainModule;
  require_.extensions = Module._extensions;
  require_.cache = Module._cache;
  return require_;
}

// Returns undefined for a URL that has no file path.
function pathOfUrl(url) {
  try {
    return require('internal/url/files').fileURLToPath(url);
  } catch {
    return undefined;
  }
}

Module.createRequire = function createRequire(filename) {
  const name = filename !== null && typeof filename === 'object' && typeof filename.href === 'string' ? filename.href : filename;
  const url = typeof name === 'string' && name.startsWith('file:') ? name : undefined;
  const path = url === undefined ? name : pathOfUrl(url);
  if (typeof path !== 'string' || !path.startsWith('/')) {
    const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
    throw new ERR_INVALID_ARG_VALUE('filename', filename,
      'must be a file URL object, file URL string, or absolute path string');
  }
  // A path with a trailing slash is a directory: requests are resolved as from a file in it.
  const stand = path.endsWith('/') ? join(normalize(path), 'noop.js') : path;
  const module = new Module(stand);
  module.filename = stand;
  module.paths = Module._nodeModulePaths(dirname(stand));
  module[kURL] = url;
  return makeRequire(module);
};

let isPreloading = false;
defineProperty(Module.prototype, 'isPreloading', { __proto__: null, configurable: true, get() { return isPreloading; } });

Module._preloadModules = function(requests) {
  if (!Array.isArray(requests)) return;
  isPreloading = true;
  const parent = new Module('internal/preload', null);
  const folder = workingFolder();
  if (folder !== undefined) parent.paths = Module._nodeModulePaths(folder);
  for (const request of requests) parent.require(request);
  isPreloading = false;
};

Module.Module = Module;

function resolveMain(name) {
  return normalize(name.startsWith('/') ? name : join(process.cwd(), name));
}

// True if the ES module loader loads the main script even if it is CommonJS: with `--import` or `--experimental-loader`.
const isImportedMain = () => {
  if (scheduler.options().flags.length === 0) return false;
  const { values } = require('internal/options');
  return values('import').length > 0 || values('experimental-loader').length > 0;
};

Module.runMain = function executeUserEntryPoint(path = process.argv[1]) {
  const found = Module._findPath(resolveMain(path), null, true);
  if (isImportedMain()) {
    esm().runMain(found || resolveMain(path));
    return;
  }
  if (found) {
    const format = formatOf(found);
    // In a package of type "module" a file is loaded as ESM unless its extension says otherwise.
    if (format?.startsWith('module') || (format === undefined && scopeOf(found)?.type === 'module')) {
      esm().runMain(found);
      return;
    }
  }
  Module._load(found || path, null, true);
};

// The warning for a main module whose top-level await never settles.
const unsettled = () => loadedEsm?.unsettled();

process.getBuiltinModule ??= function getBuiltinModule(id) {
  require('internal/validators').validateString(id, 'id');
  const name = builtinId(id);
  return name === undefined ? undefined : requireBuiltin(name);
};

module.exports = {
  Module,
  builtinId,
  compileWrapper,
  esm,
  exportsOfKnown,
  formatOf,
  hooksFor,
  kFormat,
  kIsExecuting,
  kURL,
  loadImported,
  makeModule,
  makeRequire,
  placeOf,
  publicIds,
  realPath,
  refuseCycle,
  requireBuiltin,
  resolveMain,
  // A preloaded script may have replaced `Module.runMain`.
  runMain: (...args) => Module.runMain(...args),
  runUrl: (url) => esm().runUrl(url),
  surely,
  unsettled,
  noteSourceMap: (url, text) => noteSourceMap?.(url, text),
  useHooks,
  useSourceMaps,
  withAttributes,
  withoutMark,
  withoutShebang,
};
