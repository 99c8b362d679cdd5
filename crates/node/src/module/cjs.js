'use strict';
// CommonJS: `Module`, `require`, and how a request becomes a file. The functions with an underscore are public in
// practice: packages replace them, so everything here goes through them.

const scheduler = require('internal/scheduler');
const process = require('process');
const { dirname, normalize, join, readPackage, scopeOf, resolveExports, resolveImports, conditionsFor } =
  require('internal/modules/package');
let loadedEsm;
const esm = () => (loadedEsm ??= require('internal/modules/esm'));
// Any code may `import()`; what that takes is loaded then.
require('internal/modules/engine').setHooks(
  (base, specifier, attributes) => esm().onImport(base, specifier, attributes), (name) => esm().onEvaluate(name));

const publicIds = new Set(scheduler.publicBuiltins());
const parents = new WeakMap();
// Where a request of a folder has led: the folder and the request, with a nul between.
const relativeCache = { __proto__: null };

const kIsMainSymbol = Symbol('kIsMainSymbol');
const kIsCachedByESMLoader = Symbol('kIsCachedByESMLoader');
const kURL = Symbol('kURL');
const kFormat = Symbol('kFormat');
const kIsExecuting = Symbol('kIsExecuting');

let conditions;
const requireConditions = () => (conditions ??= conditionsFor('require'));

function updateChildren(parent, child, scan) {
  const children = parent?.children;
  if (children && !(scan && children.includes(child))) children.push(child);
}

function Module(id = '', parent) {
  this.id = id;
  this.path = id.startsWith('/') ? dirname(id) : require('path').dirname(id);
  this.exports = {};
  parents.set(this, parent);
  updateChildren(parent, this, false);
  this.filename = null;
  this.loaded = false;
  this.children = [];
}

// As Node: a getter, so that `inspect` does not print the name.
Object.defineProperty(Module.prototype, 'constructor', { __proto__: null, configurable: false, get() { return Module; } });
Object.defineProperty(Module.prototype, 'isPreloading', { __proto__: null, configurable: true, get() { return false; } });
Object.defineProperty(Module.prototype, 'parent', {
  __proto__: null,
  configurable: true,
  get() { return parents.get(this); },
  set(value) { parents.set(this, value); },
});

Module._cache = { __proto__: null };
Module._pathCache = { __proto__: null };
Module._extensions = { __proto__: null };
Module.globalPaths = [];
Module._debug = function() {};
Module.isBuiltin = function isBuiltin(name) {
  if (typeof name !== 'string') return false;
  return publicIds.has(name.startsWith('node:') ? name.slice(5) : name);
};

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

const KIND_FILE = 0;
const KIND_FOLDER = 1;

const realPath = (path) => native.realPath(path) ?? path;
const fileAt = (path) => (native.kind(path) === KIND_FILE ? realPath(path) : undefined);

