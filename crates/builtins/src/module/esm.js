'use strict';
// ES module loader: module records, and synthetic modules for CommonJS files, JSON and builtins. The engine compiles, links and evaluates.
//
// If a dependency cannot be resolved or parsed, its error is stored on the graph edge and thrown before linking.

const engine = require('internal/modules/engine');
const process = require('process');
const { flags, FINDINGS } = require('internal/scheduler/state');
const { threadId } = require('internal/scheduler').options();
const trace = require('internal/scheduler/trace');
const {
  Module, formatOf, hooksFor, loadImported, surely, withAttributes, withoutMark, withoutShebang,
} = require('internal/modules/cjs');
const {
  proxyForPreload, attributesFor, checkAttributes, checkType, isHooked, isModuleSyntax, storeResolution, resolve, textFor, warnOfDetectedModule,
} = require('internal/modules/esm_source');
const { toPath, toUrl } = require('internal/modules/file_url');
const { dirname, join } = require('internal/modules/package');

const { TRACE } = trace;

// Saved, because programs may replace them. For the same reason the stacks below do not use `push` and `pop`.
const parse = JSON.parse;
const hasOwn = Object.hasOwn;

// Module records by URL: { url, kind, type, module, edges: [{ specifier, url, record, error }], run, isRequired, text }. `module` is the module
// object of the engine. `run` evaluates a synthetic module. `text` is the source text, kept only if the module may contain a top-level await.
const records = new SafeMap();
let failures = 0;
// Records whose graph is being evaluated, innermost last.
const active = [];
// Synthetic records that are being evaluated, innermost last.
const running = [];

function newRecord(url, kind) {
  const record = {
    url, kind, type: undefined, module: undefined, isLinked: false, linkError: undefined, place: undefined, edges: [], run: undefined, isRequired: false, text: undefined, path: undefined,
    promise: undefined, preloadedEdges: undefined,
  };
  records.set(url, record);
  return record;
}

// Returns the record of a resolved URL. Throws if its module cannot be loaded; errors of dependencies are stored on edges. `isRequired`: a CommonJS
// file whose source comes from hooks requires the module.
function load(url, requestedAttributes, given, isRequired = false) {
  const attributes = attributesFor(url, requestedAttributes);
  // With hooks, other `type` attributes are allowed.
  const type = isHooked() ? attributes?.type : checkAttributes(url, attributes);
  const known = records.get(url);
  if (known !== undefined) {
    if (type !== known.type) checkType(known.url, known.kind, type);
    return known;
  }
  if (!isHooked() && surely(() => url.startsWith('node:'))) return loadBuiltin(url, type);
  const ahead = proxyForPreload() === undefined ? undefined : require('internal/modules/preload_graph');
  const preloaded = ahead?.found(url);
  const { format, text, path, isMade } = given ?? preloaded?.loadedSource ?? textFor(url, attributes);
  if (format === 'builtin') return loadBuiltin(url, type);
  const record = newRecord(url, format);
  record.type = type;
  record.path = path;
  record.preloadedEdges = preloaded?.edges;
  try {
    if (format === 'module') compileText(record, text);
    else if (format === 'json') makeJson(record, text);
    else if (format === 'wasm') require('internal/modules/wasm').compile(record, compileText);
    else makeCommonJs(record, text, isMade || isRequired);
    ahead?.settle(url);
  } catch (error) {
    // Do not cache the failure: the source may be different next time.
    records.delete(url);
    ahead?.settle(url, { value: error });
    throw error;
  }
  return record;
}

// Preloads the graph of a module through asynchronous hooks.
const preloadGraph = ({ url, format, importAttributes }, attributes, given) => require('internal/modules/preload_graph').preloadGraph(
  proxyForPreload(), { url, format, importAttributes: importAttributes ?? { __proto__: null, ...attributes } }, (one) => records.has(one), given);

// Resolves a specifier to a URL; returns a promise if hooks are asynchronous.
function find(specifier, base, attributes) {
  const hooksProxy = proxyForPreload();
  if (hooksProxy === undefined) return resolve(specifier, base, attributes);
  return hooksProxy.resolve(specifier, base, { __proto__: null, ...attributes }).then((found) => {
    storeResolution(found);
    return found;
  });
}

function compileText(record, text) {
  const { url } = record;
  const began = flags[TRACE] === 0 ? 0 : trace.clock();
  if (surely(() => /\bawait\b/.test(text))) record.text = text;
  record.module = compileModule(record, withAttributes(text, true));
  if (flags[TRACE] !== 0) trace.moduleLoaded(`compile ${url}`, began);
  loadImports(record, text);
}

