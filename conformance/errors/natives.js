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

for (const value of [undefined, null, NaN, Infinity, 1.5, -0.5, 'x', Symbol('s'), {}, '1.5']) tell(() => BigInt(value));
for (const value of [1, undefined, null, 'x']) tell(() => BigInt.asIntN(8, value));
tell(() => { new BigInt64Array(1)[0] = 1; });
tell(() => new BigInt64Array([1]));
tell(() => BigInt.asIntN(-1, 1n));
tell(() => Math.max(1n));
tell(() => Math.floor(1n));
tell(() => isNaN(1n));
tell(() => new Uint8Array([1n]));
tell(() => 1n + 1);

tell(() => new Map([1]));
tell(() => new Map([[1, 2], 'ab']));
tell(() => new WeakMap([1]));
tell(() => Object.fromEntries([5]));
tell(() => Object.fromEntries());
tell(() => Object.setPrototypeOf({}, 5));
tell(() => Object.setPrototypeOf({}));
tell(() => Object.setPrototypeOf(null, {}));
tell(() => Object.getPrototypeOf(null));
tell(() => Reflect.setPrototypeOf({}, 'x'));
tell(() => Reflect.defineProperty(5));
tell(() => Object.defineProperty({}, 'a', { get: 1 }));
tell(() => Object.defineProperty({}, 'a', { set: {} }));
tell(() => Symbol.keyFor(5));
tell(() => Symbol.prototype.description);
tell(() => Error.captureStackTrace(5));
tell(() => Promise.all.call(5));
tell(() => Promise.resolve.call(5));
tell(() => (function* () {})().next.call(5));

for (const name of ['concat', 'every', 'filter', 'find', 'forEach', 'indexOf', 'map', 'reduce', 'slice', 'some', 'join']) {
  tell(() => Array.prototype[name].call(null, () => {}));
}
for (const name of ['match', 'matchAll', 'replace', 'replaceAll', 'search', 'split', 'trim', 'trimStart', 'trimRight', 'at']) {
  tell(() => String.prototype[name].call(undefined));
}
tell(() => [].with(5, 1));
tell(() => [1].with(-2, 1));
tell(() => String.fromCodePoint(-1));
tell(() => String.fromCodePoint(65, 1.5));
tell(() => 'x'.repeat(-1));
tell(() => { const count = -2; 'x'.repeat(count); });

tell(() => new Uint8Array(-1));
tell(() => new Uint8Array(2 ** 53));
tell(() => new Uint16Array(new ArrayBuffer(3)));
tell(() => new Uint16Array(new ArrayBuffer(4), 1));
tell(() => new Float64Array(new ArrayBuffer(8), 16));
tell(() => new Uint16Array(new ArrayBuffer(4), 0, 8));
tell(() => new Uint8Array(4).set([1, 2, 3, 4, 5]));
tell(() => new Uint8Array(4).set([1], -1));
tell(() => new Uint8Array(4).with(9, 1));
tell(() => new (Object.getPrototypeOf(Uint8Array))());
tell(() => new ArrayBuffer(8, { maxByteLength: 4 }));
tell(() => new DataView(new ArrayBuffer(1), 2));
tell(() => new DataView(new ArrayBuffer(1), 0, 2));
tell(() => new DataView(new ArrayBuffer(1)).getInt8(-1));
tell(() => Atomics.add(new Int32Array(4), 8, 0));
tell(() => { const bytes = new Uint8Array(4); gone(bytes.buffer); bytes.fill(1); });
tell(() => new Uint8Array(gone(new ArrayBuffer(4))));
tell(() => gone(new ArrayBuffer(4)).slice(0));

for (const [pattern, flags] of [['aaa('], ['[', 'gi'], ['(?<n', 'g'], ['\\'], ['*'], ['{1}', 'u'], ['\\p{No}', 'u'], ['x', 'gg'], ['x', 'uv']]) {
  tell(() => new RegExp(pattern, flags));
}
tell(() => /a/.compile('('));
tell(() => 'x'.match('('));
tell(() => 'x'.matchAll('*'));

tell(() => Proxy.revocable(1, 2));
tell(() => revoked().x);
tell(() => { revoked().x = 1; });
tell(() => 'x' in revoked());
tell(() => delete revoked().x);
tell(() => Object.keys(revoked()));
tell(() => Object.getPrototypeOf(revoked()));
tell(() => Object.getOwnPropertyDescriptor(revoked(), 'x'));
tell(() => Array.isArray(revoked()));
tell(() => JSON.stringify(revoked()));
tell(() => revoked(() => {})());
tell(() => new (revoked(function () {}))());
tell(() => { new Proxy({}, { set: () => false }).x = 1; });
tell(() => delete new Proxy({}, { deleteProperty: () => false }).x);
tell(() => delete new Proxy(Object.freeze({ x: 1 }), {}).x);
tell(() => Object.defineProperty(new Proxy({}, { defineProperty: () => false }), 'x', {}));

class Guarded {
  #own() {}
  get #read() { return 1; }
  static #shared() {}
  static call(value) { value.#own(); }
  static read(value) { return value.#read; }
  static share(value) { value.#shared(); }
  lost() { return this.#own(); }
}
tell(() => Guarded.call({}));
tell(() => Guarded.read({}));
tell(() => Guarded.share({}));
tell(() => { const { lost } = new Guarded(); lost(); });
class Derived extends Guarded { constructor() { super(); super(); } }
tell(() => new Derived());
