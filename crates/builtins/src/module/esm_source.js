'use strict';
// Resolves specifiers to URLs, and loads format and source of a URL, with and without hooks.

const { formatOf, hooksFor, noteSourceMap, surely, withoutMark, withoutShebang } = require('internal/modules/cjs');
const { resolve: resolveByDefault } = require('internal/modules/esm_resolve');
const { toPath, toUrl } = require('internal/modules/file_url');
const { scopeOf } = require('internal/modules/package');
const { readText } = require('internal/modules/read');
const process = require('process');

// True if the text parses as a module, but not as a script.
function isModuleSyntax(text) {
  return /\b(?:import|export|await)\b|(?:const|let|class)\s+(?:module|exports|require|__\w+name)\b/.test(text) &&
    native.isModuleSyntax(text);
}

// Validates the `type` import attribute.
function checkAttributes(url, attributes) {
  if (attributes === undefined || attributes === null) return undefined;
  for (const key of Object.keys(attributes)) {
    // For a `data:` URL of an unknown format, the error about the format comes first.
    const isOpen = key === 'type' && url.startsWith('data:') && formatOfData(url) === null;
    if (!isOpen && (key !== 'type' || attributes[key] !== 'json')) {
      const { ERR_IMPORT_ATTRIBUTE_UNSUPPORTED } = require('internal/errors');
      throw new ERR_IMPORT_ATTRIBUTE_UNSUPPORTED(key, attributes[key], url);
    }
  }
  return attributes.type;
}

function checkType(url, format, type) {
  if (format === 'json' && type !== 'json') {
    const { ERR_IMPORT_ATTRIBUTE_MISSING } = require('internal/errors');
    throw new ERR_IMPORT_ATTRIBUTE_MISSING(url, 'type', 'json');
  }
  if (format !== 'json' && type === 'json') {
    const { ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE } = require('internal/errors');
    throw new ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE(url, 'json');
  }
}

