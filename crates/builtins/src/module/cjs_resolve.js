'use strict';
// The `Module` class, and resolution of a CommonJS request to a file name. Loading is in `internal/modules/cjs`.

const scheduler = require('internal/scheduler');
const process = require('process');
const { dirname, normalize, join, readPackage, scopeOf, resolveExports, resolveImports, conditionsFor } =
  require('internal/modules/package');

const isOn = (option) => scheduler.options().flags.length > 0 && require('internal/options').has(option) === true;
const publicIds = new SafeSet(scheduler.publicBuiltins(isOn('expose-internals')));
const parents = new SafeWeakMap();

// The id of a builtin for a request. Some builtins exist only with the `node:` prefix.
function builtinId(name) {
  const id = !name.startsWith('node:') || publicIds.has(name) ? name : name.slice(5);
  return publicIds.has(id) && (id === name || !id.startsWith('node:')) ? id : undefined;
}

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

// A getter, as in `lib/internal/modules/cjs/loader.js`: `inspect` does not read it and prints no class name.
Object.defineProperty(Module.prototype, 'constructor', { __proto__: null, configurable: false, get() { return Module; } });
const DEP0144 = 'module.parent is deprecated due to accuracy issues. Please use require.main to find program entry point instead.';
const pending = (fn) =>
  (isOn('pending-deprecation') ? require('internal/util').deprecate(fn, DEP0144, 'DEP0144') : fn);
Object.defineProperty(Module.prototype, 'parent', {
  __proto__: null,
  configurable: true,
  get: pending(function() { return parents.get(this); }),
  set: pending(function(value) { parents.set(this, value); }),
});

Module._cache = { __proto__: null };
Module._pathCache = { __proto__: null };
Module._extensions = { __proto__: null };
Module.globalPaths = [];
Module._debug = function() {};
Module.isBuiltin = function isBuiltin(name) {
  return typeof name === 'string' && builtinId(name) !== undefined;
};

const KIND_FILE = 0;
const KIND_FOLDER = 1;

// `stat(path)` returns 0 for a file, 1 for a directory, and a negative number if there is neither. Programs may replace it through `Module._stat`.
let stat = (path) => native.kind(path);
Object.defineProperty(Module, '_stat', {
  __proto__: null, configurable: true, get() { return stat; }, set(replacement) { stat = replacement; },
});

// `--preserve-symlinks` and `--preserve-symlinks-main`: do not resolve symbolic links.
const pathOr = (isKept) => (isKept ? (path) => path : (path) => native.realPath(path) ?? path);
const realPath = pathOr(isOn('preserve-symlinks'));
const realMainPath = pathOr(isOn('preserve-symlinks-main'));
const fileAt = (path) => (stat(path) === KIND_FILE ? realPath(path) : undefined);

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
  const target = normalize(main.startsWith('/') ? main : join(folder, main));
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