// Compiles a module. The engine rejects import attributes (`with { ... }`) other than `type`, but hooks may support them: `native.blankAttributes`
// replaces such clauses by spaces, and the text is compiled again.
function compileModule(record, text, realm, lineOffset) {
  try {
    return engine.compileModule(record.url, text, record, realm, lineOffset);
  } catch (error) {
    if (!/^Unsupported import attribute: /.test(error?.message)) throw error;
    return engine.compileModule(record.url, native.blankAttributes(text), record, realm, lineOffset);
  }
}

// The imports of a compiled module, in the form that `vm.SourceTextModule` exposes.
function requestsOf(module, text) {
  const attributesOf = attributesIn(text);
  return engine.requests(module).map(({ 0: specifier, 1: type }) =>
    ({ __proto__: null, specifier, attributes: attributesOf(specifier, type) ?? { __proto__: null } }));
}

// Loads the imports of a compiled module. Errors are stored on the edges.
function loadImports(record, text) {
  const requests = engine.requests(record.module);
  const attributesOf = attributesIn(text);
  const modules = [];
  for (let i = 0; i < requests.length; i++) {
    const { 0: specifier, 1: type } = requests[i];
    const edge = makeEdge(record, specifier, attributesOf(specifier, type));
    record.edges[i] = edge;
    modules[i] = edge.record?.module;
  }
  if (record.edges.every(({ error }) => error === undefined)) engine.setImports(record.module, modules);
}

// Returns a function that finds the import attributes in the source text for a specifier and `type`: the engine reports only these two.
function attributesIn(text) {
  if (!surely(() => /\bwith\b/.test(text))) return () => undefined;
  const clauses = [];
  for (const { 0: specifier, ...flat } of native.requests(text)) {
    const attributes = { __proto__: null };
    for (let at = 1; flat[at] !== undefined; at += 2) attributes[flat[at]] = flat[at + 1];
    clauses[clauses.length] = { specifier, attributes };
  }
  return (specifier, type) => {
    const all = clauses.filter((one) => one.specifier === specifier);
    return (all.find(({ attributes }) => attributes.type === type) ?? all.find(({ attributes }) => attributes.type !== 'json') ?? all[0])
      ?.attributes;
  };
}

function makeEdge(parent, specifier, attributes) {
  const edge = { specifier, url: undefined, record: undefined, error: undefined };
  try {
    const { preloadedEdges, url } = parent;
    const known = preloadedEdges === undefined ?
      undefined : require('internal/modules/preload_graph').preloadedUrl(preloadedEdges, specifier, attributes);
    edge.url = known ?? resolve(specifier, url, attributes);
    edge.record = load(edge.url, attributes);
  } catch (error) {
    failures++;
    edge.error = { value: error };
  }
  return edge;
}

// Compiles a module for `--check`, which does not need its dependencies to exist.
function compileOnly(path, text) {
  compileText(newRecord(toUrl(path), 'module'), text);
}

let mainUrl;

const isOfHooks = () => threadId !== 0 && require('internal/worker/main').isOfHooks();

function fillMeta(meta, record) {
  if (record.isVm) {
    record.initializeMeta?.(meta, record.owner);
    return;
  }
  // The source text generated for a WebAssembly file uses only `import.meta.instantiate`.
  if (record.instantiate !== undefined) {
    meta.instantiate = record.instantiate;
    return;
  }
  const { url, path } = record;
  if (path !== undefined) {
    meta.dirname = surely(() => dirname(path));
    meta.filename = path;
  }
  meta.main = url === mainUrl;
  // There is no `import.meta.resolve` on the hooks thread (`lib/internal/modules/esm/initialize_import_meta.js: initializeImportMeta`).
  if (!isOfHooks()) meta.resolve = { resolve(specifier, ...rest) {
    specifier = `${specifier}`;
    // A rest parameter keeps `length` at 1 (`lib/internal/modules/esm/initialize_import_meta.js: createImportMetaResolve`).
    const parent = rest[0];
    const isParentMeant = parent !== undefined && require('internal/options').has('experimental-import-meta-resolve');
    try {
      return resolve(specifier, isParentMeant ? `${parent}` : url);
    } catch (error) {
      // `import.meta.resolve` also returns the URL of a missing file instead of throwing.
      if (error?.code !== 'ERR_MODULE_NOT_FOUND' && error?.code !== 'ERR_UNSUPPORTED_DIR_IMPORT' || !error.url) throw error;
      return error.url;
    }
  } }.resolve;
  meta.url = url;
}