function withEnding(path, endings) {
  for (const ending of endings) {
    const found = fileAt(path + ending);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inFolder(folder, endings, request) {
  const main = readPackage(folder)?.main;
  if (!main) return withEnding(join(folder, 'index'), endings);
  const target = normalize(join(folder, main));
  let found = fileAt(target) ?? withEnding(target, endings) ?? withEnding(join(target, 'index'), endings);
  if (found !== undefined) return found;
  found = withEnding(join(folder, 'index'), endings);
  const file = join(folder, 'package.json');
  if (found === undefined) {
    const error = new Error(`Cannot find module '${target}'. Please verify that the package.json has a valid "main" entry`);
    error.code = 'MODULE_NOT_FOUND';
    error.path = file;
    error.requestPath = request;
    throw error;
  }
  process.emitWarning(
    `Invalid 'main' field in '${file}' of '${main}'. Please either fix that or report it to the module author`,
    'DeprecationWarning', 'DEP0128');
  return found;
}

// A path from `exports` or `imports` must be there as it is.
function exact(found, base, packagePath) {
  if (publicIds.has(found) || found.startsWith('node:')) return found;
  if (/%2f|%5c/i.test(found)) {
    const { ERR_INVALID_MODULE_SPECIFIER } = require('internal/errors');
    throw new ERR_INVALID_MODULE_SPECIFIER(found, 'must not include encoded "/" or "\\" characters', base);
  }
  const file = fileAt(found.includes('%') ? decodeURIComponent(found) : found);
  if (file !== undefined) return file;
  const error = new Error(`Cannot find module '${found}'`);
  error.code = 'MODULE_NOT_FOUND';
  error.path = packagePath;
  throw error;
}

const packageName = /^((?:@[^/\\%]+\/)?[^./\\%][^/\\%]*)(\/.*)?$/;

function fromExports(folder, request) {
  const match = packageName.exec(request);
  if (match === null) return undefined;
  const owner = readPackage(join(folder, match[1]));
  if (owner === null || owner.exports === undefined || owner.exports === null) return undefined;
  const found = resolveExports(owner, `.${match[2] ?? ''}`, requireConditions(), undefined);
  return exact(found, undefined, owner.folder);
}

// A package may require itself by its name.
function fromSelf(parentPath, request) {
  if (!parentPath) return undefined;
  const owner = scopeOf(join(dirname(parentPath), ''));
  if (owner === null || owner.exports === undefined || owner.exports === null || owner.name === undefined) return undefined;
  if (request !== owner.name && !request.startsWith(`${owner.name}/`)) return undefined;
  const found = resolveExports(owner, `.${request.slice(owner.name.length)}`, requireConditions(), parentPath);
  return exact(found, parentPath, owner.folder);
}

Module._findPath = function(request, paths, isMain) {
  const isAbsolute = request.startsWith('/');
  if (isAbsolute) paths = [''];
  else if (!paths || paths.length === 0) return false;
  const key = `${request}\0${paths.length === 1 ? paths[0] : paths.join('\0')}`;
  const known = Module._pathCache[key];
  if (known) return known;
  const wantsFolder = /(?:^|\/)\.{0,2}$|\/$/.test(request);
  const isRelative = /^\.\.?(?:\/|$)/.test(request);
  let endings;
  for (const folder of paths) {
    if (folder && native.kind(folder) !== KIND_FOLDER) continue;
    let found = isAbsolute || isRelative ? undefined : fromExports(folder, request);
    if (found === undefined) {
      const path = isAbsolute ? normalize(request) : normalize(join(folder === '.' ? process.cwd() : folder, request));
      const kind = native.kind(path);
      endings ??= Object.keys(Module._extensions);
      if (!wantsFolder) found = kind === KIND_FILE ? realPath(path) : withEnding(path, endings);
      if (found === undefined && kind === KIND_FOLDER) found = inFolder(path, endings, request);
    }
    if (found !== undefined) {
      Module._pathCache[key] = found;
      return found;
    }
  }
  return false;
};

Module._nodeModulePaths = function(from) {
  const start = from.startsWith('/') ? normalize(from) : normalize(join(process.cwd(), from));
  const paths = [];
  for (let folder = start; ; folder = dirname(folder)) {
    if (!folder.endsWith('/node_modules')) paths.push(join(folder, 'node_modules'));
    if (folder === '/') return paths;
  }
};

let modulePaths = [];

Module._initPaths = function() {
  const { HOME, NODE_PATH } = process.env;
  const prefix = normalize(join(dirname(process.execPath), '..'));
  modulePaths = [join(prefix, 'lib/node')];
  if (HOME) modulePaths.unshift(normalize(join(HOME, '.node_modules')), normalize(join(HOME, '.node_libraries')));
  if (NODE_PATH) modulePaths.unshift(...NODE_PATH.split(':').filter(Boolean));
  Module.globalPaths = modulePaths.slice();
};

Module._resolveLookupPaths = function(request, parent) {
  if (Module.isBuiltin(request)) return null;
  if (!/^\.\.?(?:\/|$)/.test(request)) {
    const paths = parent?.paths?.length ? parent.paths.concat(modulePaths) : modulePaths;
    return paths.length > 0 ? paths : null;
  }
  if (!parent || !parent.id || !parent.filename) return ['.', ...Module._nodeModulePaths('.'), ...modulePaths];
  return [dirname(parent.filename)];
};

function lookupPaths(request, parent, options) {
  if (options === null || typeof options !== 'object' || options.paths === undefined) {
    return Module._resolveLookupPaths(request, parent);
  }
  if (!Array.isArray(options.paths)) {
    const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
    throw new ERR_INVALID_ARG_VALUE('options.paths', options.paths);
  }
  if (/^\.\.?(?:\/|$)/.test(request)) return options.paths;
  const paths = [];
  for (const path of options.paths) {
    const fake = new Module('', null);
    fake.paths = Module._nodeModulePaths(path);
    for (const found of Module._resolveLookupPaths(request, fake)) {
      if (!paths.includes(found)) paths.push(found);
    }
  }
  return paths;
}

function requireStack(parent) {
  const stack = [];
  for (let at = parent; at; at = parents.get(at)) stack.push(at.filename || at.id);
  return stack;
}

function notFound(request, parent) {
  const stack = requireStack(parent);
  let message = `Cannot find module '${request}'`;
  if (stack.length > 0) message += `\nRequire stack:\n- ${stack.join('\n- ')}`;
  const error = new Error(message);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = stack;
  return error;
}

Module._resolveFilename = function(request, parent, isMain, options) {
  if (Module.isBuiltin(request)) return request;
  const paths = lookupPaths(request, parent, options);
  const parentPath = parent?.filename ?? (parent?.id === '<repl>' || parent?.id === '[eval]' ?
    join(process.cwd(), '') : undefined);
  if (request.startsWith('#') && parentPath) {
    const owner = scopeOf(parentPath);
    if (owner !== null && owner.imports !== undefined) {
      const bare = (name, from) => {
        const fake = new Module(from, null);
        fake.filename = from;
        fake.paths = Module._nodeModulePaths(dirname(from));
        return Module._resolveFilename(name, fake, false);
      };
      return exact(resolveImports(request, parentPath, requireConditions(), parentPath, bare), parentPath, owner.file);
    }
  }
  const found = fromSelf(parentPath, request) ?? Module._findPath(request, paths, isMain);
  if (found) return found;
  throw notFound(request, parent);
};

// What a module gets that requires one which is not done: it warns of names that are not there yet.
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

function exportsInCycle(module) {
  const { exports } = module;
  if (module[kFormat] === 'module') refuseCycle(module.id, parents.get(module)?.filename, '');
  if (exports !== null && typeof exports === 'object' && !scheduler.requireBuiltin('util').types.isProxy(exports) &&
      Object.getPrototypeOf(exports) === Object.prototype && !exports.__esModule) {
    Object.setPrototypeOf(exports, circular);
  }
  return exports;
}

function requireBuiltin(id) {
  return scheduler.requireBuiltin(id);
}

Module._load = function(request, parent, isMain) {
  let key;
  if (parent) {
    key = `${parent.path}\0${request}`;
    const filename = relativeCache[key];
    if (filename !== undefined) {
      const known = Module._cache[filename];
      if (known !== undefined) {
        updateChildren(parent, known, true);
        return known.loaded ? known.exports : exportsInCycle(known);
      }
      delete relativeCache[key];
    }
  }
  if (request.startsWith('node:')) {
    const id = request.slice(5);
    if (publicIds.has(id)) return requireBuiltin(id);
    const { ERR_UNKNOWN_BUILTIN_MODULE } = require('internal/errors');
    throw new ERR_UNKNOWN_BUILTIN_MODULE(request);
  }
  const filename = Module._resolveFilename(request, parent, isMain);
  const known = Module._cache[filename];
  if (known !== undefined) {
    updateChildren(parent, known, true);
    return known.loaded ? known.exports : exportsInCycle(known);
  }
  if (Module.isBuiltin(filename)) return requireBuiltin(filename.startsWith('node:') ? filename.slice(5) : filename);
  const module = new Module(filename, parent);
  if (isMain) {
    process.mainModule = module;
    module.id = '.';
  }
  module[kIsMainSymbol] = Boolean(isMain);
  module[kIsCachedByESMLoader] = false;
  module[kURL] = undefined;
  module[kFormat] = undefined;
  if (key !== undefined) relativeCache[key] = filename;
  Module._cache[filename] = module;
  let threw = true;
  try {
    module.load(filename);
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
      if (exports !== null && typeof exports === 'object' && Object.getPrototypeOf(exports) === circular) {
        Object.setPrototypeOf(exports, Object.prototype);
      }
    }
  }
  return module.exports;
};

// The longest ending that somebody has registered; `.js` for all others.
function registeredEnding(filename) {
  const name = filename.slice(filename.lastIndexOf('/') + 1);
  for (let at = name.indexOf('.', 1); at !== -1; at = name.indexOf('.', at + 1)) {
    const ending = name.slice(at);
    if (Module._extensions[ending]) return ending;
  }
  return '.js';
}

Module.prototype.load = function(filename) {
  this.filename ??= filename;
  this.paths ??= Module._nodeModulePaths(dirname(filename));
  Module._extensions[registeredEnding(filename)](this, filename);
  this.loaded = true;
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
  return Module._load(id, this, false);
};

const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];

