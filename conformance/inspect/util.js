// The other functions of util.
'use strict';
const util = require('util');

const show = (name, make) => {
  let text;
  try {
    text = util.inspect(make(), { depth: 6, breakLength: 120 });
  } catch (error) {
    text = `${error.name} ${error.code} ${error.message}`;
  }
  console.log(`${name}: ${text}`);
};

// parseArgs
const options = {
  foo: { type: 'boolean', short: 'f' }, bar: { type: 'string', short: 'b' }, many: { type: 'string', multiple: true, short: 'm' },
  flags: { type: 'boolean', multiple: true }, def: { type: 'string', default: 'd' }, defs: { type: 'string', multiple: true, default: ['x'] },
};
const lines = [
  [], ['-f'], ['--foo'], ['-b', '1'], ['-b1'], ['--bar=1'], ['--bar', '1'], ['--bar='], ['--bar'], ['-b'], ['-fb', '1'], ['-fb1'], ['-bf'],
  ['pos'], ['-f', 'pos', '--bar', 'x', 'more'], ['--', '-f'], ['--foo=1'], ['--unknown'], ['-u'], ['--no-foo'], ['--no-bar'], ['--bar', '-f'], ['--bar', '--foo'],
  ['-m', '1', '-m', '2', '--many=3'], ['--flags', '--flags'], ['--def', 'y'], ['--defs', 'y', '--defs', 'z'], ['-'], ['--__proto__', 'x'], ['-fx'], ['--=x'], ['---'],
  ['--bar==x'], ['--foo', '--', '--bar'], ['-b', '-'], ['-ffb', '-x'], ['-b='], ['--bar', ''],
];
for (const config of [{ options }, { options, strict: false }, { options, allowPositionals: true, tokens: true }, { options, allowNegative: true, tokens: true }, { strict: false, tokens: true }, {}]) {
  for (const args of lines) show(`parseArgs ${JSON.stringify({ ...config, options: config.options && 1 })} ${JSON.stringify(args)}`, () => util.parseArgs({ ...config, args }));
}
for (const bad of [{ options: 1 }, { options: { a: 1 } }, { options: { a: {} } }, { options: { a: { type: 'string', short: 'ab' } } }, { options: { a: { type: 'string', default: 1 } } },
  { options: { a: { type: 'boolean', multiple: true, default: [1] } } }, { options: { a: { type: 'string', multiple: 1 } } }, { tokens: 1 }, { allowPositionals: 'x' }, { allowNegative: 0 }]) {
  show(`parseArgs ${JSON.stringify(bad)}`, () => util.parseArgs({ args: [], ...bad }));
}

// MIMEType
for (const text of ['text/plain', 'TEXT/HTML; charset=UTF-8', 'a/b;c="d e";f=g', ' a/b ;x', 'a/b;x=', 'a/b;x="', 'a/b;x="\\"', 'a/b;x="a\\', 'a/b; x=y ; X=z', 'a/b;x=y;x=z', 'a', 'a/', '/b', 'a/b c', 'a b/c',
  'a/b;=x', 'a/b;x y=z', 'a/b;x=\u0100', 'a/b;q="a"junk;r=s', 'a/b;;;x=1', 'é/b', '']) {
  show(`mime ${JSON.stringify(text)}`, () => { const m = new util.MIMEType(text); return [`${m}`, m.type, m.subtype, m.essence, [...m.params], JSON.stringify(m)]; });
}
show('mime set', () => { const m = new util.MIMEType('a/b'); m.type = 'X'; m.subtype = 'Y'; m.params.set('k', 'v w'); m.params.set('e', ''); m.params.delete('k'); return `${m} ${m.params.get('z')} ${m.params.has('e')}`; });
show('mime bad', () => { new util.MIMEType('a/b').type = 'x y'; });
show('mime bad name', () => new util.MIMEType('a/b').params.set('x y', 1));
show('mime bad value', () => new util.MIMEType('a/b').params.set('x', '\u0100'));
show('mime print', () => [new util.MIMEType('a/b;c=d'), new util.MIMEParams()]);

// parseEnv
for (const text of ['A=1', 'A=1\nB=2', ' A = 1 ', 'A="1\n2"', "A='x#y'", 'A=x#y', 'A=x # y', '# c\nA=1', 'export A=1', 'A=', 'A=\nB=1', 'A="x\\ny"', "A='x\\ny'", 'A="x', 'A="x\nB=1', 'A', 'A\nB=1', '=x\nA=1', 'A=`x"y`z\nB=2', 'A=1\r\nB=2\r\n', '\n\nA=1\n\n', 'A="1" trailing\nB=2']) {
  show(`env ${JSON.stringify(text)}`, () => util.parseEnv(text));
}

