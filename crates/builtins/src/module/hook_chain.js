'use strict';
// The asynchronous hook chains of `module.register`, on the hooks thread. The last registered hook runs first. The
// synchronous hooks of `module.registerHooks` are in `internal/modules/hooks`.

const {
  ERR_INTERNAL_ASSERTION, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_RETURN_PROPERTY_VALUE, ERR_INVALID_RETURN_VALUE,
  ERR_LOADER_CHAIN_INCOMPLETE, ERR_UNKNOWN_MODULE_FORMAT,
} = require('internal/errors');
const { validateObject, validateString } = require('internal/validators');
const { importConditions, isBytes } = require('internal/modules/hooks');
const { defaultLoad, defaultResolve } = require('internal/modules/esm_source');
const process = require('process');
const { URL } = require('internal/url');

const conditions = importConditions();

// The default load step. It returns no source for a CommonJS file: `require` reads the file (`lib/internal/modules/esm/load.js: defaultLoad`).
function lastLoad(url, context) {
  const { format } = context;
  const found = defaultLoad(url, context);
  if (format === 'commonjs') found.source = context.source;
  else if ((format === undefined || format === null) && found.format === 'commonjs') found.source = null;
  return found;
}

// Hooks in reverse call order: { hook, from }. `from` is the module of the hook, for errors.
const chains = {
  __proto__: null,
  resolve: [{ hook: (specifier, context) => defaultResolve(specifier, context, conditions), from: 'node:internal/modules/esm/resolve' }],
  load: [{ hook: lastLoad, from: 'node:internal/modules/esm/load' }],
};

let hasWarned = false;
function warnOfAssertions() {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning('Use `importAttributes` instead of `importAssertions`', 'ExperimentalWarning');
}

// Adds the deprecated property `importAssertions` to the context that all steps share.
const withOldName = (context) => Object.defineProperty(context, 'importAssertions', {
  __proto__: null,
  configurable: true,
  get() {
    warnOfAssertions();
    return this.importAttributes;
  },
  set(value) {
    warnOfAssertions();
    this.importAttributes = value;
  },
});

// Validates the first argument of a hook.
const checkSubject = {
  __proto__: null,
  resolve: (specifier, caller) => validateString(specifier, `${caller} specifier`),
  load(url, caller) {
    if (typeof url !== 'string') throw new ERR_INVALID_ARG_TYPE(`${caller} url`, 'a URL string', url);
    if (!URL.canParse(url)) throw new ERR_INVALID_ARG_VALUE(`${caller} url`, url, 'should be a URL string');
  },
};

// Throws the error that V8 throws when Node calls a value that is not a function. `name` is the name of the value in Node.
function checkFunction(value, name) {
  if (typeof value !== 'function') throw new TypeError(`${name} is not a function`);
}

function checkObject(result, caller) {
  if (typeof result !== 'object' || result === null) throw new ERR_INVALID_RETURN_VALUE('an object', caller, result);
}

// Returns the `next` function of a chain position. `state` belongs to one request.
function stepAt(kind, at, state) {
  const { hook, from } = chains[kind][at];
  const name = kind === 'load' ? 'nextLoad' : 'nextResolve';
  const next = at > 0 ? stepAt(kind, at - 1, state) : () => {
    throw new ERR_INTERNAL_ASSERTION(`ESM custom loader '${kind}' advanced beyond the end of the chain.`);
  };
  // The default value keeps `length` at 0 (`lib/internal/modules/esm/hooks.js: nextHookFactory`).
  const step = async (subject = undefined, context) => {
    state.hookName = `${from} '${kind}'`;
    const caller = `${state.hookName} hook's ${name}()`;
    checkSubject[kind](subject, caller);
    if (context) {
      validateObject(context, `${caller} context`);
      Object.assign(state.context, context);
    }
    if (at === 0) state.isFinished = true;
    checkFunction(hook, 'hook');
    const result = await hook(subject, state.context, next);
    checkObject(result, caller);
    if (result.shortCircuit === true) state.isShort = true;
    return result;
  };
  return Object.defineProperty(step, 'name', { __proto__: null, value: name });
}

// Runs a chain. Returns the result and the name of the hook that returned it.
async function ask(kind, subject, context) {
  const state = { context: withOldName(context), hookName: '', isFinished: false, isShort: false };
  const result = await stepAt(kind, chains[kind].length - 1, state)(subject, state.context);
  if (!state.isFinished && !state.isShort) throw new ERR_LOADER_CHAIN_INCOMPLETE(state.hookName);
  return { result, hookName: state.hookName };
}

const isNone = (value) => value === undefined || value === null;

// Returns a function that throws for an invalid property of a result.
const propertyThrower = (hookName) => (expected, name, value) => {
  throw new ERR_INVALID_RETURN_PROPERTY_VALUE(expected, hookName, name, value);
};

async function resolve(specifier, parentURL, importAttributes = { __proto__: null }) {
  const { result, hookName } = await ask('resolve', specifier, { conditions, importAttributes, parentURL });
  const { format, url } = result;
  const throwInvalid = propertyThrower(hookName);
  if (typeof url !== 'string' || !URL.canParse(url)) throwInvalid('a URL string', 'url', url);
  let { importAttributes: attributes } = result;
  if (!('importAttributes' in result) && 'importAssertions' in result) {
    warnOfAssertions();
    attributes = result.importAssertions;
  }
  if (!isNone(attributes) && typeof attributes !== 'object') throwInvalid('an object', 'importAttributes', attributes);
  if (!isNone(format) && typeof format !== 'string') throwInvalid('a string', 'format', format);
  return { __proto__: null, format, importAttributes: attributes, url };
}

async function load(url, context = {}) {
  const { result, hookName } = await ask('load', url, context);
  const { format, source, responseURL = url } = result;
  const throwInvalid = propertyThrower(hookName);
  if (typeof responseURL !== 'string' || URL.parse(responseURL)?.href !== responseURL) {
    throwInvalid('undefined or a fully resolved URL string', 'responseURL', responseURL);
  }
  if (isNone(format)) throw new ERR_UNKNOWN_MODULE_FORMAT(/^data:([^/]+\/[^;,]+)[^,]*,/.exec(url)?.[1] ?? format, url);
  if (typeof format !== 'string') throwInvalid('a string', 'format', format);
  if (!isNone(source) && typeof source !== 'string' && !isBytes(source)) {
    throwInvalid('a string, an ArrayBuffer, or a TypedArray', 'source', source);
  }
  return { __proto__: null, format, responseURL, source };
}

let hasWarnedOfPreload = false;

// Registers the hooks exported by a module; returns the result of its `initialize`.
function add(from, { globalPreload, initialize, resolve: resolving, load: loading }, data) {
  if (resolving) chains.resolve.push({ hook: resolving, from });
  if (loading) chains.load.push({ hook: loading, from });
  if (globalPreload && !initialize && !hasWarnedOfPreload) {
    hasWarnedOfPreload = true;
    process.emitWarning('`globalPreload` has been removed; use `initialize` instead.', 'UnsupportedWarning');
  }
  if (!initialize) return undefined;
  checkFunction(initialize, 'initialize');
  return initialize(data);
}

module.exports = { add, load, resolve, isEmpty: () => chains.resolve.length === 1 && chains.load.length === 1 };