function makeSynthetic(record, names, run) {
  record.run = run;
  record.module = engine.makeSynthetic(record.url, names, () => {
    running[running.length] = record;
    try {
      run();
    } finally {
      running.length--;
    }
  });
}

function makeJson(record, text) {
  const { url, path } = record;
  let value;
  try {
    // `require` of the same file returns the same value: share it through `Module._cache`.
    const isShared = path !== undefined && !url.includes('?') && !url.includes('#');
    const known = isShared ? Module._cache[path] : undefined;
    value = known?.loaded ? known.exports : parse(withoutMark(text));
    if (isShared && !known?.loaded) Module._cache[path] = { exports: value, loaded: true };
  } catch (error) {
    error.message = `${path ?? url}: ${error.message}`;
    throw error;
  }
  makeSynthetic(record, ['default'], () => engine.setExport(record.module, 'default', value));
}

function exportValues({ module }, names, exports) {
  if (exports !== null && (typeof exports === 'object' || typeof exports === 'function')) {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (name === 'default' || !hasOwn(exports, name)) continue;
      let value;
      try {
        value = exports[name];
      } catch {
        // If a getter throws, the export stays undefined (`lib/internal/modules/esm/translators.js: createCJSModuleWrap`).
      }
      engine.setExport(module, name, value);
    }
  }
  engine.setExport(module, 'default', exports);
}

const withDefault = (names) => [...names.filter((name) => name !== 'default'), 'default'];

function loadBuiltin(url, type) {
  checkType(url, 'builtin', type);
  const exports = process.getBuiltinModule(url);
  if (exports === undefined) {
    const { ERR_UNKNOWN_BUILTIN_MODULE } = require('internal/errors');
    throw new ERR_UNKNOWN_BUILTIN_MODULE(url);
  }
  const record = newRecord(url, 'builtin');
  const names = surely(() => withDefault(Object.keys(exports)));
  record.names = names;
  makeSynthetic(record, names, () => exportValues(record, names, exports));
  return record;
}

function syncBuiltins() {
  for (const record of records.values()) {
    const { kind, module, names, url } = record;
    if (kind !== 'builtin' || engine.status(module) === 'unlinked') continue;
    const exports = process.getBuiltinModule(url);
    exportValues(record, names, exports);
    for (const name of names) if (name !== 'default' && !hasOwn(exports, name)) engine.setExport(module, name, undefined);
  }
}

const namesByPath = new SafeMap();

// Export names detected in a CommonJS file, including those of re-exported files (like cjs-module-lexer).
function namesOf(path, text) {
  const known = namesByPath.get(path);
  if (known !== undefined) return known;
  const names = new SafeSet();
  namesByPath.set(path, names);
  let source = text;
  if (source === undefined) {
    source = withoutMark(native.readIfThere(path) ?? '');
    if (/\.[cm]?ts$/.test(path)) source = require('internal/modules/typescript').strip(source, path);
  }
  const { exports, reexports } = native.commonJsNames(withoutShebang(source));
  for (const name of exports) names.add(name);
  if (reexports.length > 0) {
    const parent = new Module(path, null);
    parent.filename = path;
    parent.paths = Module._nodeModulePaths(dirname(path));
    for (const request of reexports) {
      let found;
      try {
        found = Module._resolveFilename(request, parent, false);
      } catch {
        continue;
      }
      if (Module.isBuiltin(found)) {
        for (const name of Object.keys(process.getBuiltinModule(found))) names.add(name);
      } else if (/\.(?:[cm]?js|cts|ts)$/.test(found) || !/\.\w+$/.test(found)) {
        for (const name of namesOf(found)) names.add(name);
      }
    }
  }
  return names;
}

function makeCommonJs(record, text, isMade) {
  const { url, path } = record;
  const names = surely(() => withDefault([...namesOf(path, text)]));
  // With synchronous hooks on this thread, `text` is what they returned, and `require` must not call them again.
  const hasSyncHooks = hooksFor('load') !== undefined || hooksFor('resolve') !== undefined;
  const isTyped = surely(() => /\.[cm]?ts$/.test(path));
  const isMain = url === mainUrl;
  const run = () => {
    if (isMade) return require('internal/modules/imported_require').run(record, text, isMain, loader);
    if (hasSyncHooks) return require('internal/modules/hooked').loadGiven(path, text, isMain);
    return isTyped ? Module._load(path, undefined, isMain) : loadImported(path, text, isMain);
  };
  makeSynthetic(record, names, () => exportValues(record, names, run()));
}

// The URL that Node gives to `-e` code; its brackets are not escaped.
const urlOfEval = () => `${toUrl(join(process.cwd(), 'x')).slice(0, -1)}[eval1]`;

