// Who spreads something asks for its iterator once.
const asked = [];
const counted = (values, name) => ({ get [Symbol.iterator]() { asked.push(name); return function* () { yield* values; }; } });
console.log([...counted([1, 2], 'array')], Math.max(...counted([3, 4], 'call')), new Date(...counted([2020, 1], 'new')).getFullYear());
console.log([0, ...counted([1], 'first'), ...counted([2], 'second')], ((...all) => all)(...counted([5], 'rest'), 6));
console.log(asked.join());
const list = [1, 2];
Object.defineProperty(list, Symbol.iterator, { get() { asked.push('own'); return Array.prototype[Symbol.iterator]; } });
console.log([...list], Math.max(...list));
const proxy = new Proxy([1, 2], { get(target, key, receiver) { asked.push(String(key)); return Reflect.get(target, key, receiver); } });
console.log([...proxy]);
console.log(asked.join());
class Sub extends Array {}
console.log([...Sub.of(1, 2)], [...Object.assign([1, 2], { extra: 1 })], [...'añ𝒳'], [...new Set([1, 1])], [...'ab'.match(/b/)]);
class Odd extends Array { *[Symbol.iterator]() { yield 'odd'; } }
console.log([...Odd.of(1, 2)], Math.max(...new (class extends Array { get [Symbol.iterator]() { asked.push('class'); return super[Symbol.iterator]; } })(1, 2, 3)), asked.at(-1), asked.length);
for (const value of [5, {}, null, undefined]) try { [...value]; } catch (error) { console.log(error.message); }
