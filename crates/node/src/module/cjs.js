'use strict';
// CommonJS, small: relative and absolute files, `node_modules`, directories, JSON, builtins, the cache, cycles.

const scheduler = require('internal/scheduler');
const process = require('process');

const publicIds = new Set(scheduler.publicBuiltins());
const cache = { __proto__: null };
let mainModule;

function normalize(path) {
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function absolute(path) {
  return normalize(path.startsWith('/') ? path : `${process.cwd()}/${path}`);
}

function dirname(path) {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

class Module {
  constructor(id, parent) {
    this.id = id;
    this.path = dirname(id);
    this.exports = {};
    this.filename = id;
    this.loaded = false;
    this.children = [];
    this.paths = [];
    if (parent) parent.children.push(this);
  }
}

const endings = ['.js', '.json', '.cjs'];

function asFile(path) {
  if (native.kind(path) === 0) return path;
  for (const ending of endings) {
    if (native.kind(path + ending) === 0) return path + ending;
  }
  return undefined;
}

function asDirectory(path) {
  if (native.kind(path) !== 1) return undefined;
  if (native.kind(`${path}/package.json`) === 0) {
    const { main } = JSON.parse(native.readText(`${path}/package.json`));
    if (typeof main === 'string') {
      const target = normalize(`${path}/${main}`);
      const found = asFile(target) ?? asFile(`${target}/index`);
      if (found) return found;
    }
  }
  return asFile(`${path}/index`);
}

function notFound(request, parent) {
  const stack = parent ? `\nRequire stack:\n- ${parent.filename}` : '';
  const error = new Error(`Cannot find module '${request}'${stack}`);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = parent ? [parent.filename] : [];
  return error;
}

function resolve(request, parent) {
  if (request.startsWith('/') || /^\.\.?(\/|$)/.test(request)) {
    const path = request.startsWith('/') ? normalize(request) : normalize(`${parent.path}/${request}`);
    const found = (request.endsWith('/') ? undefined : asFile(path)) ?? asDirectory(path);
    if (found) return native.realPath(found) ?? found;
    throw notFound(request, parent);
  }
  for (let at = parent.path; ; at = dirname(at)) {
    const path = `${at === '/' ? '' : at}/node_modules/${request}`;
    const found = asFile(path) ?? asDirectory(path);
    if (found) return native.realPath(found) ?? found;
    if (at === '/') throw notFound(request, parent);
  }
}

function builtin(request) {
  if (request.startsWith('node:')) {
    const id = request.slice(5);
    if (publicIds.has(id)) return id;
    const { ERR_UNKNOWN_BUILTIN_MODULE } = require('internal/errors');
    throw new ERR_UNKNOWN_BUILTIN_MODULE(request);
  }
  return publicIds.has(request) ? request : undefined;
}

function makeRequire(module) {
  function require(request) {
    if (typeof request !== 'string') {
      const { ERR_INVALID_ARG_TYPE } = scheduler.requireBuiltin('internal/errors');
      throw new ERR_INVALID_ARG_TYPE('id', 'string', request);
    }
    const id = builtin(request);
    if (id !== undefined) return scheduler.requireBuiltin(id);
    return load(resolve(request, module), module).exports;
  }
  require.resolve = (request) => (builtin(request) !== undefined ? request : resolve(request, module));
  require.main = mainModule;
  require.cache = cache;
  return require;
}

function wrap(source, filename) {
  const text = source.startsWith('#!') ? `//${source}` : source;
  const body = scheduler.compileFunction(text, filename, ['exports', 'require', 'module', '__filename', '__dirname']);
  // What V8 calls the body of a module in stacks.
  Object.defineProperty(body, 'name', { value: 'Object.<anonymous>', configurable: true });
  return body;
}

function load(filename, parent) {
  const known = cache[filename];
  if (known) return known;
  const module = new Module(filename, parent);
  if (!parent) {
    mainModule = module;
    module.id = '.';
  }
  cache[filename] = module;
  let done = false;
  try {
    if (filename.endsWith('.json')) {
      try {
        module.exports = JSON.parse(native.readText(filename).replace(/^\uFEFF/, ''));
      } catch (error) {
        error.message = `${filename}: ${error.message}`;
        throw error;
      }
    } else {
      const body = wrap(native.readText(filename), filename);
      body.call(module.exports, module.exports, makeRequire(module), module, filename, module.path);
    }
    module.loaded = true;
    done = true;
  } finally {
    if (!done) delete cache[filename];
  }
  return module;
}

function resolveMain(name) {
  return absolute(name);
}

function runMain(path) {
  const found = asFile(path) ?? asDirectory(path);
  if (found === undefined) throw notFound(path);
  load(native.realPath(found) ?? found);
}

function runCode(code, print) {
  const module = new Module(`${process.cwd()}/[eval]`);
  globalThis.require = makeRequire(module);
  globalThis.module = module;
  globalThis.exports = module.exports;
  globalThis.__filename = '[eval]';
  globalThis.__dirname = '.';
  const value = scheduler.evalScript(code, '[eval]');
  if (print) console.log(value);
}

module.exports = { resolveMain, runMain, runCode };
