'use strict';
// Preloads module graphs whose hooks run on another thread: resolves all specifiers and loads all sources before the
// engine compiles the first module, so that this thread's loop keeps running meanwhile. Concurrent imports of one URL
// share the result, and an error is cached (`lib/internal/modules/esm/module_map.js: LoadCache`).

const engine = require('internal/modules/engine');
const { all, map } = require('internal/modules/dynamic');
const { storeResolution, convertLoaded } = require('internal/modules/esm_source');

// Preloaded modules by URL, until they are compiled: { loadedSource, edges, dependencies, loaded, linked, error }. `loadedSource` is source and
// format, `edges` maps specifiers to resolutions, `dependencies` are the entries of the imported modules.
const entries = new SafeMap();

const keyOf = (specifier, attributes) => {
  const parts = attributes === undefined || attributes === null ? [] : Object.keys(attributes).map((key) => [key, attributes[key]]);
  return JSON.stringify([specifier, parts]);
};

function attributesOf(flat) {
  const attributes = { __proto__: null };
  for (let at = 1; at < flat.length; at += 2) attributes[flat[at]] = flat[at + 1];
  return attributes;
}

// Loads the source of one module, unless the caller has it already (`loadedSource`).
async function load(hooksProxy, entry, { url, format, importAttributes }, loadedSource) {
  try {
    entry.loadedSource = loadedSource ?? convertLoaded(url, await hooksProxy.load(url, { format, importAttributes }));
  } catch (error) {
    entry.error = { value: error };
    throw error;
  }
}

// Resolves the imports of one module and loads their sources.
async function link(hooksProxy, entry, url, isKnown) {
  await entry.loaded;
  const { format, text } = entry.loadedSource;
  if (format !== 'module') return;
  await all(map(native.requests(text), async (request) => {
    const specifier = request[0];
    const asked = attributesOf(request);
    const { url: target, format: kind, importAttributes } = await hooksProxy.resolve(specifier, url, asked);
    entry.edges.set(keyOf(specifier, asked), { url: target, format: kind, importAttributes });
    if (isKnown(target)) return;
    const dependency = entryOf(hooksProxy, { url: target, format: kind, importAttributes: importAttributes ?? asked }, isKnown);
    entry.dependencies[entry.dependencies.length] = dependency;
    await dependency.loaded;
  }));
}

function entryOf(hooksProxy, place, isKnown, loadedSource) {
  const { url } = place;
  const known = entries.get(url);
  if (known !== undefined) return known;
  const entry = { loadedSource: undefined, edges: new SafeMap(), dependencies: [], loaded: undefined, linked: undefined, error: undefined };
  entries.set(url, entry);
  entry.loaded = load(hooksProxy, entry, place, loadedSource);
  engine.markHandled(entry.loaded);
  entry.linked = link(hooksProxy, entry, url, isKnown);
  engine.markHandled(entry.linked);
  return entry;
}

async function walk(entry, seen) {
  if (seen.has(entry)) return;
  seen.add(entry);
  await entry.linked;
  await all(map(entry.dependencies, (one) => walk(one, seen)));
}

// Resolves when the graph of a resolved root is complete.
async function preloadGraph(hooksProxy, place, isKnown, loadedSource) {
  if (!isKnown(place.url)) await walk(entryOf(hooksProxy, place, isKnown, loadedSource), new SafeSet());
}

// The preloaded source and edges of a URL, if any. Throws the error if loading failed.
function found(url) {
  const entry = entries.get(url);
  if (entry?.error !== undefined) throw entry.error.value;
  return entry?.loadedSource === undefined ? undefined : entry;
}

// The URL that a specifier resolved to; undefined if it was not preloaded.
function preloadedUrl(edges, specifier, attributes) {
  const edge = edges.get(keyOf(specifier, attributes));
  return edge === undefined ? undefined : storeResolution(edge);
}

// Called when a module has been compiled, or has failed to compile.
function settle(url, error) {
  const entry = entries.get(url);
  if (entry === undefined) return;
  if (error === undefined) entries.delete(url);
  else entry.error = error;
}

module.exports = { preloadGraph, found, preloadedUrl, settle };
