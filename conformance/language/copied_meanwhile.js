// Object spread, rest and Object.assign ask whether a property is still there, and listed, when it is its turn.
const made = () => ({ get a() { delete this.b; return 1; }, b: 2, c: 3 });
const hidden = () => ({ get a() { Object.defineProperty(this, 'b', { enumerable: false }); return 1; }, b: 2, c: 3 });
const shown = () => Object.defineProperty({ get a() { Object.defineProperty(this, 'b', { enumerable: true }); return 1; }, c: 3 }, 'b', { value: 2, configurable: true });
const added = () => ({ get a() { this.d = 4; return 1; }, b: 2 });
const replaced = () => ({ get a() { delete this.b; this.b = 5; return 1; }, b: 2, c: 3 });
const listed = () => Object.assign([1, 2, 3], { get extra() { return 4; } });
const sparse = () => Object.defineProperty([1, 2, 3], 0, { get() { this.length = 2; return 0; }, enumerable: true });
const symbols = () => ({ get a() { delete this[Symbol.iterator]; return 1; }, [Symbol.iterator]: 2, [Symbol.for('kept')]: 3 });
for (const make of [made, hidden, shown, added, replaced, listed, sparse, symbols]) {
  const { q, ...rest } = make();
  const { a, ...others } = make();
  console.log(make.name, { ...make() }, Object.assign({}, make()), rest, others);
}

// A setter of the target may take something away as well.
const source = { a: 1, b: 2, c: 3 };
console.log(Object.assign({ set a(value) { delete source.b; } }, source), source);

// Proxies are asked in the same order as before.
const asked = [];
const watched = new Proxy({ a: 1, b: 2, [Symbol.iterator]: 3 }, {
  ownKeys(target) { asked.push('ownKeys'); return Reflect.ownKeys(target); },
  getOwnPropertyDescriptor(target, key) { asked.push(`is ${String(key)}`); return Reflect.getOwnPropertyDescriptor(target, key); },
  get(target, key) { asked.push(`get ${String(key)}`); return target[key]; },
});
console.log({ ...watched }, asked.join());
console.log({ ...'ab' }, { ...[1, , 3] }, { ...new Uint8Array([1, 2]) }, { ...function () {} }, { ...new Error('x') }, { ...null });
console.log(Object.assign([], 'abc'), { ...new String('ab') }, (function () { return { ...arguments }; })(1, 2));
