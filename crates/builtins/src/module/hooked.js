'use strict';
// `require` with hooks: they resolve requests to URLs and supply sources.

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
  const loaded = hooks.load(url, format, undefined, hooks.requireConditions(), (given, context) => {
    const filename = filenameOf(given);
    if (context.format === 'builtin') return { source: null, format: 'builtin' };
    if (textFormats.has(context.format)) return { source: readText(filename), format: context.format };
    const { ERR_UNKNOWN_MODULE_FORMAT } = require('internal/errors');
    throw new ERR_UNKNOWN_MODULE_FORMAT(context.format, urlOf(filename));
  });
  const source = hooks.textOf(loaded.source);
  hooks.know(filenameOf(url), source);
  return { source, format: loaded.format };
}

// Sources that modules have received already.
const texts = new SafeWeakMap();

// Like `sourceOf` in cjs.js, with hooks.
function sourceOf(module, filename) {
  if (!texts.has(module)) {
    module[kURL] ??= urlOf(filename);
    const { source, format } = ask(module[kURL], module[kFormat]);
    if (format !== undefined) module[kFormat] = format;
    texts.set(module, source);
  }
  return { source: texts.get(module), format: module[kFormat] };
}

// The replacement of a builtin by hooks, if any.
function insteadOf(url, format) {
  if (hooksFor('load') === undefined) return undefined;
  const loaded = ask(url, format || 'builtin');
  return loaded.format && loaded.format !== 'builtin' ? loaded : undefined;
}

// Like `Module._load`, with hooks.
function load(request, parent, isMain, key) {
  const { url, format } = resolve(request, parent, isMain);
  const filename = filenameOf(url);
  const isBuiltin = publicIds.has(filename);
  // For a builtin requested with `node:` the cache is not used.
  const known = isBuiltin && request === url ? undefined : Module._cache[filename];
  if (known !== undefined) return exportsOfKnown(known, parent);
  const given = isBuiltin ? insteadOf(url, format) : undefined;
  if (isBuiltin && given === undefined) return requireBuiltin(filename);
  return makeModule(filename, parent, isMain, key, (module) => {
    module[kURL] = url;
    module[kFormat] = given === undefined ? format : given.format;
    if (given !== undefined) texts.set(module, given.source);
    module.load(filename);
  });
}

// For `import` of a CommonJS file: hooks may have replaced its source.
function loadGiven(filename, text, isMain) {
  const known = Module._cache[filename];
  if (known !== undefined) return exportsOfKnown(known, undefined);
  return makeModule(filename, undefined, isMain, undefined, (module) => {
    if (text !== undefined) module[kFormat] = 'commonjs';
    texts.set(module, text ?? readText(filename));
    module.load(filename);
  });
}

module.exports = { filenameOf, load, loadGiven, sourceOf, hasText: (module) => texts.has(module) };