// diff
for (const [a, b] of [['abc', 'abc'], ['abc', 'abd'], ['', 'x'], ['kitten', 'sitting'], [['a', 'b', 'c'], ['a', 'c', 'd']], ['ABCABBA', 'CBABAC'], [['x'], []], [1, 'a'], ['a', [1]]]) {
  show(`diff ${JSON.stringify([a, b])}`, () => util.diff(a, b));
}

// styleText
for (const [format, text] of [['red', 'x'], [['bold', 'red'], 'x'], ['none', 'x'], [['none', 'blue'], 'x'], ['red', 'a\u001b[31mb\u001b[39mc'], ['bold', 'a\u001b[1mb\u001b[22mc'], ['grey', 'x'], ['bgRed', ''], [[], 'x'], [['red', 'nope'], 'x']]) {
  show(`style ${JSON.stringify([format, text])}`, () => util.styleText(format, text, { validateStream: false }));
}

// names of errors of the system
show('ENOENT', () => [util.getSystemErrorName(-2), util.getSystemErrorMessage(-2), util.getSystemErrorName(-99999), util.getSystemErrorMap().get(-13)]);
show('map', () => [...util.getSystemErrorMap()].sort((a, b) => a[0] - b[0]));

// inherits, deprecate, promisify, callbackify
function Parent() {}
function Child() {}
util.inherits(Child, Parent);
show('inherits', () => [new Child() instanceof Parent, Child.super_ === Parent, Object.keys(Child)]);
const timed = (a, b, callback) => callback(a ? null : new Error('no'), a, b);
show('promisify', () => [util.promisify(timed).name, util.promisify(timed).length, util.promisify(timed), util.promisify.custom]);
const own = Object.assign(() => {}, { [util.promisify.custom]: () => 'own' });
show('promisify own', () => util.promisify(own) === own[util.promisify.custom]);
show('promisify bad', () => util.promisify(Object.assign(() => {}, { [util.promisify.custom]: 1 })));
const called = util.callbackify(async function name(a) { if (!a) throw a; return a; });
show('callbackify', () => [called.name, called.length]);
show('callbackify last', () => called(1));
class Old { constructor(a) { this.a = a; } static s() { return 's'; } }
const Deprecated = util.deprecate(Old, 'old', 'DEP_TEST');
show('deprecate', () => [Deprecated.length, Deprecated.s(), Object.getPrototypeOf(Deprecated) === Old, Deprecated.prototype === Old.prototype]);
show('types', () => Object.keys(util.types).sort());
show('util', () => Object.keys(util).filter((name) => name !== 'setTraceSigInt').sort());
show('colors', () => [util.inspect.colors.grey, Object.keys(util.inspect.styles), util.inspect.custom]);
show('debuglog', () => [util.debuglog('x').enabled, typeof util.debug]);
show('aborted', () => util.types.isPromise(util.aborted(new AbortController().signal, {})));
const values = [[], {}, () => {}, async () => {}, function* () {}, async function* () {}, new Map(), new Set(), new Map().keys(), new Set().keys(), new WeakMap(), new WeakSet(), /x/, new Date(), new Error(), Promise.resolve(),
  new Proxy({}, {}), Object(1), Object('s'), Object(true), Object(1n), Object(Symbol()), new ArrayBuffer(1), new SharedArrayBuffer(1), new DataView(new ArrayBuffer(1)), new Uint8Array(1), new Float32Array(1), new BigInt64Array(1),
  (function* () {})(), (function() { return arguments; })(), 1, 's', null, undefined, Symbol(), 1n, Object.create(Map.prototype), { [Symbol.toStringTag]: 'Map' }];
for (const name of Object.keys(util.types).sort()) console.log(`${name}: ${values.map((value) => (util.types[name](value) ? '1' : '.')).join('')}`);

(async () => {
  console.log(await util.promisify(timed)(1, 2));
  await util.promisify(timed)(0, 0).catch((error) => console.log(error.message));
  called(5, (...args) => console.log('called', args));
  called(0, (error) => console.log(error.code, error.message, error.reason));
  called('', (error) => console.log(util.inspect(error.reason), Object.keys(error)));
})();
// Names of what is promisified, and of what inspects itself.
console.log(['finished', 'pipeline'].map((name) => [require('stream')[name].name, util.promisify(require('stream')[name]).name]));
console.log(util.promisify(require('fs').exists).name, util.promisify(setTimeout).name);
const { BlockList, SocketAddress } = require('net');
const blocked = new BlockList();
blocked.addAddress('1.2.3.4');
for (const depth of [-1, 0, 1, null]) console.log(util.inspect([blocked, new SocketAddress()], { depth }), util.inspect(blocked, { depth }));
