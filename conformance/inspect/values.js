// Every value under every set of options, as util.inspect prints it.
'use strict';
const util = require('util');

const circular = { name: 'c' };
circular.self = circular;
circular.list = [circular, { again: circular }];
const two = { a: {} };
two.a.b = two;
two.a.c = two.a;
class Foo { constructor() { this.x = 1; } get y() { return 2; } static s = 1; }
class Bar extends Foo { constructor() { super(); this.z = [1]; } }
class Tagged { get [Symbol.toStringTag]() { return 'Tag'; } }
class Partial { get [Symbol.toStringTag]() { return 'Part'; } }
class ArrayLike extends Array {}
class MyMap extends Map {}
class MySet extends Set {}
class MyDate extends Date {}
class MyRegExp extends RegExp {}
class MyPromise extends Promise {}
class MyError extends Error {}
class MyU8 extends Uint8Array {}
function Old() { this.a = 1; }
Old.prototype.method = function() {};
const withAccessors = {
  get a() { return 1; }, set a(v) {}, get b() { return { deep: [1] }; }, set c(v) {}, get d() { throw new Error('no'); },
  get e() { return null; }, get f() { return 'text'; },
};
const hidden = Object.defineProperty({ seen: 1 }, 'hidden', { value: { x: 1 }, enumerable: false });
const bare = Object.create(null);
bare.x = 1;
const stackless = (error, value) =>
  Object.defineProperty(error, 'stack', { value, enumerable: false, writable: true, configurable: true });
