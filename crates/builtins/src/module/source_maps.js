'use strict';
// Source maps of loaded modules, and stack traces with positions in the original source (`lib/internal/source_map/source_map_cache.js`,
// `lib/internal/source_map/prepare_stack_trace.js`). This file is loaded when source maps are enabled or requested; a map is parsed on first use.

const { SourceMap } = require('internal/modules/source_map');
const { toUrl } = require('internal/modules/file_url');
const { validateBoolean, validateObject } = require('internal/validators');

const parse = JSON.parse;

const settingsOf = (enabled, nodeModules, generatedCode) =>
  Object.freeze({ __proto__: null, enabled, nodeModules, generatedCode });
let settings = settingsOf(false, false, false);

const getSourceMapsSupport = () => settings;

function setSourceMapsSupport(enabled, options = {}) {
  validateBoolean(enabled, 'enabled');
  validateObject(options, 'options');
  const { nodeModules = false, generatedCode = false } = options;
  validateBoolean(nodeModules, 'options.nodeModules');
  validateBoolean(generatedCode, 'options.generatedCode');
  settings = settingsOf(enabled, nodeModules, generatedCode);
  require('internal/modules/cjs').useSourceMaps(enabled ? note : undefined);
  require('internal/stack').useSourceMaps(enabled ? { lineOf, mapFrames } : undefined);
}

function setSourceMapsEnabled(enabled) {
  setSourceMapsSupport(enabled, { nodeModules: enabled, generatedCode: enabled });
}

// Entries of modules by URL. Code compiled by `eval` has no entry, because the engine does not provide its source text.
const modules = new SafeMap();

const hasScheme = /^\w+:\/\//;
const isUnderNodeModules = (name) => /(?:^|[/\\])node_modules[/\\]/.test(name);

// Converts a path to a URL; returns undefined for text that is neither (`lib/internal/modules/helpers.js: normalizeReferrerURL`).
function urlOf(name) {
  if (name.startsWith('/')) return toUrl(name);
  return name.startsWith('file://') || require('internal/url').URL.canParse(name) ? name : undefined;
}

// Records the source map of a loaded module.
function note(name, text) {
  const comment = native.magicComment(text, 'sourceMappingURL') ?? undefined;
  if (comment === undefined) return;
  const url = urlOf(name);
  if (url === undefined || (!settings.nodeModules && isUnderNodeModules(url))) return;
  const entry = makeEntry(url, text, comment);
  modules.set(url, entry);
  const sourceUrl = native.magicComment(text, 'sourceURL') ?? undefined;
  const other = sourceUrl === undefined ? undefined : urlOf(sourceUrl);
  if (other !== undefined) modules.set(other, entry);
}

// An entry: `json` is the JSON text of the map, or a function that decodes it; the sources of the map are relative to `base`.
function makeEntry(url, text, comment) {
  const entry = { lineLengths: native.lineLengths(text), json: undefined, base: undefined, map: undefined };
  if (/^data:/i.test(comment)) {
    entry.json = () => jsonOfData(comment.slice(5));
    entry.base = url;
    return entry;
  }
  const { URL } = require('internal/url');
  // Node does not read maps from absolute URLs other than `data:`.
  const place = URL.canParse(comment) ? null : URL.parse(comment, url);
  if (place === null) return entry;
  // Like Node, read the file now: when an error is thrown, the file may be gone or changed.
  try {
    entry.json = native.readIfThere(fileUrlToPath(place)) ?? undefined;
    entry.base = place.href;
  } catch {
    // The module is not a file, so its relative URL names no file.
  }
  return entry;
}

const fileUrlToPath = (url) => require('internal/url/files').fileURLToPath(url);