function urlOfCode(file) {
  if (/^(?:file|data|node):/.test(file)) return file.startsWith('node:') ? toUrl(join(process.cwd(), 'x')) : file;
  return file.startsWith('/') ? toUrl(file) : urlOfEval();
}

// URL prefix of the facade modules that `require` of an ES module creates.
const REQUIRED = 'phasor:required:';

// All records of a graph, dependencies first.
function graph(root, seen = new SafeSet(), out = []) {
  if (seen.has(root)) return out;
  seen.add(root);
  for (const { record } of root.edges) {
    if (record !== undefined) graph(record, seen, out);
  }
  out.push(root);
  return out;
}

function checkGraph(root) {
  if (failures === 0) return;
  const failure = surely(() => firstFailure(root));
  if (failure !== undefined) throw failure.value;
}

function firstFailure(root) {
  for (const record of graph(root)) {
    const failure = record.edges.find((edge) => edge.error !== undefined)?.error;
    if (failure !== undefined) return failure;
  }
  return undefined;
}

// Links a graph. The engine cannot link a module again after a failed attempt to link a graph that contains it
// (`ModuleObject::instantiateFunctionDeclarations`). So dependencies are linked before their importers, and the modules of a cycle all at once.
function link(root) {
  if (root.isLinked) return;
  const stack = [];
  try {
    linkFrom(root, stack);
  } finally {
    for (let i = 0; i < stack.length; i++) stack[i].place = undefined;
  }
}

// Tarjan's algorithm for strongly connected components. `place` is the index of a record on the stack. Returns the lowest index that the record
// reaches, or Infinity if the record is linked.
function linkFrom(record, stack) {
  const { edges, isLinked, linkError, place } = record;
  if (isLinked) return Infinity;
  if (place !== undefined) return place;
  if (linkError !== undefined) throw linkError.value;
  const own = stack.length;
  record.place = own;
  stack[own] = record;
  let lowest = own;
  for (let i = 0; i < edges.length; i++) lowest = Math.min(lowest, linkFrom(edges[i].record, stack));
  if (lowest < own) return lowest;
  instantiate(record);
  for (let i = own; i < stack.length; i++) {
    stack[i].isLinked = true;
    stack[i].place = undefined;
  }
  stack.length = own;
  return Infinity;
}

function instantiate(record) {
  try {
    engine.instantiate(record.module);
  } catch (error) {
    record.linkError = { value: require('internal/modules/link_error').reworded(error, graph(record), records) };
    throw record.linkError.value;
  }
}

// Links and evaluates a graph; returns a promise. Throws if loading or linking failed.
function evaluate(record) {
  checkGraph(record);
  link(record);
  active[active.length] = record;
  const began = flags[TRACE] === 0 ? 0 : trace.clock();
  try {
    record.promise = engine.evaluate(record.module);
    return record.promise;
  } finally {
    active.length--;
    if (flags[TRACE] !== 0) trace.moduleLoaded(`evaluate ${record.url}`, began);
  }
}

function explain(error, record) {
  if (!(error instanceof ReferenceError)) return;
  require('internal/modules/reference_error').explain(error, record, topLevelAwait(record) !== undefined);
}

const resolveDynamic = (base, specifier, attributes) => find(specifier, surely(() => urlOfCode(base)), attributes);

// The internal interface that dynamic.js, esm_required.js and imported_require.js use.
const loader = {
  REQUIRED, active, checkGraph, evaluate, explain, preloadGraph, graph, load, newRecord, records, resolveDynamic, running, topLevelAwait,
  urlOfCode,
};
const onDynamicImport = (referrer, specifier, type, promise) =>
  require('internal/modules/dynamic').onDynamicImport(loader, referrer, specifier, type, promise);

// The first top-level await in a graph: { record, offset }.
function topLevelAwait(root, isChecked = () => true) {
  for (const record of graph(root)) {
    if (record.text === undefined || !isChecked(record)) continue;
    const offset = native.topLevelAwait(record.text);
    if (offset >= 0) return { record, offset };
  }
  return undefined;
}

function requireModule(module, filename, text, isMain, parent) {
  const url = toUrl(filename);
  if (isMain) {
    delete Module._cache[filename];
    process.mainModule = undefined;
    if (formatOf(filename) === undefined) warnOfDetectedModule(url, filename);
    runMain(filename, text);
    return;
  }
  const record = load(url, undefined, { format: 'module', text, path: filename });
  module.exports = require('internal/modules/esm_required').required(loader, record, filename, parent);
}

