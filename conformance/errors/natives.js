// What the language's own functions say of what they were given.
'use strict';

function tell(work) {
  try {
    work();
    console.log('nothing');
  } catch (error) {
    console.log(`${error}`);
  }
}

const gone = (buffer) => { structuredClone(buffer, { transfer: [buffer] }); return buffer; };
const revoked = (target = {}) => { const { proxy, revoke } = Proxy.revocable(target, {}); revoke(); return proxy; };

for (const value of [undefined, null, NaN, Infinity, 1.5, -0.5, Symbol('s')]) tell(() => BigInt(value));
for (const value of [1, undefined, null]) tell(() => BigInt.asIntN(8, value));
tell(() => { new BigInt64Array(1)[0] = 1; });
tell(() => new BigInt64Array([1]));
tell(() => Math.max(1n));
tell(() => Math.floor(1n));
tell(() => isNaN(1n));
tell(() => new Uint8Array([1n]));
tell(() => 1n + 1);

tell(() => Object.getPrototypeOf(null));
tell(() => Symbol.keyFor(5));

for (const name of ['match', 'matchAll', 'replace', 'replaceAll', 'search', 'split', 'trim']) {
  tell(() => String.prototype[name].call(undefined));
}
tell(() => String.fromCodePoint(-1));
tell(() => String.fromCodePoint(65, 1.5));

tell(() => new Uint16Array(new ArrayBuffer(3)));
tell(() => new Uint16Array(new ArrayBuffer(4), 1));
tell(() => new (Object.getPrototypeOf(Uint8Array))());

for (const [pattern, flags] of [['aaa('], ['\\'], ['*']]) {
  tell(() => new RegExp(pattern, flags));
}
tell(() => /a/.compile('('));
tell(() => 'x'.match('('));

tell(() => delete new Proxy(Object.freeze({ x: 1 }), {}).x);

class Guarded {
  #own() {}
  get #read() { return 1; }
  static #shared() {}
  static call(value) { value.#own(); }
  static read(value) { return value.#read; }
  static share(value) { value.#shared(); }
  lost() { return this.#own(); }
}
class Derived extends Guarded { constructor() { super(); super(); } }
tell(() => new Derived());
