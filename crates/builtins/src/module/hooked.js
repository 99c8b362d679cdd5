'use strict';
// `require` with hooks: hooks resolve requests to URLs and supply sources.

const {
  Module, builtinId, exportsOfKnown, hooksFor, kFormat, kURL, makeModule, placeOf, publicIds, requireBuiltin,
} = require('internal/modules/cjs');
const { toUrl } = require('internal/modules/file_url');
const hooks = require('internal/modules/hooks');
const { readText } = require('internal/modules/read');
const { fileURLToPath } = require('internal/url/files');

// The URL of a resolved file name or builtin.
function urlOf(filename) {
  if (Module.isBuiltin(filename)) return filename.startsWith('node:') ? filename : `node:${filename}`;
  return filename.startsWith('/') ? toUrl(filename) : filename;
}

// The file name of a URL, the id of a builtin, or the URL itself.
function filenameOf(url) {
  const id = builtinId(url);
  if (id !== undefined) return id;
  return url.startsWith('file://') ? fileURLToPath(url) : url;
}

// Resolves a request through hooks: URL and optional format.
function resolve(request, parent, isMain) {
  const conditions = hooks.requireConditions();
  const byDefault = (specifier, context) => {
    const chosen = hooks.chosenConditions(context, conditions, 'context.conditions');
    const { filename, id } = placeOf(specifier, parent, isMain, chosen && { __proto__: null, conditions: chosen });
    return { __proto__: null, url: urlOf(filename ?? id) };
  };
  if (hooksFor('resolve') === undefined) return byDefault(request, {});
  const parentURL = parent?.[kURL] ?? (typeof parent?.filename === 'string' ? urlOf(parent.filename) : undefined);
  return hooks.resolve(request, parentURL, undefined, conditions, byDefault);
}

// Formats whose source is text.
const textFormats = new SafeSet(
  [undefined, null, 'module', 'commonjs', 'json', 'module-typescript', 'commonjs-typescript', 'typescript']);

// Loads the source of a URL through hooks.
function ask(url, format) {
  const loaded = hooks.load(url, format, undefined, hooks.requireConditions(), (specifier, context) => {
    const filename = filenameOf(specifier);
    if (context.format === 'builtin') return { source: null, format: 'builtin' };
    if (textFormats.has(context.format)) return { source: readText(filename), format: context.format };
    const { ERR_UNKNOWN_MODULE_FORMAT } = require('internal/errors');
    throw new ERR_UNKNOWN_MODULE_FORMAT(context.format, urlOf(filename));
  });
  const source = hooks.textOf(loaded.source);
  hooks.noteSource(filenameOf(url), source);
  return { source, format: loaded.format };
}

// Source text of modules whose load hooks have run.
const sources = new SafeWeakMap();

// Like `sourceOf` in cjs.js, but calls the hooks.
function sourceOf(module, filename) {
  if (!sources.has(module)) {
    module[kURL] ??= urlOf(filename);
    const { source, format } = ask(module[kURL], module[kFormat]);
    if (format !== undefined) module[kFormat] = format;
    sources.set(module, source);
  }
  return { source: sources.get(module), format: module[kFormat] };
}

// The module that hooks return instead of a builtin; undefined if they return none.
function builtinReplacement(url, format) {
  if (hooksFor('load') === undefined) return undefined;
  const loaded = ask(url, format || 'builtin');
  return loaded.format && loaded.format !== 'builtin' ? loaded : undefined;
}

// Like `Module._load`, but calls the hooks.
function load(request, parent, isMain, key) {
  const { url, format } = resolve(request, parent, isMain);
  const filename = filenameOf(url);
  const isBuiltin = publicIds.has(filename);
  // The cache is not used for a builtin that is requested with `node:`.
  const known = isBuiltin && request === url ? undefined : Module._cache[filename];
  if (known !== undefined) return exportsOfKnown(known, parent);
  const replacement = isBuiltin ? builtinReplacement(url, format) : undefined;
  if (isBuiltin && replacement === undefined) return requireBuiltin(filename);
  return makeModule(filename, parent, isMain, key, (module) => {
    module[kURL] = url;
    module[kFormat] = replacement === undefined ? format : replacement.format;
    if (replacement !== undefined) sources.set(module, replacement.source);
    module.load(filename);
  });
}

// Loads a CommonJS file for `import`. Hooks may have replaced its source already.
function loadGiven(filename, text, isMain) {
  const known = Module._cache[filename];
  if (known !== undefined) return exportsOfKnown(known, undefined);
  return makeModule(filename, undefined, isMain, undefined, (module) => {
    if (text !== undefined) module[kFormat] = 'commonjs';
    sources.set(module, text ?? readText(filename));
    module.load(filename);
  });
}

module.exports = { filenameOf, load, loadGiven, sourceOf, hasText: (module) => sources.has(module) };
