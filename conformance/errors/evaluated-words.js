'use strict';
// What goes wrong in code that a program compiles has V8's words, and its places in stacks.
globalThis.o = { p: {} };
const tries = (run) => {
  try {
    return run();
  } catch ({ name, message }) {
    return `${name}: ${message}`;
  }
};
const texts = [
  'x', 'o.q()', 'o.p.q.r', 'var x = 1; x()', 'null.a', 'o.p.q.r()', 'new o.p()', '[...o]',
  'const c = 1; c = 2', '"use strict"; Object.freeze(o.p).z = 1', 
  'o["a b"]()', '(() => { let z; z(); })()', '\n\n  o.nope(\n1)', 'y = z; let z', 
  'o.f`x`', 'o.é.ü()', '"\u{1f600}"; o.q()', 'decodeURIComponent("%")', 'new Array(-1)', '[].reduce((a, b) => a)',
  // What cannot be compiled.
  'await 1', 'foo bar', 'if (', '1 2', 'let a; let a', 'a => { let b; let b }', 'x = {a b}', 'return 1 +', 'break', '"open',
  'import x from "y"', 'new new', '"use strict"; with (o) {}', '({ a: 1', 'class { }', 'for (;;', '\u{7}',
];
for (const text of texts) {
  console.log(JSON.stringify(text));
  for (const run of [() => (0, eval)(text), () => eval(text), () => new Function(text)()]) console.log('  ', tries(run));
}

console.log(tries(() => new Function('a', 'b = o.q()', 'return b')()), tries(() => new Function('a', 'return a.b.c()')({})));
const made = new Function('cb', 'cb.x.y()');
console.log(tries(() => made({})), tries(() => made({ x: {} })), tries(() => made()));
const Generator = (function* () {}).constructor;
console.log(tries(() => [...new Generator('yield 1; o.q()')()]), tries(() => eval('eval("o.inner()")')));
console.log(tries(() => eval('(function() { return () => { o.deep() } })()')()));

const top = (error) => error.stack.split('\n').slice(0, 2).join('\n').replace(/\((?:file:\/\/)?\/.*\//g, '(');
for (const text of ['o.q()', '1;\n\n   o.p.q(1)', 'throw new Error("made")']) {
  try {
    eval(text);
  } catch (error) {
    console.log(top(error));
  }
}
function named() { eval('o.q()'); }
class Owner { method() { eval('o.q()'); } }
for (const run of [named, () => new Owner().method()]) {
  try {
    run();
  } catch (error) {
    console.log(top(error));
  }
}

// Texts of long ago, and large ones, still say something.
const old = new Function('return () => o.p.q.r');
for (let i = 0; i < 200; i++) eval(`${i}`);
console.log(tries(old()));
console.log(tries(() => eval(`${' '.repeat(3 << 20)}\no.p.q.r`)));

const Async = (async () => {}).constructor;
new Async('o.q()')().catch((error) => console.log(error.message));
