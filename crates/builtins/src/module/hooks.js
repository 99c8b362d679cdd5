'use strict';
// `module.registerHooks`: synchronous resolve and load hooks for `require` and `import`. The last registered hook
// runs first; each may call the next. This file is loaded with the first registration.

const {
  ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_RETURN_PROPERTY_VALUE,
} = require('internal/errors');
const { customConditions } = require('internal/modules/package');
const { isAnyArrayBuffer } = require('internal/util/types');

const kId = Symbol('kModuleHooksIdKey');
const chains = { __proto__: null, resolve: [], load: [] };
let registered = 0;

class ModuleHooks {
  constructor(resolve, load) {
    this.resolve = resolve;
    this.load = load;
    this[kId] = Symbol(`module-hook-${registered++}`);
    for (const kind of ['resolve', 'load']) if (this[kind]) chains[kind].push(this);
    Object.freeze(this);
  }

  deregister() {
    for (const kind of ['resolve', 'load']) chains[kind] = chains[kind].filter((one) => one !== this);
  }
}

function registerHooks(hooks) {
  const { resolve, load } = hooks;
  for (const [name, hook] of [['resolve', resolve], ['load', load]]) {
    if (hook && typeof hook !== 'function') throw new ERR_INVALID_ARG_TYPE(`hooks.${name}`, 'function', hook);
  }
  return new ModuleHooks(resolve, load);
}

class ModuleResolveContext {
  constructor(parentURL, importAttributes, conditions) {
    Object.assign(this, { parentURL, importAttributes, conditions });
  }
}

class ModuleLoadContext {
  constructor(format, importAttributes, conditions) {
    Object.assign(this, { format, importAttributes, conditions });
  }
}

const isBytes = (source) => ArrayBuffer.isView(source) || isAnyArrayBuffer(source);

// Validates the result of a hook. `isLax`: a CommonJS load may return no source.
const checked = {
  __proto__: null,
  resolve(result) {
    const { url, format, importAttributes } = result;
    if (typeof url !== 'string') throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a URL string', 'resolve', 'url', url);
    if (format && typeof format !== 'string') {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string', 'resolve', 'format', format);
    }
    if (importAttributes && typeof importAttributes !== 'object') {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('an object', 'resolve', 'importAttributes', importAttributes);
    }
    return { __proto__: null, url, format, importAttributes };
  },
  load(result, url, isLax) {
    const { source, format } = result;
    const isLeft = isLax && format === 'commonjs' && (source === null || source === undefined);
    if (!isLeft && !`${url}`.startsWith('node:') && typeof source !== 'string' && !isBytes(source) && format !== 'addon') {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string, an ArrayBuffer, or a TypedArray', 'load', 'source', source);
    }
    if (typeof format !== 'string' && format !== undefined) {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string', 'load', 'format', format);
    }
    return result;
  },
};

// Runs a hook chain. `last` is the default step. All steps share the context, and hooks registered during the run do
// not take part in it (`lib/internal/modules/customization_hooks.js: buildHooks`).
function ask(kind, subject, context, last, isLax) {
  const steps = [last, ...chains[kind].map((one) => one[kind])];
  let lastAsked;
  const step = (at) => (given, more) => {
    lastAsked = at;
    if (more && more !== context) Object.assign(context, more);
    const one = steps[at];
    const result = one(given, context, at === 0 ? undefined : step(at - 1));
    if (at > 0 && lastAsked === at && !result.shortCircuit) {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('true', kind, 'shortCircuit', result.shortCircuit);
    }
    return checked[kind](result, given, isLax);
  };
  return step(steps.length - 1)(subject, context);
}

// The `conditions` passed to hooks, in Node's order.
const requireConditions = () => ['require', 'node', 'node-addons', ...customConditions(), 'module-sync'];
const importConditions = () => ['node', 'import', 'module-sync', 'node-addons', ...customConditions()];

// Returns the conditions that a hook has passed on instead of `passed`, the original ones; undefined if they are unchanged.
function chosenConditions({ conditions }, passed, name) {
  if (conditions === undefined || conditions === null || conditions === passed) return undefined;
  if (!Array.isArray(conditions)) throw new ERR_INVALID_ARG_VALUE(name, conditions, 'expected an array');
  return new Set(conditions);
}

function textOf(source) {
  if (!isBytes(source)) return source;
  const { TextDecoder } = require('internal/encoding');
  return new TextDecoder().decode(source);
}

// Registers the source text that a hook returned, so that error reports quote it instead of the file on disk.
function noteSource(name, text) {
  if (typeof text === 'string') require('internal/stack').know(name, text);
}

module.exports = {
  chosenConditions,
  importConditions,
  isBytes,
  noteSource,
  registerHooks,
  requireConditions,
  textOf,
  any: (kind) => chains[kind].length > 0,
  resolve: (specifier, parentURL, importAttributes, conditions, last) =>
    ask('resolve', specifier, new ModuleResolveContext(parentURL, importAttributes, conditions), last),
  load: (url, format, importAttributes, conditions, last, isLax) =>
    ask('load', url, new ModuleLoadContext(format, importAttributes, conditions), last, isLax),
};
