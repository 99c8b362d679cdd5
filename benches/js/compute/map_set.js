'use strict';
// Maps and sets with strings, numbers and objects as keys: a count of words, a cache, a set of visited places.
const words = Array.from({ length: 5000 }, (_, at) => `word${(at * 7919) % 1500}`);
const nodes = Array.from({ length: 1000 }, (_, id) => ({ id, next: [(id * 31 + 7) % 1000, (id * 17 + 3) % 1000] }));
require('./harness.js')('map_set', () => {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const seen = new Set([nodes[0]]);
  for (const node of seen) for (const id of node.next) seen.add(nodes[id]);
  const numbers = new Map();
  for (let at = 0; at < 5000; at++) numbers.set(at * 3, at);
  for (let at = 0; at < 5000; at += 2) numbers.delete(at * 3);
  if (counts.size !== 1500 || seen.size < 500 || numbers.size !== 2500) throw new Error(`wrong result: ${seen.size}`);
});