const sparse = [1, , 3, , , 6];
const mixed = [1, 2, 3];
mixed.extra = 'x';
mixed[-1] = 'neg';
mixed[Symbol('s')] = 1;
const iterated = new Map([['a', 1], ['b', 2], ['c', 3]]).entries();
iterated.next();
const long = 'lorem ipsum dolor sit amet '.repeat(8);
const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } };
const customObject = { [util.inspect.custom](depth, options) { return `custom<${depth},${typeof options.stylize}>`; } };
const customNested = { [util.inspect.custom]() { return { replaced: [1, 2] }; } };
const customLines = { [util.inspect.custom]() { return 'line1\nline2'; } };
const customThis = { a: 1, [util.inspect.custom]() { return this; } };
const noConstructor = Object.create({ inherited: 1 });
noConstructor.own = 2;
const anonymous = new (class {})();
const named = new (class Named { #p = 1; pub = 2; })();
const fn = function named() {};
fn.prop = 1;
const arrow = () => {};
const boxed = Object.assign(Object('abc'), { x: 1 });
const typed = new Uint8Array([1, 2, 3]);
typed.extra = true;
const buffer = new Uint8Array([1, 2, 255]).buffer;
const dateExtra = Object.assign(new Date(0), { x: 1 });
const regExtra = Object.assign(/a/g, { x: 1 });
const nullError = Object.setPrototypeOf(stackless(new Error('np'), 'Error: np\n    at x (file.js:1:1)'), null);

const values = {
  undefined: undefined, null: null, true: true, false: false,
  zero: 0, negzero: -0, int: 42, neg: -42.5, big: 123456789.123456, huge: 1e21, nan: NaN, inf: -Infinity,
  bigint: 12345678901234567890n, negbig: -1n, sym: Symbol('x'), symEmpty: Symbol(), symIter: Symbol.iterator,
  symOdd: Symbol('a\nb'),
  empty: '', simple: 'abc', quote: "it's", both: `it's "x"`, all: 'it\'s "x" `y`', esc: '\0\n\t\b\v\f\r\x1b\x7f\x9f\\',
  uni: 'žluťoučký 你好 👍', lone: 'a\ud800b\udc00', dollar: 'a\'"${x}', long, longLines: 'first line of text\nsecond line of text\n'.repeat(4),
  obj: {}, one: { a: 1 }, nested: deep, keys: { 'a-b': 1, 1: 2, 'ok_1': 3, 'ž': 4, '': 5, [Symbol('k')]: 6, "it's": 7, 'new\nline': 8 },
  proto: { ['__proto__']: 1 }, withUndef: { a: undefined, b: null, c: () => {} },
  bare, bareEmpty: Object.create(null), noConstructor, ofBare: Object.create(bare), hidden, withAccessors,
  arr: [], arr1: [1], sparse, holes: new Array(3), holesEnd: [1, , ], mixed, nestedArr: [[[[1]]]], objs: [{ a: 1 }, { b: 2 }],
  nums: Array.from({ length: 120 }, (_, i) => i * 37 % 1000), strs: Array.from({ length: 30 }, (_, i) => 'item' + i),
  seven: [1, 2, 3, 4, 5, 6, 7], six: [1, 2, 3, 4, 5, 6], mixedList: [1, 'a', null, undefined, true, { a: 1 }, [2], () => {}],
  longs: Array.from({ length: 8 }, (_, i) => 'x'.repeat(i * 5)), bigs: Array.from({ length: 20 }, (_, i) => BigInt(i) ** 9n),
  negs: Array.from({ length: 27 }, (_, i) => -i * 1.5), undefs: Array.from({ length: 10 }), wide: Array.from({ length: 9 }, () => '你好'),
  arrayLike: ArrayLike.from([1, 2]), arrayLikeEmpty: new ArrayLike(), nullArr: Object.setPrototypeOf([1, 2], null),
  args: (function() { return arguments; })(1, 'a'), argsEmpty: (function() { return arguments; })(),
  map: new Map([[1, 'a'], ['k', { x: [1, { y: 1 }] }], [{}, new Map([[1, 2]])]]), mapEmpty: new Map(), myMap: new MyMap([[1, 2]]),
  set: new Set([1, 'a', { b: 1 }, new Set([2])]), setEmpty: new Set(), mySet: new MySet([1]), mapExtra: Object.assign(new Map([[1, 2]]), { x: 1 }),
  nullMap: Object.setPrototypeOf(new Map([[1, 2]]), null), nullSet: Object.setPrototypeOf(new Set([1]), null),
  bigMap: new Map(Array.from({ length: 105 }, (_, i) => [i, i])), bigSet: new Set(Array.from({ length: 105 }, (_, i) => i)),
  mapIter: new Map([[1, { a: 1 }]]).entries(), mapKeys: new Map([[1, 2]]).keys(), mapValues: new Map([[1, 2]]).values(), iterated,
  setIter: new Set([1, 2]).values(), setEntries: new Set([1, 2]).entries(), arrIter: [1][Symbol.iterator](), strIter: 'a'[Symbol.iterator](),
  weakMap: new WeakMap(), weakSet: new WeakSet(), weakRef: new WeakRef({ a: 1 }),
  pending: new Promise(() => {}), resolved: Promise.resolve({ a: 1 }), myPromise: MyPromise.resolve(4),
  u8: new Uint8Array([1, 2, 3]), u8e: new Uint8Array(0), f64: new Float64Array([1.5, -0, NaN]), b64: new BigInt64Array([1n, -2n]),
  u8c: new Uint8ClampedArray(200), myU8: new MyU8(2), typed, nullU8: Object.setPrototypeOf(new Uint8Array(2), null),
  buffer, bufferBig: new ArrayBuffer(60), sab: new SharedArrayBuffer(2), view: new DataView(buffer, 1),
  date: new Date(0), dateBad: new Date(NaN), myDate: new MyDate(1e12), dateExtra, regexp: /a\/b/gi, myRegExp: new MyRegExp('x'), regExtra,
  fn, fnAnon: (() => function() {})(), arrow, asyncFn: async function af() {}, gen: function* g() {}, asyncGen: async function* ag() {},
  method: { m() {} }.m, bound: fn.bind(), nullFn: Object.setPrototypeOf(function nf() {}, null), builtin: Math.max,
  classFoo: Foo, classBar: Bar, classAnon: (() => class {})(), classNull: class extends null {}, classStatic: class S { static a = 1; static b() {} },
  classNoName: class { static name = ''; }, classComment: class /* ( */ X {},
  foo: new Foo(), bar: new Bar(), tagged: new Tagged(), partial: new Partial(), old: new Old(), anonymous, named,
  ownTag: { [Symbol.toStringTag]: 'Own' }, hiddenTag: Object.defineProperty({ a: 1 }, Symbol.toStringTag, { value: 'Hid' }),
  genObj: (function* g() {})(), asyncGenObj: (async function* ag() {})(),
  num: Object(1), str: Object('abc'), bool: Object(false), symO: Object(Symbol('o')), bigO: Object(1n), boxed,
  circular, two, circularMap: (() => { const m = new Map(); m.set('m', m); return m; })(), circularArr: (() => { const a = [1]; a.push(a); return a; })(),
  error: stackless(new Error('msg'), 'Error: msg\n    at f (file.js:1:2)\n    at g (file.js:3:4)'),
  errorNoStack: stackless(new TypeError('plain'), undefined), errorOnlyHead: stackless(new RangeError('head'), 'RangeError: head'),
  errorProps: Object.assign(stackless(new Error('p'), 'Error: p\n    at f (file.js:1:2)'), { code: 'X', n: 1 }),
  errorName: Object.assign(stackless(new Error('n'), 'Error: n\n    at f (file.js:1:2)'), { name: 'Custom' }),
  errorCause: stackless(new Error('outer', { cause: stackless(new Error('inner'), 'Error: inner\n    at i (i.js:1:1)') }), 'Error: outer\n    at o (o.js:1:1)'),
  errorCausePrimitive: stackless(new Error('outer', { cause: 'why' }), 'Error: outer\n    at o (o.js:1:1)'),
  errorAggregate: stackless(new AggregateError([stackless(new Error('e1'), 'Error: e1\n    at 1 (i.js:1:1)'), 2], 'agg'), 'AggregateError: agg\n    at o (o.js:1:1)'),
  myError: stackless(new MyError('mine'), 'Error: mine\n    at f (file.js:1:2)'), nullError, errorIn: { e: stackless(new Error('in'), 'Error: in\n    at f (file.js:1:2)') },
  errorSame: stackless(new Error('o', { cause: stackless(new Error('i'), 'Error: i\n    at i (i.js:1:1)\n    at a (a.js:1:1)\n    at b (a.js:2:1)\n    at c (a.js:3:1)\n    at d (a.js:4:1)') }), 'Error: o\n    at o (o.js:1:1)\n    at a (a.js:1:1)\n    at b (a.js:2:1)\n    at c (a.js:3:1)\n    at d (a.js:4:1)'),
  errorRecursive: stackless(new Error('r'), 'Error: r\n' + '    at f (f.js:1:1)\n'.repeat(12) + '    at main (f.js:9:9)'),
  errorPingPong: stackless(new Error('r'), 'Error: r\n' + '    at f (f.js:1:1)\n    at g (f.js:2:1)\n'.repeat(7) + '    at main (f.js:9:9)'),
  errorMessageLines: stackless(new Error('a\nb'), 'Error: a\nb\n    at f (file.js:1:2)'),
  errorEmpty: stackless(new Error(''), 'Error\n    at f (file.js:1:2)'),
  errorKeyMessage: stackless(Object.defineProperty(new Error('m'), 'message', { value: 'other', enumerable: true }), 'Error: m\n    at f (file.js:1:2)'),
  proxy: new Proxy({ a: 1 }, { get() { throw new Error('trap'); } }), proxyFn: new Proxy(function pf() {}, {}), proxyArr: new Proxy([1, 2], {}),
  proxy2: new Proxy(new Proxy({ b: 1 }, {}), {}), revoked: (() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy; })(),
  customObject, customNested, customLines, customThis, customDeep: { a: { b: customObject, c: customLines } },
  math: Math, json: JSON, reflect: Reflect, atomics: Atomics,
  longObj: Object.fromEntries(Array.from({ length: 30 }, (_, i) => ['property' + i, i])),
  wideObj: { aaaaaaaaaaaaaaaaaaaa: 'bbbbbbbbbbbbbbbbbbbbbbb', cccccccccccccccccc: 'ddddddddddddddddd', e: 1 },
  mixedDeep: { a: [{ b: { c: {} } }], d: new Map([[{ e: 1 }, new Set([[1, 2]])]]), f: [[[]]], g: [[[1]]] },
  matrix: Array.from({ length: 7 }, (_, i) => [i, i * i, i ** 3]), strings: { text: long, arr: [long] },
  dates: [new Date(0), new Date(1e12)], regs: [/a/, /b/g], symKeys: { [Symbol('a')]: { [Symbol()]: 1 }, [Symbol.iterator]: 2 },
};

const optionSets = [
  undefined,
  { depth: 0 },
  { depth: null },
  { depth: 1, compact: false },
  { colors: true },
  { showHidden: true },
  { compact: true },
  { compact: 1, breakLength: 40 },
  { breakLength: Infinity },
  { breakLength: 120, compact: 10, depth: 5 },
  { sorted: true },
  { getters: true },
  { maxArrayLength: 2, maxStringLength: 5 },
  { maxArrayLength: 0, maxStringLength: null },
  { numericSeparator: true },
  { customInspect: false },
  { showProxy: true },
];

// Where engines show what is their own: properties of built-in objects, inner names.
const ownOfEngine = {
  showHidden: ['math', 'json', 'reflect', 'atomics', 'fn', 'arrow', 'fnAnon', 'asyncFn', 'gen', 'asyncGen', 'method', 'bound', 'builtin',
    'nullFn', 'classFoo', 'classBar', 'classAnon', 'classNull', 'classStatic', 'classNoName', 'classComment', 'withUndef', 'mixedList', 'proxyFn',
    'error', 'errorNoStack', 'errorOnlyHead', 'errorProps', 'errorName', 'errorCause', 'errorCausePrimitive', 'errorAggregate', 'myError',
    'nullError', 'errorIn', 'errorSame', 'errorRecursive', 'errorPingPong', 'errorMessageLines', 'errorEmpty', 'errorKeyMessage', 'args', 'argsEmpty',
    'arrIter', 'strIter', 'genObj', 'asyncGenObj', 'withAccessors'],
};

for (const options of optionSets) {
  const skipped = options?.showHidden ? ownOfEngine.showHidden : [];
  console.log(`# ${options === undefined ? 'no options' : util.inspect(options)}`);
  for (const name of Object.keys(values)) {
    if (skipped.includes(name)) continue;
    let text;
    try {
      text = util.inspect(values[name], options);
    } catch (error) {
      text = `throws ${error.name}: ${error.message}`;
    }
    console.log(`${name}: ${text}`);
  }
}