// { record } of the main module until its evaluation settles; undefined afterwards.
let pendingMain;

function start(url, given) {
  mainUrl = url;
  const failedMain = (error) => {
    if (pendingMain.record !== undefined) explain(error, pendingMain.record);
    pendingMain = undefined;
    require('internal/process/exceptions').fatal(error, true);
  };
  pendingMain = {};
  const loadMain = (found) => {
    mainUrl = found;
    const record = load(found, undefined, given);
    pendingMain = { record };
    return record;
  };
  // Hooks resolve the main script, but not `-e` code.
  const usesHooks = isHooked() || hooksFor('resolve') !== undefined;
  const place = () => {
    // For a missing main script that is imported, `resolve` throws the error of `import`.
    const isMissing = given === undefined && url.startsWith('file:') && native.kind(toPath(url)) === -1;
    if (!usesHooks) return isMissing ? resolve(url, `${toUrl(process.cwd())}/`) : url;
    if (given === undefined) return find(url, undefined);
    return proxyForPreload() === undefined ? url : { url };
  };
  // The main module is evaluated in a microtask. Without preloaded modules or hooks no other code runs before it, so nothing can observe how many
  // microtasks `import()` takes, and the module is loaded directly.
  const isFirst = !isPreloaded && process._preload_modules === undefined && !usesHooks;
  const run = () => {
    if (isFirst) return evaluate(loadMain(url));
    return require('internal/modules/dynamic').imported(loader, place, loadMain, undefined, given);
  };
  Promise.resolve().then(run).then(() => { pendingMain = undefined; }, failedMain);
}

// True if `--import` was given.
let isPreloaded = false;

// Runs `--experimental-loader` and `--import` modules in order, then the main script. An exception of the main script
// is an uncaught exception, not a rejection.
function preload(specifiers, loaders, then) {
  const base = `${toUrl(process.cwd())}/`;
  pendingMain = {};
  isPreloaded = true;
  const { imported } = require('internal/modules/dynamic');
  const loadAll = async () => {
    if (loaders.length > 0) require('internal/modules/register').registerLoaders(loaders);
    for (const specifier of specifiers) {
      await undefined;
      await imported(loader, () => find(specifier, base), load);
      await undefined;
    }
  };
  loadAll().then(() => {
    pendingMain = undefined;
    try {
      then();
    } catch (error) {
      require('internal/process/exceptions').fatal(error, false);
    }
  }, (error) => {
    pendingMain = undefined;
    require('internal/process/exceptions').fatal(error, true);
  });
}

function runMain(path, text) {
  // Hooks may supply a different source.
  start(toUrl(path), text === undefined || isHooked() ? undefined : { format: 'module', text, path });
}

// Imports a specifier relative to a module; resolves to the namespace.
async function importFrom(specifier, base) {
  const { imported } = require('internal/modules/dynamic');
  const { module } = await imported(loader, () => find(specifier, base), load);
  return engine.namespace(module);
}

function runUrl(url) {
  start(url);
}

function runCode(text) {
  start(urlOfEval(), { format: 'module', text, path: join(process.cwd(), '[eval1]') });
}

// True if the evaluation of a module has started and has not finished.
const isPending = ({ module }) => engine.status(module) === 'evaluated' && engine.settled(engine.evaluate(module))[0] === 0;

// Called at exit. Returns the warning for a main module whose top-level await never settles, '' with `--no-warnings`, and undefined if the evaluation
// of the main module has settled.
function unsettled() {
  if (pendingMain === undefined) return undefined;
  const hasFindings = flags[FINDINGS] !== 0;
  const isSilent = require('internal/options').has('warnings') === false;
  if (isSilent && !hasFindings) return '';
  const found = pendingMain.record === undefined ? undefined : topLevelAwait(pendingMain.record, isPending);
  if (found === undefined) {
    if (hasFindings) require('internal/scheduler/findings').unsettledAwait('', 0, 0);
    return isSilent ? '' : 'Warning: Detected unsettled top-level await\n';
  }
  const { record: { text, url }, offset } = found;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  const number = text.slice(0, offset).split('\n').length;
  if (hasFindings) require('internal/scheduler/findings').unsettledAwait(url, number, offset - lineStart + 1);
  if (isSilent) return '';
  return `Warning: Detected unsettled top-level await at ${url}:${number}\n${line}\n${' '.repeat(offset - lineStart)}^\n\n\n`;
}

module.exports = {
  compileModule, compileOnly, fillMeta, importFrom, isModuleSyntax, onDynamicImport, preload, requestsOf, requireModule, runCode, runMain, runUrl,
  syncBuiltins, unsettled,
};
