'use strict';
// The public `module` module: `Module` of CommonJS and its rarely used functions.

const { Module, publicIds } = require('internal/modules/cjs');

// Like Node 22, do not list ids with a scheme, such as `node:test`.
Module.builtinModules = Object.freeze([...publicIds].filter((id) => !id.includes(':')));

Module.syncBuiltinESMExports = function syncBuiltinESMExports() {
  require('internal/modules/esm').syncBuiltins();
};

Module.constants = Object.freeze({
  __proto__: null,
  compileCacheStatus: Object.freeze({ __proto__: null, FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 }),
});

// A compile cache is not supported.
Module.enableCompileCache = function enableCompileCache() {
  return { __proto__: null, status: Module.constants.compileCacheStatus.DISABLED };
};
Module.getCompileCacheDir = function getCompileCacheDir() {};
Module.flushCompileCache = function flushCompileCache() {};

Module.findPackageJSON = function findPackageJSON(specifier, base = 'data:') {
  if (arguments.length === 0) {
    const { ERR_MISSING_ARGS } = require('internal/errors');
    throw new ERR_MISSING_ARGS('specifier');
  }
  const { validateString } = require('internal/validators');
  const { toUrl, toPath } = require('internal/modules/file_url');
  const { scopeOf, join } = require('internal/modules/package');
  const textOf = (value) => (typeof value?.href === 'string' ? value.href : value);
  const request = textOf(specifier);
  validateString(request, 'specifier');
  const from = textOf(base);
  validateString(from, 'base');
  const baseUrl = from.startsWith('/') ? toUrl(from) : from;
  if (request.startsWith('file:')) return scopeOf(toPath(request))?.file;
  if (/^(?:\.\.?)?\//.test(request) || request === '.' || request === '..') {
    const { joinUrl } = require('internal/modules/file_url');
    return scopeOf(toPath(joinUrl(request, baseUrl)))?.file;
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(request)) {
    const { ERR_INVALID_URL_SCHEME } = require('internal/errors');
    throw new ERR_INVALID_URL_SCHEME('file');
  }
  const { packageFolder } = require('internal/modules/esm_resolve');
  return join(packageFolder(request, baseUrl), 'package.json');
};

Module.stripTypeScriptTypes = function stripTypeScriptTypes(code, options = {}) {
  const { validateString, validateObject, validateOneOf } = require('internal/validators');
  validateString(code, 'code');
  validateObject(options, 'options');
  const { mode = 'strip', sourceUrl = '' } = options;
  validateOneOf(mode, 'options.mode', ['strip', 'transform']);
  const { emitWarning } = require('process');
  emitWarning('stripTypeScriptTypes is an experimental feature and might change at any time', 'ExperimentalWarning');
  const text = require('internal/modules/typescript').strip(code, sourceUrl, true);
  return sourceUrl === '' ? text : `${text}\n\n//# sourceURL=${sourceUrl}`;
};

Module.register = function register(specifier, parentURL = undefined, options) {
  const isUrl = (value) => typeof value.href === 'string' && typeof value.protocol === 'string';
  let base = parentURL;
  let given = options;
  if (typeof base === 'object' && base !== null && !isUrl(base)) {
    given = base;
    base = given.parentURL;
  }
  require('internal/modules/register').register(`${specifier}`, `${base ?? 'data:'}`, given?.data, given?.transferList);
};

Module.registerHooks = function registerHooks(hooks) {
  const all = require('internal/modules/hooks');
  const made = all.registerHooks(hooks);
  require('internal/modules/cjs').useHooks(all);
  return made;
};

Object.defineProperty(Module, 'SourceMap', {
  configurable: true,
  enumerable: true,
  get() { return require('internal/modules/source_map').SourceMap; },
  // An assignment defines an own property, also on a subclass.
  set(value) {
    Object.defineProperty(this, 'SourceMap', { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  },
});
const sourceMaps = () => require('internal/modules/source_maps');
Module.findSourceMap = function findSourceMap(sourceURL) { return sourceMaps().findSourceMap(sourceURL); };
Module.getSourceMapsSupport = function getSourceMapsSupport() {
  return sourceMaps().getSourceMapsSupport();
};
Module.setSourceMapsSupport = function setSourceMapsSupport(enabled, options = undefined) {
  sourceMaps().setSourceMapsSupport(enabled, options);
};

module.exports = Module;