// A target of `exports` or `imports` must exist exactly: no extensions are tried.
function exact(found, base, { folder }, packagePath = folder) {
  if (/%2f|%5c/i.test(found)) {
    const { ERR_INVALID_MODULE_SPECIFIER } = require('internal/errors');
    throw new ERR_INVALID_MODULE_SPECIFIER(found, 'must not include encoded "/" or "\\" characters', base);
  }
  // The target is a URL path and may be percent-encoded; the folder is a plain path.
  const path = folder + decodeURIComponent(found.slice(folder.length).replace(/[?#].*$/s, ''));
  const file = fileAt(path);
  if (file !== undefined) return file;
  const error = new Error(`Cannot find module '${path}'`);
  error.code = 'MODULE_NOT_FOUND';
  error.path = packagePath;
  throw error;
}

const packageName = /^((?:@[^/\\%]+\/)?[^./\\%][^/\\%]*)(\/.*)?$/;

function fromExports(folder, request, chosenConditions) {
  const match = packageName.exec(request);
  if (match === null) return undefined;
  const owner = readPackage(join(folder, match[1]));
  if (owner === null || owner.exports === undefined || owner.exports === null) return undefined;
  const found = resolveExports(owner, `.${match[2] ?? ''}`, chosenConditions ?? requireConditions(), undefined);
  return exact(found, undefined, owner);
}

// Resolves the request of a package for itself by its own name.
function fromSelf(parentPath, request, chosenConditions) {
  if (!parentPath) return undefined;
  const owner = scopeOf(join(dirname(parentPath), ''));
  if (owner === null || owner.exports === undefined || owner.exports === null || owner.name === undefined) return undefined;
  if (request !== owner.name && !request.startsWith(`${owner.name}/`)) return undefined;
  const subpath = `.${request.slice(owner.name.length)}`;
  const found = resolveExports(owner, subpath, chosenConditions ?? requireConditions(), parentPath);
  return exact(found, parentPath, owner);
}

// Results for `chosenConditions` are not cached: the cache is for the default conditions.
Module._findPath = function(request, paths, isMain, chosenConditions = undefined) {
  const isAbsolute = request.startsWith('/');
  if (isAbsolute) paths = [''];
  else if (!paths || paths.length === 0) return false;
  const key = `${request}\0${paths.length === 1 ? paths[0] : paths.join('\0')}`;
  const known = chosenConditions === undefined ? Module._pathCache[key] : undefined;
  if (known) return known;
  const wantsFolder = /(?:^|\/)\.{0,2}$|\/$/.test(request);
  const isRelative = /^\.\.?(?:\/|$)/.test(request);
  // A request that starts with `../` does not need the folder itself to exist.
  const isInside = !/^(?:\.\/)*\.\.(?:\/|$)/.test(request);
  let endings;
  for (const folder of paths) {
    if (typeof folder !== 'string') {
      const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
      throw new ERR_INVALID_ARG_TYPE('paths', 'array of strings', paths);
    }
    if (isInside && folder && stat(folder) !== KIND_FOLDER) continue;
    let found = isAbsolute || isRelative ? undefined : fromExports(folder, request, chosenConditions);
    if (found === undefined) {
      const path = normalize(isAbsolute ? request : join(folder.startsWith('/') ? folder : join(process.cwd(), folder), request));
      const kind = stat(path);
      endings ??= Object.keys(Module._extensions);
      if (!wantsFolder) found = kind === KIND_FILE ? (isMain ? realMainPath : realPath)(path) : withEnding(path, endings);
      if (found === undefined && kind === KIND_FOLDER) found = inFolder(path, endings, request);
    }
    if (found !== undefined) {
      if (chosenConditions === undefined) Module._pathCache[key] = found;
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
  for (const [at, path] of options.paths.entries()) {
    require('internal/validators').validateString(path, `paths[${at}]`);
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

// The ids of modules without a file. Their package scope is that of the working directory.
const isOfFolder = (id) => id === '<repl>' || id === '[eval]' || id === 'internal/preload';

// The working directory with a trailing slash, or undefined if it does not exist.
function workingFolder() {
  try {
    return join(process.cwd(), '');
  } catch {
    return undefined;
  }
}

Module._resolveFilename = function(request, parent, isMain, options) {
  if (Module.isBuiltin(request)) return request;
  const paths = lookupPaths(request, parent, options);
  const chosenConditions = options?.conditions;
  const parentPath = parent?.filename ?? (isOfFolder(parent?.id) ? workingFolder() : undefined);
  if (request.startsWith('#') && parentPath) {
    const owner = scopeOf(parentPath);
    if (owner !== null && owner.imports !== undefined) {
      let outside;
      const bare = (name, from) => {
        const fake = new Module(from, null);
        fake.filename = from;
        fake.paths = Module._nodeModulePaths(dirname(from));
        outside = Module._resolveFilename(name, fake, false, chosenConditions && { conditions: chosenConditions });
        return outside;
      };
      const target = resolveImports(request, parentPath, chosenConditions ?? requireConditions(), parentPath, bare);
      return target === outside ? target : exact(target, parentPath, owner, owner.file);
    }
  }
  const found = fromSelf(parentPath, request, chosenConditions) ?? Module._findPath(request, paths, isMain, chosenConditions);
  if (found) return found;
  throw notFound(request, parent);
};

Module._initPaths();

module.exports = { Module, builtinId, parents, publicIds, realPath, updateChildren, workingFolder };
