// Trees of values made from a seed, printed under options made from it.
'use strict';
const util = require('util');

let seed = 20240917;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
};
const pick = (list) => list[random(list.length)];
const words = ['a', 'key', 'longer_name', 'two words', 'x-y', '1', 'ünï', '日本', 'constructor', 'value', 'some quite long property name', '🙂'];
const texts = ['', 'text', "it's", 'a "quoted" one', 'line\nbreak', 'tab\t', 'a rather long text that goes on and on until the line is full', '日本語', '\\', '\u001b[31mred', 'x'.repeat(70), 'no\nend\nof lines of text that are long enough to break'];
class Point { constructor(x) { this.x = x; this.y = -x; } }
class Deep extends Point { constructor(x) { super(x); this.inner = { z: [x] }; } }
class Named extends Map {}
class List extends Array {}

function primitive() {
  switch (random(9)) {
    case 0: return random(1000);
    case 1: return random(1000000) / 7;
    case 2: return -random(100);
    case 3: return BigInt(random(1e9)) * 1000003n;
    case 4: return pick([true, false, null, undefined, NaN, -0, Infinity]);
    case 5: return Symbol(pick(words));
    default: return pick(texts);
  }
}

function value(depth) {
  if (depth <= 0) return primitive();
  const count = random(7);
  const many = (make) => Array.from({ length: count }, make);
  switch (random(20)) {
    case 0: case 1: case 2: return Object.fromEntries(many(() => [pick(words), value(depth - 1)]));
    case 3: case 4: return many(() => value(depth - 1));
    case 5: return Array.from({ length: random(40) }, () => random(pick([10, 1000, 100000])));
    case 6: return Array.from({ length: random(30) }, () => pick(texts).slice(0, 12));
    case 7: return new Map(many(() => [value(depth - 2), value(depth - 1)]));
    case 8: return new Set(many(() => value(depth - 1)));
    case 9: return new Point(random(100));
    case 10: return new Deep(random(100));
    case 11: return new Named(many(() => [primitive(), value(depth - 1)]));
    case 12: { const list = many(() => value(depth - 1)); if (count > 2) delete list[1]; list.extra = value(depth - 1); return list; }
    case 13: { const o = Object.create(null); o[pick(words)] = value(depth - 1); return o; }
    case 14: return Object.defineProperties({}, { [pick(words)]: { get() { return 1; }, enumerable: true }, [Symbol(pick(words))]: { value: value(depth - 1), enumerable: true }, hid: { value: 1 } });
    case 15: { const o = { name: pick(words) }; o[pick(words)] = { back: o, more: value(depth - 1) }; return o; }
    case 16: return pick([new Date(random(1e9) * 1000), /re(g)ex/gi, function named() {}, () => {}, class Klass {}, class Sub extends Point {}, Object('boxed'), new Uint8Array(count), new Float64Array([1.5, count]), Promise.resolve(count)]);
    case 17: return List.from(many(() => value(depth - 1)));
    case 18: { const e = new TypeError(pick(texts)); Object.defineProperty(e, 'stack', { value: `TypeError: ${e.message}\n    at f (file.js:${count}:1)` }); if (count > 3) e.info = value(depth - 1); return e; }
    default: return primitive();
  }
}

function options() {
  const set = {};
  if (random(3) === 0) set.depth = pick([0, 1, 3, null]);
  if (random(4) === 0) set.colors = true;
  if (random(3) === 0) set.compact = pick([true, false, 1, 2, 5]);
  if (random(3) === 0) set.breakLength = pick([20, 40, 60, 100, 120, Infinity]);
  if (random(6) === 0) set.sorted = true;
  if (random(6) === 0) set.getters = true;
  if (random(6) === 0) set.maxArrayLength = pick([0, 1, 3, 10, null]);
  if (random(8) === 0) set.maxStringLength = pick([0, 5, 20, null]);
  if (random(8) === 0) set.numericSeparator = true;
  return set;
}

for (let round = 0; round < (Number(process.argv[2]) || 400); round++) {
  const set = options();
  console.log(`# ${round} ${JSON.stringify(set)}\n${util.inspect(value(2 + random(4)), set)}`);
}
