'use strict';
// Graphs whose hooks are asked on another thread: what their modules are, and what each of them imports, is found before the engine
// compiles the first, so that this thread's loop turns while it waits.
//
// As Node: whoever asks for the same URL meanwhile gets the same answer, and an error stays the answer.

const engine = require('internal/modules/engine');
const { all, map } = require('internal/modules/dynamic');
const { noted, taken } = require('internal/modules/esm_source');

// By URL, until it is compiled: { given, edges, below, loaded, linked, error }. `edges` is what its specifiers mean.
const finds = new Map();

const keyOf = (specifier, attributes) => {
  const parts = attributes === undefined || attributes === null ? [] : Object.keys(attributes).map((key) => [key, attributes[key]]);
  return JSON.stringify([specifier, parts]);
};

function attributesOf(flat) {
  const attributes = { __proto__: null };
  for (let at = 1; at < flat.length; at += 2) attributes[flat[at]] = flat[at + 1];
  return attributes;
}

// The text of one module; `given` if it is known.
async function load(asker, find, { url, format, importAttributes }, given) {
  try {
    find.given = given ?? taken(url, await asker.load(url, { format, importAttributes }));
  } catch (error) {
    find.error = { value: error };
    throw error;
  }
}

// What one module imports, and the texts of that.
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
  const find = { given: undefined, edges: new Map(), below: [], loaded: undefined, linked: undefined, error: undefined };
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

// When all of a graph is found whose root was resolved.
async function foresee(asker, place, isKnown, given) {
  if (!isKnown(place.url)) await walk(findOf(asker, place, isKnown, given), new Set());
}

// What was found of a URL, if anything was: { given, edges }. Throws if it cannot be had.
function found(url) {
  const find = finds.get(url);
  if (find?.error !== undefined) throw find.error.value;
  return find?.given === undefined ? undefined : find;
}

// The URL that a specifier of a module means, by what was found; undefined if nobody has asked.
function meant(edges, specifier, attributes) {
  const edge = edges.get(keyOf(specifier, attributes));
  return edge === undefined ? undefined : noted(edge);
}

// It is compiled, or cannot be.
function settle(url, error) {
  const find = finds.get(url);
  if (find === undefined) return;
  if (error === undefined) finds.delete(url);
  else find.error = error;
}

module.exports = { foresee, found, meant, settle };
