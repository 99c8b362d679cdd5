'use strict';
// `require` of what hooks have a word in: they say which URL a request means, and what its text is.

const {
  Module, exportsOfKnown, formatOf, hooksFor, kURL, makeModule, publicIds, requireBuiltin, withoutMark,
} = require('internal/modules/cjs');
const { toPath, toUrl } = require('internal/modules/file_url');
const hooks = require('internal/modules/hooks');
const { dirname } = require('internal/modules/package');
const { readText } = require('internal/modules/read');

// What a file's name says of its format to hooks.
function formatForHooks(filename) {
  return filename.endsWith('.json') ? 'json' : formatOf(filename);
}

// As Node names what a request has led to.
function urlOf(filename) {
  if (Module.isBuiltin(filename)) return filename.startsWith('node:') ? filename : `node:${filename}`;
  return filename.startsWith('/') ? toUrl(filename) : filename;
}

// What hooks say that a request means: a URL, and its format if they know it.
function resolve(request, parent, isMain) {
  const conditions = hooks.requireConditions();
  const byDefault = (specifier, context) => {
    const chosen = hooks.chosenConditions(context, conditions, 'context.conditions');
    const isBuiltin = specifier.startsWith('node:') && publicIds.has(specifier.slice(5));
    const filename = isBuiltin ? specifier :
      Module._resolveFilename(specifier, parent, isMain, chosen && { __proto__: null, conditions: chosen });
    return { __proto__: null, url: urlOf(filename), format: undefined, importAttributes: undefined };
  };
  if (hooksFor('resolve') === undefined) return byDefault(request, {});
  const parentURL = parent?.[kURL] ?? (typeof parent?.filename === 'string' ? urlOf(parent.filename) : undefined);
  return hooks.resolve(request, parentURL, undefined, conditions, byDefault);
}

// As `Module._load`, for what hooks have a word in.
function load(request, parent, isMain, key) {
  const { url, format: told } = resolve(request, parent, isMain);
  const isBuiltin = url.startsWith('node:');
  const filename = url.startsWith('file:') ? toPath(url) : url;
  const isLoadedByHooks = hooksFor('load') !== undefined;
  // As Node: they are asked of a builtin whose scheme is named, whether it is known or not.
  const isAskedAgain = isLoadedByHooks && isBuiltin && request.startsWith('node:');
  if (!isAskedAgain && Module._cache[filename] !== undefined) return exportsOfKnown(Module._cache[filename], parent);
  if (!isLoadedByHooks) {
    if (isBuiltin) return requireBuiltin(url.slice(5));
    return makeModule(filename, parent, isMain, key, (module) => module.load(filename));
  }
  const format = isBuiltin ? 'builtin' : told ?? formatForHooks(filename);
  const loaded = hooks.load(url, format, undefined, hooks.requireConditions(), (given, context) => {
    if (given.startsWith('node:')) return { source: null, format: 'builtin' };
    const path = given.startsWith('file:') ? toPath(given) : given;
    return { source: withoutMark(readText(path)), format: context.format };
  });
  if (loaded.format === 'builtin') return requireBuiltin(url.slice(5));
  if (Module._cache[filename] !== undefined) return exportsOfKnown(Module._cache[filename], parent);
  return makeModule(filename, parent, isMain, key, (module) => {
    module.filename ??= filename;
    module.paths ??= Module._nodeModulePaths(dirname(filename));
    const text = hooks.textOf(loaded.source);
    if (loaded.format === 'json') module.exports = JSON.parse(text);
    else module._compile(text, filename, loaded.format ?? undefined);
    module.loaded = true;
  });
}

// For `import` of a CommonJS file that hooks were asked about: its text may be another one.
function loadGiven(filename, text) {
  const known = Module._cache[filename];
  if (known !== undefined) return exportsOfKnown(known, undefined);
  return makeModule(filename, undefined, false, undefined, (module) => {
    if (text === undefined) {
      module.load(filename);
      return;
    }
    module.filename ??= filename;
    module.paths ??= Module._nodeModulePaths(dirname(filename));
    module._compile(text, filename, 'commonjs');
    module.loaded = true;
  });
}

module.exports = { load, loadGiven };
