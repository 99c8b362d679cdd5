'use strict';
// `module.registerHooks`: functions that are asked what a specifier means and what a URL's text is, by `require` and by
// `import` alike. The last one registered is asked first; each may ask the next. Nothing here is loaded before the first.

const {
  ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_RETURN_PROPERTY_VALUE,
} = require('internal/errors');
const { customConditions } = require('internal/modules/package');

const kId = Symbol('kModuleHooksIdKey');
const chains = { __proto__: null, resolve: [], load: [] };
let registered = 0;

class ModuleHooks {
  constructor(resolve, load) {
    this.resolve = resolve;
    this.load = load;
    this[kId] = Symbol(`module-hook-${registered++}`);
    for (const kind of ['resolve', 'load']) if (this[kind]) chains[kind].push(this);
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

const checks = {
  __proto__: null,
  resolve(result) {
    if (typeof result.url !== 'string') {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a URL string', 'resolve', 'url', result.url);
    }
  },
  load({ source, format }) {
    const isBytes = ArrayBuffer.isView(source) || source instanceof ArrayBuffer;
    if (format === 'builtin' || typeof source === 'string' || isBytes) return;
    if ((source === null || source === undefined) && format === 'commonjs') return;
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('a string, an ArrayBuffer, or a TypedArray', 'load', 'source', source);
  },
};

// Asks one chain. `last` is what would have been done without it.
function ask(kind, subject, context, last) {
  const chain = chains[kind];
  const step = (at) => (given = subject, more = undefined) => {
    const isSame = more === undefined || more === context;
    const merged = isSame ? context : Object.assign(Object.create(Object.getPrototypeOf(context)), context, more);
    if (at < 0) return last(given, merged);
    let asked = false;
    const below = step(at - 1);
    const next = (...args) => {
      asked = true;
      return below(args[0] ?? given, args[1] ?? merged);
    };
    const result = chain[at][kind](given, merged, next);
    if (!asked && result.shortCircuit !== true) {
      throw new ERR_INVALID_RETURN_PROPERTY_VALUE('true', kind, 'shortCircuit', result.shortCircuit);
    }
    checks[kind](result);
    return result;
  };
  return step(chain.length - 1)();
}

// What hooks are told of the conditions, in Node's order.
const requireConditions = () => ['require', 'node', 'node-addons', ...customConditions(), 'module-sync'];
const importConditions = () => ['node', 'import', 'module-sync', 'node-addons', ...customConditions()];

// The conditions that a hook has put in the place of those it was told; undefined if it left them.
function chosenConditions({ conditions }, told, name) {
  if (conditions === undefined || conditions === null || conditions === told) return undefined;
  if (!Array.isArray(conditions)) throw new ERR_INVALID_ARG_VALUE(name, conditions, 'expected an array');
  return new Set(conditions);
}

function textOf(source) {
  if (typeof source === 'string') return source;
  const { TextDecoder } = require('internal/encoding');
  return new TextDecoder().decode(source);
}

module.exports = {
  chosenConditions,
  importConditions,
  registerHooks,
  requireConditions,
  textOf,
  any: (kind) => chains[kind].length > 0,
  resolve: (specifier, parentURL, importAttributes, conditions, last) =>
    ask('resolve', specifier, new ModuleResolveContext(parentURL, importAttributes, conditions), last),
  load: (url, format, importAttributes, conditions, last) =>
    ask('load', url, new ModuleLoadContext(format, importAttributes, conditions), last),
};
