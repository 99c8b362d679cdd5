// What is said of texts that cannot be read.
'use strict';
const { Script } = require('vm');

const texts = [
  'f(a b)', 'f(a,b c)', 'console.log("a" "b")', 'console.log("a"', 'f(', 'f(a', 'f(a,', 'f(1 2)', 'f(a;', 'f(a}', 'f(a]', 'f({a:1}',
  'f(function(){ return 1 }', "f(() => { x() })\ng(1 2)", 'if (f(a b)) c', 'new F(a b)', 'new F(a', 'a.b(c d)', 'a[0](c d)', 'f()(a b)',
  'f(a)(b c)', 'super_(a b)', 'function f(a b){}', 'function f(a', 'function f(a {}', '(a b) => 1', 'function f(a; b){}', 'if (a b) c',
  'while (a b) c', 'for (a b) c', '(a b)', 'f(...a b)', 'f`a`(b c)', 'f(a => )', "f(\"it's\" x)", "f('a' + 'b' c)",
  'f(/[)"]/ x)', 'f(a /* ) */ b)', 'f(`${x}` y)', 'f(await x y)', 'async function g(){ f(await x y) }', '({a=2})', 'x = {a=2}',
  'x = {a, b=2}', 'f({a=2})', 'x = {a = 2, b}', '++1', '1++', '++', '++;', '- --1', 'x: x: 1', 'break x',
  'while(1){ continue y }', 'foo: while(1){ break bar }', 'class A { m(){ this.#b } }', 'this.#x',
  'function f(a){ let a }', '(a,b) => { let a }', 'function f(a){ const a = 1 }', 'let [a]', 'let {a}', 'const {a, b = c', 'const [a',
  'let {a} ;', 'for (const {a};;);', 'var {a}', 'var [a];', 'const {a b} = c', 'const {a:} = c', 'let {a}, b', '`abc', '`${a', '`${a}',
  '`abc ${x} def', '`${', '`${a b}`', 'a ?? b || c', 'a == = b', 'a >>> ', 'a => => b', 'a === === b', '&&', '|| a', 'a &&', 'x ... y',
  'f(.../)', '**', '!= 1', '?.a', 'a ?. ;', '<= 1', '<< 1', '+= 1', '-= 1', '%', '%= 1', '=== 1', '=', '== 1', '?? 1', '&= 1', '~', '!',
  'enum a', 'var enum', 'enum A { B }', 'for await (const x of y);', 'function f(){ for await (const x of y); }',
  'function f(){ await 1 }', 'function f(){ await g() }', 'function f(){ const x = await g() }', '() => await x',
  'async () => { [1].map(x => await x) }', 'async function f(){ var await }', 'const await = 1; async () => await',
  '"use strict"; let static', '"use strict"; interface = 1', '"use strict"; var public', '"use strict"; yield = 1',
  '"use strict"; var yield', '"use strict"; package', '"use strict"; eval = 1', '"use strict"; arguments++', '"use strict"; var eval',
  '"use strict"; function eval(){}', '"use strict"; (eval) => 1', '"use strict"; let let = 1', 
  'for (let of x);', 'for (1 of x);', 'for (const x of a, b);', 
  'for (let x of y', 'for (let i = 0; i < 5 i++) x', 'import.meta', 'import.foo', 'import x', 'export default 1', 'export const a = 1',
  'import {a} from "b"', 'import * as a from "b"', 'import "a"', 'new.target', 'super.x', 'function f(){ new.target.x y }', 'a.', 'a. ;',
  'a..b', 'a.1', 'a.#', 'a["b"', '-1 ** 2', 'typeof a ** 2', '1n.5', '1_', '1__0', '0x', '0b', '0b2', '1e', '1.5n', '3a',
  '3in []', "\"\\u00g\"", "\"\\xg\"", "`\\u00g`", "\"\\u{}\"", 'function* g(a = yield){}',
  'async function f(a = await 1){}', 'function f(1){}', 'function f("a"){}', 'function f(a.b){}', 'function f(this){}',
  'function f(a, a){"use strict"}', '(a, a) => 1', 'function f(...a, b){}', 'function f(...a,){}', 
  '[...a, b] = c', '({...a, b} = c)', 'const [...a, b] = c', 'const {...a, b} = c', 'function f(...a = 1){}', 'f(...)', '[...]', '({...})',
  'function f(a=1){"use strict"}', '({a}) => { "use strict" }', 'switch(1){ default: default: }', 'switch(1){ foo }',
  'switch(1) { case 1 }', "throw\n1", 'if (1) let a', 'if (1) const a = 1',
  
  'do let a; while(0)', '/*', 'var a = 1; /* x', '/a/gg', '/a/x', '/a', '/(/', '/[/', '/(?<a>/', "/a\nb/", 'a = /*/', '({get a(b){}})',
  '({set a(){}})', '({set a(b,c){}})', '({get a})', 'class A { static prototype(){} }',
  
  'class A { delete(){ delete this.#x } #x }', 'class A { static { await } }',
  'class A { static { return } }', 'class A { x = arguments }', 'class A { a: 1 }', 'class A { a b }', 'class A { a(){}, b(){} }',
  'class A { let x = 1 }', 'class A { function f(){} }', 'class A { const x = 1 }', 'class A extends B, C {}', 'class A extends {}',
  'class', 'class 1', 'class A', 'class A {', 'class A { a(', 'class A { a() ', 'class A { a() {', 'class A {}}', 
  'function f', 'function f(', 'function f()', 'function f() {', 'function f() }', 'function f( {',
  'const f = function(', 'const f = (', 'const f = (a', 'const f = (a,', 'const f = (a) =>', 'const f = (a) => {', 'const x = ', 'const x',
  'const', 'var', 'var 1', 'var a b', 'var a = 1 2', 'return', 'return 1 2', 'function f(){ return 1 2 }', 'if', 'if (', 'if (a',
  'if (a) {', 'if (a) { } else', 'if (a) { } else }', 'else', 'else {}', '} else {', 'catch (e) {}', 'try', 'try {', 'try { } catch',
  'try { } catch (', 'try {} finally', 'case 1:', 'default:', 'in', 'of x', 'instanceof a', 'x in', 'new', 'new;', 'typeof', 'delete',
  'void', 'x = ', 'x +', 'x + ;', 'x ? y', 'x ? y :', 'x ? : y', '[', '[1,', '[1 2]', '[1;]', '{', '{ a: 1, b: 2 }', '({', '({a', '({a:',
  '({a:1', '({a:1,', '({a:1 b:2})', '({a b})', '({"a" 1})', '({a.b:1})', '({1a:2})', '({a:1;b:2})', '({a;b})', '({,})', '({a:,})',
  '({a:1,,})', '({[a})', '({a(){})', '({a(){} b})', ')', ']', '}', ',', ':', '.', '..',
  '=>', '@', '#', '"', "'", '`', '"abc', "'abc", "\"a\nb\"", 'a b', 'a 1', 'a "b"', 'a `b` c', '1 a', '1 1', '"a" "b"', "a\nb c",
  'a; b c d', 'foo bar baz', 'let x = 1 let y = 2', 'const x = 5 y', 'x = 5 5', "var s = 'it's'", 'a = b c', 'async a b',
  'async function f() { await }', 'async () => { await }', 'function* g() { yield* }',
  'function* g() { yield = 1 }', 'private x', 'public x = 1', 'abstract class A {}', 'type A = string', 'let a: string = 1',
  'interface A {}', 'interface A { b: string }', 'namespace A {}', 'declare const a', 'a as string', 'a!', 'a!.b', 'const x = <T>y',
  '<div/>', 'a = <div/>', 'function f(a: string) {}', 'function f(): string {}', 'const f = (a: string) => a',
  'const f = (a): string => a', 'class A { private x }', 'class A { x: string }', 'class A<T> {}', 'import type A from "b"',
  'export type A = 1', '@dec class A {}', 'x satisfies y', 'let x!: string', 'function f(a?) {}', 'function f(a?: b) {}', 'use strict',
  'undefined = ', 'null = 1', 'true = 1', 'this = 1', '1 = 1', '"a" = 1', '[] = 1 2', '{} = 1', '(a, b) = 1', 'a + b = c',
  'a ? b : c = d e', 'a => a = ', '({a}) = 1', '({a}) += 1', '`a` = 1', 'new F = 1', '() = 1', 'let a; let a',
  'let a; var a', 'var a; let a', 'const a = 1; const a = 2', 'function a(){} let a', 'class a {} let a', '{ let a; { var a } }',
  '"use strict"; { function a(){} let a }', 'try {} catch (a) { let a }', 'try {} catch ({a,a}) {}', 'let [a, a] = b', 'let {a, b: a} = c',
  'function f(){ let a; let a }', 'const x = 1; { let x; let x }', 'switch(1){ case 1: let a; case 2: let a }', 'for (let i, i;;);',
  'import a from "b"; import a from "c"', '"use strict"; with(a){}', '"use strict"; 010', "\"use strict\"; \"\\010\"",
  '"use strict"; delete x', '"use strict"; function f(a,a){}', '"use strict"; (a,a)=>1',
];

for (const text of texts) {
  try {
    new Script(text);
    console.log(JSON.stringify(text), 'can be read');
  } catch (error) {
    console.log(JSON.stringify(text), `${error}`);
  }
}