// The format for the MIME type of a `data:` URL.
function formatOfData(url) {
  const mime = /^data:([^/,?#]+\/[^;,?#]+)[^,?#]*,/.exec(url)?.[1];
  if (mime === undefined) return null;
  if (/^\s*(?:text|application)\/javascript\s*$/i.test(mime)) return 'module';
  return mime === 'application/json' ? 'json' : null;
}

const unescaped = (text) => text.replace(/(?:%[0-9a-f]{2})+/gi,
  (run) => require('buffer').Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1'));

// Decodes base64 with optional padding, like `atob`; undefined if invalid.
function fromBase64(text) {
  const digits = text.replace(/[\t\n\f\r ]/g, '');
  const plain = digits.length % 4 === 0 ? digits.replace(/={1,2}$/, '') : digits;
  return plain.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(plain) ? undefined : require('buffer').Buffer.from(plain, 'base64');
}

function fromData(url) {
  const [, head, body] = /^data:([^,#]*),([^#]*)/.exec(url) ?? [];
  const bytes = body === undefined ? undefined : unescaped(body);
  const { Buffer } = require('buffer');
  const content = bytes !== undefined && /; *base64$/i.test(head) ? fromBase64(bytes) : bytes && Buffer.from(bytes, 'latin1');
  if (content === undefined) {
    const { ERR_INVALID_URL } = require('internal/errors');
    throw new ERR_INVALID_URL(url);
  }
  const format = formatOfData(url);
  if (format !== null) return { format, text: withoutMark(content.toString()) };
  const { ERR_UNKNOWN_MODULE_FORMAT } = require('internal/errors');
  throw new ERR_UNKNOWN_MODULE_FORMAT(/^data:([^/]+\/[^;,]+)[^,]*,/.exec(url)?.[1] ?? null, url);
}

function formatOfFile(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const ending = dot <= 0 ? '' : name.slice(dot);
  if (ending === '.json') return 'json';
  if (ending === '.wasm' && typeof WebAssembly === 'object') return 'wasm';
  if (ending === '') {
    const type = scopeOf(path)?.type ?? 'none';
    return type === 'none' ? undefined : type;
  }
  const format = formatOf(path);
  if (format !== undefined || ending === '.js') return format;
  const { ERR_UNKNOWN_FILE_EXTENSION } = require('internal/errors');
  throw new ERR_UNKNOWN_FILE_EXTENSION(ending, path);
}

// Reads a file for the default load step. Types of TypeScript are not stripped yet.
function fromFile(url, knownFormat) {
  const path = toPath(url);
  const format = knownFormat ?? formatOfFile(path);
  // A WebAssembly file is binary; `internal/modules/wasm` reads it.
  if (format === 'wasm') return { format, text: undefined, path };
  const text = withoutMark(readText(path));
  if (format !== undefined && format !== 'typescript') return { format, text, path };
  const kind = isModuleSyntax(withoutShebang(format === undefined ? text : strip(text, path))) ? 'module' : 'commonjs';
  if (kind === 'module') warnOfDetectedModule(url, path);
  return { format: format === undefined ? kind : `${kind}-typescript`, text, path };
}

// Warns if the format was detected although package.json could define it.
function warnOfDetectedModule(url, path) {
  const owner = /\.[jt]s$/.test(path) ? scopeOf(path) : null;
  if (owner !== null) require('internal/modules/warnings').guessedModule(url, owner.file);
}

const strip = (text, path) => require('internal/modules/typescript').strip(text, path);

// Prepares source text for the engine: strips types and the hashbang. CommonJS strips its hashbang itself.
function prepared({ format, text, path }) {
  if (text === undefined || format === 'json' || format === 'commonjs') return { format, text, path };
  const isTyped = format.endsWith('-typescript');
  const plain = withoutShebang(isTyped ? strip(text, path) : text);
  return { format: isTyped ? format.slice(0, -11) : format, text: plain, path };
}

// The default load step.
function fromUrl(url, knownFormat) {
  if (url.startsWith('file:///')) return fromFile(url, knownFormat);
  if (url.startsWith('data:')) return fromData(url);
  const { protocol } = new (require('internal/url').URL)(url);
  const { ERR_INVALID_FILE_URL_HOST, ERR_UNKNOWN_BUILTIN_MODULE, ERR_UNSUPPORTED_ESM_URL_SCHEME } = require('internal/errors');
  if (protocol === 'file:') throw new ERR_INVALID_FILE_URL_HOST(process.platform);
  if (protocol === 'node:') throw new ERR_UNKNOWN_BUILTIN_MODULE(url);
  const schemes = /^https?:$/.test(protocol) ? ['file', 'data'] : ['file', 'data', 'node'];
  throw new ERR_UNSUPPORTED_ESM_URL_SCHEME({ protocol }, schemes);
}

// Results of hooks by URL: { format, importAttributes }.
const hookResults = new SafeMap();

// The format passed to hooks; null if it depends on the source.
function formatForHooks(url) {
  if (url.startsWith('node:')) return 'builtin';
  if (url.startsWith('data:')) return formatOfData(url);
  if (!url.startsWith('file:')) return null;
  const path = toPath(url);
  if (path.endsWith('.json')) return 'json';
  if (path.endsWith('.wasm') && typeof WebAssembly === 'object') return 'wasm';
  const format = formatOf(path);
  if (format !== undefined && format !== 'typescript') return format;
  return /\.[jt]s$|\/[^/.]*$/.test(path) ? null : undefined;
}

// Calls the asynchronous hooks of `module.register` (`HooksProxy` in Node); undefined without such hooks.
let hooksProxy;
function setHooksProxy(one) { hooksProxy = one; }

// The proxy if its hooks can preload whole graphs; undefined if there are synchronous hooks, which run while modules are compiled.
function proxyForPreload() {
  return hooksProxy === undefined || hooksFor('resolve') !== undefined || hooksFor('load') !== undefined ? undefined : hooksProxy;
}

const isHooked = () => hooksProxy !== undefined || hooksFor('load') !== undefined;

// The default resolve step of a hook chain. `data:` and `node:` URLs get no format
// (`lib/internal/modules/esm/resolve.js: defaultResolve`).
function defaultResolve(specifier, context, conditions) {
  const { chosenConditions } = require('internal/modules/hooks');
  const chosen = chosenConditions(context, conditions, 'conditions');
  // The main script has no parent.
  const base = context.parentURL ?? `${toUrl(process.cwd())}/`;
  const url = resolveByDefault(specifier, base, chosen);
  if (url.startsWith('data:') || specifier.startsWith('node:')) return { __proto__: null, url };
  return { __proto__: null, url, format: formatForHooks(url) };
}

// Resolution cache. The key is the importing module and the specifier, separated by NUL. A resolution never changes
// (`lib/internal/modules/esm/module_map.js: ResolveCache`).
const resolved = new SafeMap();

// Stores the format and attributes that hooks returned for a URL, and returns the URL.
function storeResolution({ url, format, importAttributes }) {
  hookResults.set(url, { format, importAttributes });
  return url;
}

// Resolves a specifier, with hooks if there are any.
function resolve(specifier, base, attributes = undefined) {
  const hooks = hooksFor('resolve');
  if (hooks === undefined && hooksProxy === undefined) {
    const key = `${base}\0${specifier}`;
    let found = resolved.get(key);
    if (found === undefined) {
      found = surely(() => resolveByDefault(specifier, base));
      resolved.set(key, found);
    }
    if (hookResults.size > 0) hookResults.delete(found);
    return found;
  }
  const importAttributes = { __proto__: null, ...attributes };
  if (hooks === undefined) return storeResolution(hooksProxy.resolveSync(specifier, base, importAttributes));
  const conditions = hooks.importConditions();
  const last = hooksProxy === undefined ? (request, context) => defaultResolve(request, context, conditions) :
    (request, context) => hooksProxy.resolveSync(request, context.parentURL, context.importAttributes);
  return storeResolution(hooks.resolve(specifier, base, importAttributes, conditions, last));
}

// The import attributes with which a URL is loaded: those from hooks replace those of the import.
const attributesFor = (url, attributes) => hookResults.get(url)?.importAttributes ?? attributes;

function load(url, { format, importAttributes }) {
  const found = url.startsWith('node:') ? { format: format ?? 'builtin' } : fromUrl(url, format ?? undefined);
  checkType(url, found.format, checkAttributes(url, importAttributes));
  return found;
}

// The default load step of a hook chain: { format, responseURL, source }.
function defaultLoad(url, context) {
  const { format, text } = load(url, context);
  let source = null;
  if (url.startsWith('file:')) source = require('fs').readFileSync(toPath(url));
  else if (!url.startsWith('node:')) source = require('buffer').Buffer.from(text);
  return { __proto__: null, format, responseURL: url, source: context.source ?? source };
}

// Converts the result of a load hook for the engine. `isMade`: the source comes from hooks, so `require` in that source uses hooks, too.
function convertLoaded(url, { format, source, shouldBeReloadedByCJSLoader: isLeft }) {
  const { noteSource, textOf } = require('internal/modules/hooks');
  const isScript = format === 'commonjs' || format === 'commonjs-typescript';
  const path = url.startsWith('file:') ? toPath(url) : isScript ? url : undefined;
  const isThere = source !== null && source !== undefined;
  if (!isThere && !isScript && format !== 'builtin' && /^(?:json|module(?:-typescript)?)$/.test(format)) {
    const { ERR_INVALID_RETURN_PROPERTY_VALUE } = require('internal/errors');
    throw new ERR_INVALID_RETURN_PROPERTY_VALUE('string, array buffer, or typed array', 'load', 'source', source);
  }
  const found = { format, text: isThere ? textOf(source) : isScript ? readText(path) : undefined, path };
  noteSource(isScript ? path : url, found.text);
  return { ...usable(found, url), isMade: isThere && !isLeft };
}

// The format that hooks receive for a URL: the one that a resolve hook returned, or the default.
function formatPassed(url) {
  if (hookResults.has(url)) return hookResults.get(url).format;
  return /^(?:file|node|data):/.test(url) ? formatForHooks(url) : undefined;
}

function loadByHooks(hooks, url, importAttributes) {
  const attributes = { __proto__: null, ...importAttributes };
  const format = formatPassed(url);
  if (hooks === undefined) return convertLoaded(url, hooksProxy.loadSync(url, { format, importAttributes: attributes }));
  const byDefault = (request, context) => {
    const found = defaultLoad(request, context);
    found.shouldBeReloadedByCJSLoader = found.format === 'commonjs';
    return found;
  };
  const last = hooksProxy === undefined ? byDefault : (request, context) =>
    hooksProxy.loadSync(request, { format: context.format, importAttributes: context.importAttributes });
  const { source, format: kind } = hooks.load(url, format, attributes, hooks.importConditions(), last, true);
  const path = url.startsWith('file:') ? toPath(url) : kind === 'commonjs' ? url : undefined;
  const text = hooks.textOf(source) ?? undefined;
  hooks.noteSource(kind === 'commonjs' ? path : url, text);
  return usable({ format: kind, text, path }, url);
}

// Converts a loaded source for the engine.
function usable(found, url) {
  if (found.format === 'builtin') return found;
  if (/^(?:json|wasm|(?:commonjs|module)(?:-typescript)?)$/.test(found.format)) {
    const ready = prepared(found);
    if (ready.format === 'module' && typeof ready.text === 'string') noteSourceMap(url, ready.text);
    return ready;
  }
  const { ERR_UNKNOWN_MODULE_FORMAT } = require('internal/errors');
  throw new ERR_UNKNOWN_MODULE_FORMAT(found.format, url);
}

// Format and source of a URL, with hooks if there are any.
function textFor(url, importAttributes) {
  const hooks = hooksFor('load');
  if (hooks !== undefined || hooksProxy !== undefined) return loadByHooks(hooks, url, importAttributes);
  return surely(() => usable(load(url, { format: hookResults.get(url)?.format, importAttributes }), url));
}

module.exports = {
  proxyForPreload, attributesFor, checkAttributes, checkType, defaultLoad, defaultResolve, isHooked, isModuleSyntax, storeResolution, resolve,
  convertLoaded, textFor, setHooksProxy, warnOfDetectedModule,
};