// The JSON text of a `data:` URL without its scheme. Like Node, use text that is not base64 without unescaping it.
function jsonOfData(given) {
  const path = /^[^?#]*/.exec(given)[0];
  const comma = path.indexOf(',');
  const format = (comma === -1 ? path : path.slice(0, comma)).split(';');
  if (comma === -1 || format[0] !== 'application/json') return undefined;
  // Node splits the URL at commas and uses the text between the first two.
  if (format.at(-1) !== 'base64') return path.slice(comma + 1).split(',', 1)[0];
  return require('buffer').Buffer.from(path.slice(comma + 1), 'base64').toString('utf8');
}

// The map of an entry; undefined if it cannot be read.
function mapOf(entry) {
  if (entry.map === undefined) entry.map = makeMap(entry) ?? null;
  return entry.map ?? undefined;
}

function makeMap({ json, base, lineLengths }) {
  try {
    const text = typeof json === 'function' ? json() : json;
    if (text === undefined) return undefined;
    const payload = parse(text);
    const { URL } = require('internal/url');
    const root = payload.sourceRoot || '';
    payload.sources = payload.sources.map((source) => {
      const name = root + source;
      return name.startsWith('/') ? require('internal/url/files').pathToFileURL(name).href : new URL(name, base).href;
    });
    payload.sourceRoot = '';
    return new SourceMap(payload, { lineLengths });
  } catch {
    return undefined;
  }
}

const keyOf = (url) => (hasScheme.test(url) ? url : require('internal/url/files').pathToFileURL(url).href);

function findSourceMap(sourceURL) {
  if (typeof sourceURL !== 'string' || sourceURL.startsWith('node:')) return undefined;
  if (!settings.nodeModules && isUnderNodeModules(sourceURL)) return undefined;
  try {
    const entry = modules.get(keyOf(sourceURL));
    return entry === undefined ? undefined : mapOf(entry);
  } catch {
    // The URL has no valid path, for example because it contains NUL.
    return undefined;
  }
}

// The source map of a file in a stack trace.
function mapOfFile(file) {
  if (typeof file !== 'string') return undefined;
  const entry = modules.size === 0 ? undefined : modules.get(file) ?? (file.startsWith('/') ? modules.get(toUrl(file)) : undefined);
  return entry === undefined || (!settings.nodeModules && isUnderNodeModules(file)) ? undefined : mapOf(entry);
}

const pathOf = (source) => (source.startsWith('file://') ? fileUrlToPath(source) : source);

// The original name of a function: at the position where the function begins, else at the position of the call
// (`lib/internal/source_map/prepare_stack_trace.js: getOriginalSymbolName`).
function originalName(map, frame, place, caller) {
  if (place !== undefined) {
    const { name } = map.findEntry(place[0] - 1, place[1] - 1);
    if (name) return name;
  }
  if (caller?.file !== frame.file) return undefined;
  return map.findEntry(caller.line - 1, caller.column - 1).name;
}

function mapFrame(frame, caller) {
  const map = mapOfFile(frame.file);
  const { originalSource, originalLine, originalColumn } = map?.findEntry(frame.line - 1, frame.column - 1) ?? {};
  if (originalSource === undefined || originalLine === undefined || originalColumn === undefined) return undefined;
  const place = frame.enclosing();
  const [, made = '', type = '', own] = /^(new )?(.*\.)?(.*)$/s.exec(frame.name);
  const name = originalName(map, frame, place, caller) || own || '<anonymous>';
  // `frame.name` may have no type name, or another one than that of the receiver, which Node shows.
  const receiver = typeof place?.[2] === 'string' ? `${place[2]}.` : type;
  return `${frame.isAsync ? 'async ' : made}${receiver}${name} (${pathOf(originalSource)}:${originalLine + 1}:${originalColumn + 1})`;
}

// Returns the text of the frames of a stack. An item has the text of a frame, and the frame itself if it may have a map.
function mapFrames(items) {
  let out = '';
  for (let at = 0; at < items.length; at++) {
    const { text, frame } = items[at];
    let mapped;
    try {
      mapped = frame === undefined ? undefined : mapFrame(frame, items[at + 1]?.frame);
    } catch {
      // Show the frame without mapping.
    }
    out += mapped === undefined ? text : `\n    at ${mapped}`;
  }
  return out;
}

// A line of the original source; `line` is zero-based.
function lineOfSource(map, source, line) {
  const { payload } = map;
  let text = payload.sourcesContent?.[payload.sources.indexOf(source)];
  if (!text && source.startsWith('file://')) text = native.readIfThere(fileUrlToPath(source)) ?? undefined;
  return text?.split(/\r?\n/, line + 1)[line];
}

// The original line with a caret under a column, for an uncaught error; undefined if there is no map. `line` is one-based, `column` zero-based
// (`lib/internal/source_map/prepare_stack_trace.js: getSourceMapErrorSource`).
function lineOf(file, line, column) {
  try {
    const map = mapOfFile(file);
    const { originalSource, originalLine, originalColumn } = map?.findEntry(line - 1, column) ?? {};
    if (originalSource === undefined) return undefined;
    const text = lineOfSource(map, originalSource, originalLine);
    if (!text) return undefined;
    const { getStringWidth } = require('internal/util/text');
    let before = '';
    for (const letter of text.slice(0, originalColumn + 1)) before += letter === '\t' ? '\t' : ' '.repeat(getStringWidth(letter));
    return `${pathOf(originalSource)}:${originalLine + 1}\n${text}\n${before.slice(0, -1)}^\n\n`;
  } catch {
    return undefined;
  }
}

module.exports = { findSourceMap, getSourceMapsSupport, setSourceMapsEnabled, setSourceMapsSupport };
