'use strict';
// Where an ES module comes from: the URL that a specifier means, and the format and text of a URL, by hooks or without.

const { formatOf, hooksFor, surely, withoutShebang } = require('internal/modules/cjs');
const { resolve: resolveByDefault } = require('internal/modules/esm_resolve');
const { toPath } = require('internal/modules/file_url');
const { scopeOf } = require('internal/modules/package');
const { readText } = require('internal/modules/read');

// Whether a text is a module, and no script.
function isModuleSyntax(text) {
  return /\b(?:import|export|await)\b|(?:const|let|class)\s+(?:module|exports|require|__\w+name)\b/.test(text) &&
    native.isModuleSyntax(text);
}

function fromData(url) {
  const match = /^data:([^,;]*)((?:;[^,;]*)*),([^]*)$/.exec(url);
  const mime = match === null ? '' : match[1].trim().toLowerCase();
  const format = { 'text/javascript': 'module', 'application/json': 'json' }[mime];
  if (format === undefined) {
    const { ERR_UNKNOWN_MODULE_FORMAT } = require('internal/errors');
    throw new ERR_UNKNOWN_MODULE_FORMAT(mime || 'text/plain', url);
  }
  const body = decodeURIComponent(match[3].replace(/#.*$/s, ''));
  const isBase64 = /;\s*base64$/i.test(match[2]);
  return { format, text: isBase64 ? require('buffer').Buffer.from(body, 'base64').toString() : body };
}

function fromFile(url) {
  const path = toPath(url);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const ending = dot <= 0 ? '' : name.slice(dot);
  let format = formatOf(path);
  if (ending === '.json') format = 'json';
  else if (ending === '') {
    const type = scopeOf(path)?.type ?? 'none';
    format = type === 'none' ? undefined : type;
  } else if (format === undefined && ending !== '.js') {
    const { ERR_UNKNOWN_FILE_EXTENSION } = require('internal/errors');
    throw new ERR_UNKNOWN_FILE_EXTENSION(ending, path);
  }
  if (format === 'commonjs') return { format, path };
  let text = readText(path);
  if (format !== undefined && format.endsWith('typescript')) {
    text = require('internal/modules/typescript').strip(text, path);
    format = format === 'typescript' ? undefined : format.slice(0, -11);
    if (format === 'commonjs') return { format, path };
  }
  if (format === 'module') return { format, text: withoutShebang(text), path };
  if (format === 'json') return { format, text, path };
  format = isModuleSyntax(withoutShebang(text)) ? 'module' : 'commonjs';
  return { format, text: withoutShebang(text), path };
}

// What hooks say the format of a URL is.
const told = new Map();

function formatForHooks(url) {
  if (url.startsWith('node:')) return 'builtin';
  if (url.startsWith('data:')) return fromData(url).format;
  const path = toPath(url);
  return path.endsWith('.json') ? 'json' : formatOf(path) ?? null;
}

// The URL that a specifier means, if hooks have no other word. `loose`: files need not be there.
function resolve(specifier, base, loose = false, attributes = undefined) {
  const hooks = hooksFor('resolve');
  if (hooks === undefined) return surely(() => resolveByDefault(specifier, base, loose));
  const conditions = hooks.importConditions();
  const byDefault = (given, context) => {
    const chosen = hooks.chosenConditions(context, conditions, 'conditions');
    const found = resolveByDefault(given, context.parentURL ?? base, loose, chosen);
    return { __proto__: null, url: found, format: formatForHooks(found), importAttributes: undefined };
  };
  const { url, format } = hooks.resolve(specifier, base, { __proto__: null, ...attributes }, conditions, byDefault);
  if (format !== undefined && format !== null) told.set(url, format);
  return url;
}

// What a URL is, if hooks have no other word.
function textFor(url, attributes) {
  const byDefault = (from) => (from.startsWith('data:') ? fromData(from) : fromFile(from));
  const hooks = hooksFor('load');
  if (hooks === undefined) return surely(() => byDefault(url));
  const format = told.get(url) ?? (/^(?:file|node|data):/.test(url) ? formatForHooks(url) : undefined);
  const { Buffer } = require('buffer');
  const loaded = hooks.load(url, format, { __proto__: null, ...attributes }, hooks.importConditions(), (given) => {
    if (given.startsWith('node:')) return { format: 'builtin', responseURL: given, source: null, shouldBeReloadedByCJSLoader: false };
    const found = byDefault(given);
    const source = Buffer.from(found.text ?? readText(found.path));
    return { format: found.format, responseURL: given, source, shouldBeReloadedByCJSLoader: found.format === 'commonjs' };
  });
  const path = url.startsWith('file:') ? toPath(url) : undefined;
  if (loaded.format === 'builtin') return { format: 'builtin' };
  const text = loaded.source === null || loaded.source === undefined ? undefined : hooks.textOf(loaded.source);
  const kind = loaded.format ?? (isModuleSyntax(text) ? 'module' : 'commonjs');
  return { format: kind, text, path: path ?? (kind === 'commonjs' ? url : undefined) };
}

module.exports = { isModuleSyntax, resolve, textFor };
