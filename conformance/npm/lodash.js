// lodash: collections, paths, clones, chains, templates, and the functions that wait: debounce, throttle, defer, delay.
'use strict';
const _ = require('lodash');

const log = (...words) => console.log(...words);
const people = [{ name: 'ann', age: 31, tags: ['a', 'b'] }, { name: 'bob', age: 25, tags: ['b'] }, { name: 'cid', age: 31, tags: [] }];
log(_.groupBy(people, 'age'), _.keyBy(people, 'name').bob, _.countBy(people, (one) => one.tags.length), _.orderBy(people, ['age', 'name'], ['desc', 'asc']).map((one) => one.name));
log(_.chunk([1, 2, 3, 4, 5], 2), _.zipObject(['a', 'b'], [1, 2]), _.partition([1, 2, 3], (n) => n > 1), _.differenceBy([2.1, 1.2], [2.3], Math.floor), _.sortedUniq([1, 1, 2]));
const nested = { a: [{ b: { c: 3 } }], d: new Map([[1, { e: 2 }]]), f: /x/g, g: new Date(0), h: Buffer.from('hi'), i: new Set([1]) };
nested.self = nested;
const copy = _.cloneDeep(nested);
log(copy, copy.self === copy, copy.d.get(1) !== nested.d.get(1), _.isEqual(copy, nested));
log(_.get(nested, 'a[0].b.c'), _.get(nested, ['a', 9, 'x'], 'none'), _.has(nested, 'a[0].b'), _.set({}, 'x.y[2].z', 1), _.unset(copy, 'a[0].b'), copy.a);
log(_.merge({ a: [{ b: 1 }], c: { d: 1 } }, { a: [{ e: 2 }], c: { d: undefined, f: 3 } }), _.defaultsDeep({ a: { b: 1 } }, { a: { b: 2, c: 3 } }), _.pick(people[0], ['name', 'tags[0]']), _.invert({ a: 1, b: 2 }));
log(_.camelCase('--Foo bar_baz'), _.kebabCase('fooBarBaz'), _.startCase('hello wOrld'), _.deburr('déjà vu'), _.truncate('a long sentence here', { length: 10, separator: ' ' }), _.words('fred, barney & pebbles 123'), _.pad('x', 5, '-'), _.escape('<a & "b">'), _.toArray('a👩‍👩‍👧é'));
log(_.template('<% for (const name of names) { %><li><%- name %></li><% } %> ${ total }')({ names: ['a', '<b>'], total: 2 }));
log(_(people).filter((one) => one.age > 30).map('name').map(_.upperFirst).join(' & '), _.chain([3, 1, 2]).sortBy().reverse().tap((list) => list.push(0)).value());
log(_.curry((a, b, c) => [a, b, c])(1)(2, 3), _.partial((a, b) => a - b, _, 1)(5), _.flow([_.add, (n) => n * n])(1, 2), _.memoize((n) => n * 2)(4), _.range(0, 1, 0.25), _.sumBy(people, 'age'), _.meanBy(people, 'age'));
log([_.isPlainObject(Object.create(null)), _.isPlainObject(new (class A {})()), _.isTypedArray(new Uint8Array()), _.isError(new RangeError()), _.isNative(Array.prototype.push), _.isArguments((function () { return arguments; })()), _.isElement({}), _.isWeakMap(new WeakMap()), _.isBuffer(Buffer.alloc(1))]);

// Time.
const calls = [];
const debounced = _.debounce((n) => calls.push(`debounced ${n}`), 10);
for (const n of [1, 2, 3]) debounced(n);
const leading = _.debounce((n) => calls.push(`leading ${n}`), 10, { leading: true, trailing: false });
for (const n of [1, 2, 3]) leading(n);
const throttled = _.throttle((n) => calls.push(`throttled ${n}`), 20);
for (const n of [1, 2, 3]) throttled(n);
const cancelled = _.debounce(() => calls.push('never'), 5);
cancelled();
cancelled.cancel();
const flushed = _.debounce(() => calls.push('flushed'), 1000);
flushed();
flushed.flush();
_.defer((text) => calls.push(text), 'deferred');
_.delay((text) => calls.push(text), 60, 'delayed');
const once = _.once(() => calls.push('once'));
once();
once();
_.delay(() => log(calls), 120);
