'use strict';
// `require` of ES modules: checks for cycles and top-level await, and the exports object. `loader` is the internal interface of
// `internal/modules/esm`.

const engine = require('internal/modules/engine');
const process = require('process');
const { Module, kIsExecuting, refuseCycle } = require('internal/modules/cjs');
const { resolve } = require('internal/modules/esm_source');
const { toUrl } = require('internal/modules/file_url');

const FACADE = "export * from 'original'; export { default } from 'original'; export const __esModule = true;";

// Throws if the graph of a required module contains a module that is being evaluated: the engine cannot re-enter it.
function checkCycle({ active, graph, records, running }, record, filename, parent) {
  if (active.length === 0) return;
  const here = running.at(-1) ?? (parent ? records.get(toUrl(parent)) : undefined);
  const own = new SafeSet(graph(record));
  for (const root of active) {
    for (const outer of graph(root)) {
      if (!own.has(outer) || outer.kind !== 'module') continue;
      if (here !== undefined ? !graph(outer).includes(here) : outer !== root) continue;
      refuseCycle(filename, parent,
        ' A cycle involving require(esm) is not allowed to maintain invariants mandated by the ECMAScript specification. ' +
        'Try making at least part of the dependency in the graph lazily loaded.');
    }
  }
}

// Throws ERR_REQUIRE_CYCLE_MODULE, as Node does, if the graph of a required module imports a module that is being evaluated.
function checkRunning(loader, record, seen = new SafeSet()) {
  const { running } = loader;
  seen.add(record);
  for (const { specifier, record: below } of record.edges) {
    if (below === undefined || seen.has(below)) continue;
    const isRunning = running.includes(below);
    if (isRunning || (below.kind === 'commonjs' && Module._cache[below.path]?.[kIsExecuting] === true)) {
      const { ERR_REQUIRE_CYCLE_MODULE } = require('internal/errors');
      const from = record.path === undefined ? '' : ` (from ${record.path})`;
      throw new ERR_REQUIRE_CYCLE_MODULE(`Cannot import ${isRunning ? '' : 'CommonJS '}Module ${specifier} in a cycle.${from}`);
    }
    checkRunning(loader, below, seen);
  }
}

// The result of `require` for an ES module.
function exportsOf({ REQUIRED, newRecord, records }, record) {
  const namespace = engine.namespace(record.module);
  if (Object.hasOwn(namespace, 'module.exports')) return namespace['module.exports'];
  if (!Object.hasOwn(namespace, 'default') || Object.hasOwn(namespace, '__esModule')) return namespace;
  // With a default export, add `__esModule` for transpiled code (`lib/internal/modules/cjs/loader.js: loadESMFromCJS`).
  const name = `${REQUIRED}${record.url}`;
  let facade = records.get(name);
  if (facade === undefined) {
    facade = newRecord(name, 'module');
    facade.edges[0] = { specifier: record.url, url: record.url, record, error: undefined };
    facade.module = engine.compileModule(name, FACADE, facade, undefined, 0);
    engine.setImports(facade.module, [record.module]);
    engine.instantiate(facade.module);
    engine.evaluate(facade.module);
  }
  return engine.namespace(facade.module);
}

// Evaluates a required module and returns its exports.
function required(loader, record, filename, parent) {
  const { checkGraph, evaluate, explain, topLevelAwait } = loader;
  checkGraph(record);
  checkCycle(loader, record, filename, parent);
  checkRunning(loader, record);
  const { ERR_REQUIRE_ASYNC_MODULE } = require('internal/errors');
  // Only the first `require` of a graph checks for top-level await (`lib/internal/modules/esm/loader.js: importSyncForRequire`).
  if (record.promise === undefined) record.isRequired = true;
  else if (!record.isRequired) {
    const settled = engine.settled(record.promise);
    if (settled[0] === 2) throw settled[1];
  }
  if (topLevelAwait(record) !== undefined) throw new ERR_REQUIRE_ASYNC_MODULE(filename, parent);
  const promise = evaluate(record);
  const { 0: state, 1: value } = engine.settled(promise);
  if (state === 2) {
    engine.markHandled(promise);
    explain(value, record);
    throw value;
  }
  if (state === 0) throw new ERR_REQUIRE_ASYNC_MODULE(filename, parent);
  return exportsOf(loader, record);
}

// `require` in a CommonJS file whose source comes from hooks.
function requireImported(loader, specifier, base, attributes) {
  const url = resolve(specifier, base, attributes);
  const record = loader.load(url, attributes, undefined, true);
  const { kind, path } = record;
  if (kind === 'builtin') return process.getBuiltinModule(url);
  if (kind === 'module') return required(loader, record, path ?? url, base);
  // A CommonJS module in a cycle is in the cache already: its partial exports are returned.
  if (Module._cache[path] === undefined) {
    const promise = loader.evaluate(record);
    const { 0: state, 1: value } = engine.settled(promise);
    if (state === 2) {
      engine.markHandled(promise);
      throw value;
    }
  }
  return Module._cache[path]?.exports ?? engine.namespace(record.module).default;
}

module.exports = { required, requireImported };