function compileWrapper(content, filename) {
  if (wrapped) return scheduler.evalScript(Module.wrap(content), filename);
  const body = scheduler.compileFunction(content, filename, parameters);
  // What V8 calls the body of a module in stacks.
  Object.defineProperty(body, 'name', { value: 'Object.<anonymous>', configurable: true });
  return body;
}

const withoutShebang = (content) => (content.startsWith('#!') ? `//${content.slice(2)}` : content);

Module.prototype._compile = function(content, filename, format) {
  let text = content;
  if (format !== undefined && format.endsWith('typescript')) {
    text = require('internal/modules/typescript').strip(content, filename);
    format = format === 'typescript' ? undefined : format.slice(0, -11);
  }
  text = withoutShebang(text);
  let body;
  if (format !== 'module') {
    try {
      body = compileWrapper(text, filename);
    } catch (error) {
      // As Node's detection: only a file whose kind nothing else says, and only if it is a module and no script.
      if (format !== undefined || !esm().isModuleSyntax(text)) {
        require('internal/modules/syntax_error').polish(error, text);
        throw error;
      }
      format = 'module';
    }
  }
  this[kFormat] = format ?? 'commonjs';
  if (format === 'module') {
    esm().requireModule(this, filename, text, this[kIsMainSymbol] === true, parents.get(this)?.filename);
    return undefined;
  }
  this[kIsExecuting] = true;
  const folder = dirname(filename);
  const { exports } = this;
  const result = Reflect.apply(body, exports, [exports, makeRequire(this), this, filename, folder]);
  delete this[kIsExecuting];
  return result;
};

