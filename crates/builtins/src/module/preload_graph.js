'use strict';
// Preloads module graphs whose hooks run on another thread: resolves all specifiers and loads all sources before the
// engine compiles the first module, so that this thread's loop keeps running meanwhile. Concurrent imports of one URL
// share the result, and an error is cached (`lib/internal/modules/esm/module_map.js: LoadCache`).

const engine = require('internal/modules/engine');
const { all, map } = require('internal/modules/dynamic');
const { noted, taken } = require('internal/modules/esm_source');

// Preloaded modules by URL, until they are compiled: { given, edges, below, loaded, linked, error }. `given` is the
// source and format, `edges` maps specifiers to resolutions, `below` lists the dependencies.
const finds = new SafeMap();

const keyOf = (specifier, attributes) => {
  const parts = attributes === undefined || attributes === null ? [] : Object.keys(attributes).map((key) => [key, attributes[key]]);
  return JSON.stringify([specifier, parts]);
};

function attributesOf(flat) {
  const attributes = { __proto__: null };
  for (let at = 1; at < flat.length; at += 2) attributes[flat[at]] = flat[at + 1];
  return attributes;
}

// Loads the source of one module, unless `given` already has it.
async function load(asker, find, { url, format, importAttributes }, given) {
  try {
    find.given = given ?? taken(url, await asker.load(url, { format, importAttributes }));
  } catch (error) {
    find.error = { value: error };
    throw error;
  }
}

// Resolves the imports of one module and loads their sources.
async function link(asker, find, url, isKnown) {
  await find.loaded;
  const { format, text } = find.given;
  if (format !== 'module') return;
  await all(map(native.requests(text), async (request) => {
    const specifier = request[0];
    const asked = attributesOf(request);
    const { url: target, format: kind, importAttributes } = await asker.resolve(specifier, url, asked);
    find.edges.set(keyOf(specifier, asked), { url: target, format: kind, importAttributes });
    if (isKnown(target)) return;
    const below = findOf(asker, { url: target, format: kind, importAttributes: importAttributes ?? asked }, isKnown);
    find.below[find.below.length] = below;
    await below.loaded;
  }));
}

function findOf(asker, place, isKnown, given) {
  const { url } = place;
  const known = finds.get(url);
  if (known !== undefined) return known;
  const find = { given: undefined, edges: new SafeMap(), below: [], loaded: undefined, linked: undefined, error: undefined };
  finds.set(url, find);
  find.loaded = load(asker, find, place, given);
  engine.markHandled(find.loaded);
  find.linked = link(asker, find, url, isKnown);
  engine.markHandled(find.linked);
  return find;
}

async function walk(find, seen) {
  if (seen.has(find)) return;
  seen.add(find);
  await find.linked;
  await all(map(find.below, (one) => walk(one, seen)));
}

// Resolves when the graph of a resolved root is complete.
async function foresee(asker, place, isKnown, given) {
  if (!isKnown(place.url)) await walk(findOf(asker, place, isKnown, given), new SafeSet());
}

// The preloaded source and edges of a URL, if any. Throws the error if loading failed.
function found(url) {
  const find = finds.get(url);
  if (find?.error !== undefined) throw find.error.value;
  return find?.given === undefined ? undefined : find;
}

// The URL that a specifier resolved to; undefined if it was not preloaded.
function meant(edges, specifier, attributes) {
  const edge = edges.get(keyOf(specifier, attributes));
  return edge === undefined ? undefined : noted(edge);
}

// Called when a module was compiled, or failed to compile.
function settle(url, error) {
  const find = finds.get(url);
  if (find === undefined) return;
  if (error === undefined) finds.delete(url);
  else find.error = error;
}

module.exports = { foresee, found, meant, settle };
