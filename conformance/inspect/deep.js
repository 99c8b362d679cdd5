'use strict';
// Deep trees, whose texts are long at each level: errors with causes, lists, maps.
const { inspect } = require('util');
const { createHash } = require('crypto');

let error = null;
for (let at = 0; at < 40; at++) {
  const next = new Error(`number ${at}`, error === null ? undefined : { cause: error });
  next.stack = `Error: number ${at}\n    at one (file.js:${at}:1)\n    at two (file.js:${at}:2)`;
  error = next;
}
let list = [];
for (let at = 0; at < 30; at++) list = [at, list, 'x'.repeat(at)];
let map = new Map();
for (let at = 0; at < 25; at++) map = new Map([[at, map], [{ at }, null]]);
let object = {};
for (let at = 0; at < 30; at++) object = { at, object, [Symbol('s')]: `${at}` };

for (const [name, value] of Object.entries({ error, list, map, object, all: { error, list, map, object } })) {
  for (const options of [
    {}, { colors: true }, { compact: true }, { compact: false }, { breakLength: Infinity }, { sorted: true, colors: true },
    { colors: true, breakLength: 40 },
  ]) {
    const text = inspect(value, { depth: null, ...options });
    console.log(name, inspect(options), text.length, createHash('md5').update(text).digest('hex'));
  }
}
