// toLocaleString of numbers, BigInts, arrays and typed arrays, also in a context of its own.
'use strict';
const vm = require('node:vm');
const cycle = [1];
cycle.push(cycle);
const asked = { toLocaleString(...given) { return JSON.stringify(given); } };
const tries = {
  numbers: () => [0, -0, 1234567.891, -1e21, 0.0005, NaN, Infinity].map((number) => number.toLocaleString()),
  'of a locale': () => [(1234.5).toLocaleString('en'), (1234.5).toLocaleString(['en-US']), (1234.5).toLocaleString('en')],
  'with options': () => [(0.256).toLocaleString('en-US', { style: 'percent' }), (5).toLocaleString(undefined, { style: 'currency', currency: 'EUR' })],
  'objects': () => [new Number(12345).toLocaleString(), Object(12345n).toLocaleString()],
  bigints: () => [12345678901234567890n.toLocaleString(), (-5000n).toLocaleString('en', { notation: 'compact' })],
  array: () => [1234.5, null, undefined, 'x', [1e6], 5000n].toLocaleString(),
  'array with options': () => [1234.5, 12345n].toLocaleString('en', { style: 'percent' }),
  'array in itself': () => cycle.toLocaleString(),
  'what elements are given': () => [[asked].toLocaleString(), [asked].toLocaleString('en', { a: 1 })],
  'like an array': () => Array.prototype.toLocaleString.call({ length: 2, 0: 1000, 1: 'x' }),
  'typed array': () => new Float64Array([1234.5, 1e6]).toLocaleString('en', { minimumFractionDigits: 2 }),
  'typed array of BigInts': () => new BigInt64Array([1234n]).toLocaleString(),
  lengths: () => [[], 5, 5n, new Uint8Array(1)].map((value) => [value.toLocaleString.length, value.toLocaleString.name]),
  'in a context': () => vm.runInNewContext('[(12345).toLocaleString(), ["b", "B", "a", "ä"].sort((x, y) => x.localeCompare(y)).join(), 12345n.toLocaleString()].join()'),
  'no number': () => Number.prototype.toLocaleString.call('5'),
  'no BigInt': () => BigInt.prototype.toLocaleString.call(5),
  'no array': () => Array.prototype.toLocaleString.call(null),
  'no typed array': () => Uint8Array.prototype.toLocaleString.call([]),
  'bad style': () => (5).toLocaleString('en', { style: 'x' }),
  'bad style of a BigInt': () => 5n.toLocaleString('en', { style: 'x' }),
  'bad unit': () => (5).toLocaleString('en', { style: 'unit', unit: 'x' }),
  'null options': () => (5).toLocaleString('en', null),
  'null locales': () => (5).toLocaleString(null),
  'bad tag': () => (5).toLocaleString('x_'),
};
for (const [name, attempt] of Object.entries(tries)) {
  try { console.log(name, attempt()); } catch (error) { console.log(name, error.name); }
}