const formats = { '.mjs': 'module', '.cjs': 'commonjs', '.mts': 'module-typescript', '.cts': 'commonjs-typescript' };

// What the name and the package say about a file: nothing, if they leave it open.
function formatOf(filename) {
  const ending = filename.slice(filename.lastIndexOf('.'));
  const known = formats[ending];
  if (known !== undefined) return known;
  if (ending !== '.js' && ending !== '.ts') return undefined;
  const type = scopeOf(filename)?.type ?? 'none';
  if (ending === '.ts') return type === 'none' ? 'typescript' : `${type}-typescript`;
  return type === 'none' ? undefined : type;
}

const withoutMark = (text) => (text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text);

Module._extensions['.js'] = function(module, filename) {
  const content = native.readText(filename);
  module._compile(withoutMark(content), filename, formatOf(filename));
};

Module._extensions['.json'] = function(module, filename) {
  const content = native.readText(filename);
  try {
    module.exports = JSON.parse(withoutMark(content));
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

Module.createRequire = function createRequire(filename) {
  const { toPath } = require('internal/modules/file_url');
  let path;
  if (filename !== null && typeof filename === 'object' && typeof filename.href === 'string') filename = filename.href;
  if (typeof filename === 'string' && filename.startsWith('file:')) path = toPath(filename);
  else if (typeof filename === 'string' && filename.startsWith('/')) path = filename;
  else {
    const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
    throw new ERR_INVALID_ARG_VALUE('filename', filename,
      'must be a file URL object, file URL string, or absolute path string');
  }
  // A folder stands for a file in it.
  const stand = path.endsWith('/') ? join(normalize(path), 'noop.js') : path;
  const module = new Module(stand);
  module.filename = stand;
  module.paths = Module._nodeModulePaths(dirname(stand));
  return makeRequire(module);
};

Module._preloadModules = function(requests) {
  if (!Array.isArray(requests)) return;
  const parent = new Module('internal/preload', null);
  parent.paths = Module._nodeModulePaths(process.cwd());
  for (const request of requests) parent.require(request);
};

Module.Module = Module;
Module._initPaths();

function resolveMain(name) {
  return normalize(name.startsWith('/') ? name : join(process.cwd(), name));
}

Module.runMain = function executeUserEntryPoint(path = process.argv[1]) {
  const found = Module._findPath(resolveMain(path), null, true);
  if (found) {
    const format = formatOf(found);
    if (format === 'module' || format === 'module-typescript') {
      esm().runMain(found);
      return;
    }
  }
  Module._load(found || path, null, true);
};

function runCode(code, print) {
  const module = new Module('[eval]');
  module.filename = join(process.cwd(), '[eval]');
  module.paths = Module._nodeModulePaths(process.cwd());
  if (process.execArgv.includes('--input-type=module') || (!print && esm().isModuleSyntax(code))) {
    esm().runCode(code);
    return;
  }
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  define('__filename', '[eval]');
  define('module', module);
  define('exports', module.exports);
  define('__dirname', '.');
  define('require', makeRequire(module));
  const value = scheduler.evalScript(code, '[eval]');
  if (print) console.log(value);
}

// The warning of a main module that is not settled at the end, if there is one.
const unsettled = () => loadedEsm?.unsettled();

process.getBuiltinModule ??= function getBuiltinModule(id) {
  require('internal/validators').validateString(id, 'id');
  const name = id.startsWith('node:') ? id.slice(5) : id;
  return publicIds.has(name) ? requireBuiltin(name) : undefined;
};

module.exports = {
  Module, publicIds, resolveMain, runMain: Module.runMain, runCode, formatOf, withoutShebang, withoutMark, realPath,
  unsettled, refuseCycle,
};
