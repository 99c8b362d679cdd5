// util.format and formatWithOptions: every directive with every kind of argument.
'use strict';
const util = require('util');

class Plain { constructor() { this.a = 1; } }
class Texted { toString() { return 'texted'; } }
class Sub extends Texted {}
class Primitive { [Symbol.toPrimitive]() { return 'primitive'; } }
const ring = {};
ring.ring = ring;
const args = [
  'text', '', "it's", 0, -0, 42, -1.5, 1e21, NaN, Infinity, '42', '42.5abc', '0x10', 12345678901n, -0n, true, null, undefined,
  Symbol('s'), [], [1, [2, [3]]], {}, { a: { b: { c: 1 } } }, ring, new Date(0), /x/, () => {}, function f() {}, class A {},
  new Plain(), new Texted(), new Sub(), new Primitive(), Object.create(null), { toString() { return 'own'; } },
  { toString: null }, new Map([[1, 2]]), new Set([1]), Object('boxed'), Object(1), new Proxy({ p: 1 }, {}),
  Object.defineProperty(new Error('e'), 'stack', { value: 'Error: e\n    at x (f.js:1:1)' }), [undefined, null],
];
for (const directive of ['%s', '%d', '%i', '%f', '%j', '%O', '%c', '%%', '%x', '%', 'a%sb', '%%%s%%', '%s:%s']) {
  for (const arg of args) {
    let text;
    try {
      text = util.format(directive, arg);
    } catch (error) {
      text = `throws ${error.name}`;
    }
    console.log(`${directive} ${text}`);
  }
}
for (const arg of [1, 'a', [1, [2]], { a: { b: {} } }, new Map([[1, { a: 1 }]])]) console.log(`%o ${util.format('%o', arg)}`);
console.log(util.format());
console.log(util.format('a', 'b', 1, { c: 1 }));
console.log(util.format(1, 2, '3'));
console.log(util.format('%s', 'a', 'b', [1]));
console.log(util.format('%s %s', 'only'));
console.log(util.format('%%s', 'a'));
console.log(util.format('%s%s%s', 1, 2));
console.log(util.format('100%', 'x'));
console.log(util.format('%d%%', 50));
console.log(util.format('a%'));
console.log(util.format('a%', 1));
console.log(util.format('%i', '42.9px'), util.format('%f', '1.5.5'), util.format('%d', '0x1f'), util.format('%d', {}), util.format('%i', []));
console.log(util.format('%s', 123456.789, 'n'), util.formatWithOptions({ numericSeparator: true }, '%s %d %i', 1234567.1234, 98765, 12345));
console.log(util.formatWithOptions({ colors: true }, '%s %O', 'a', { b: 1 }, 'c', 2));
console.log(util.formatWithOptions({ compact: false }, 'x', { b: { c: 1 } }));
for (const bad of [undefined, null, 1, 'x']) {
  try {
    console.log(util.formatWithOptions(bad, 'x'));
  } catch (error) {
    console.log(`${error.name} ${error.code} ${error.message}`);
  }
}
console.log(util.inspect({ a: { b: { c: { d: 1 } } } }, false, 5, false));
console.log(util.inspect({ a: 1n, b: 'x' }, true, null, true));
util.inspect.defaultOptions = { depth: 0 };
console.log(util.inspect({ a: {} }), util.inspect.defaultOptions.depth);
util.inspect.defaultOptions.depth = 2;
console.log(util.stripVTControlCharacters('\u001b[31mred\u001b[39m \u001b]8;;http://x\u0007link'));
console.log(util.toUSVString('a\ud800b'));
