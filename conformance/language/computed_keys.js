// A computed key is the name of a property before the value is looked at.
const log = [];
const key = name => ({ toString() { log.push(`key ${name}`); return name; } });
const value = name => (log.push(`value ${name}`), name);
console.log({ [key('a')]: value('A'), [key('b')]: value('B'), c: value('C'), [key('d')]() {}, get [key('e')]() { return 1; } });
console.log(log.join());
console.log({ [Symbol.iterator]: 1, [1]: 2, [1.5]: 3, [-0]: 4, [10n]: 5, [null]: 6, [undefined]: 7, [true]: 8, [[]]: 9, [`${1}x`]: 10 });
console.log(({ [key('f')]: () => {} }).f.name, ({ [key('g')]: class {} }).g.name, ({ [Symbol('s')]: function () {} })[Object.getOwnPropertySymbols({})[0]]);
try { ({ [{ toString() { throw new Error('no key'); } }]: log.push('not looked at') }); } catch (error) { console.log(error.message, log.at(-1)); }
try { ({ [Object.create(null)]: 1 }); } catch (error) { console.log(error.message); }
let count = 0;
const named = { [`key${++count}`]: count, [`key${++count}`]: count };
console.log(named);
class Fields { [key('x')] = value('X'); static [key('y')] = value('Y'); [key('z')]() {} }
console.log(new Fields(), Fields.y, log.slice(-5).join());
const { [key('q')]: q = value('Q') } = {};
console.log(q, log.slice(-2).join());
