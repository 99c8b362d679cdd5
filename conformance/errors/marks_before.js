// Where the marks stand under what is wrong with a script, where that is known only further on. And of what `--check` finds.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const { join } = require('path');

const folder = fs.mkdtempSync(join(require('os').tmpdir(), 'marks-'));

function tell(text, name, ...flags) {
  const file = join(folder, name);
  fs.writeFileSync(file, text);
  const { stderr } = spawnSync(process.execPath, [...flags, file], { encoding: 'utf8' });
  console.log(stderr.split('\n').slice(1).filter((line) => !/^ {4}at |^(?:Node\.js|Phasor) v|^$/.test(line)).join('\n'));
}

const texts = [
  'class A {\n  constructor() {}\n  constructor(a) {}\n}', 
  'class A { static prototype() {} }', 'const c; foo();', 'for (const x; ;) ;', 
  "function f(a, a) { 'use strict' }", '(a, b, a) => 1', '1 ++', '1 = 2', '[1] = [2]', "'a' = 1", 
  'for (1 of x) ;', 
  'switch (1) { default: 1; default: 2 }',
  '({"__proto__": 1, a: 2, \'__proto__\': 2})', 
  'new.foo', "'x'.split(/(/)", "'use strict'; arguments++", 'function f() { break; }',
  'while (1) { function f() { continue } }', 
  'x = [1,, 2 3]', `x = [${'1, '.repeat(40)} 2 3]`,
];
for (const text of texts) tell(text, 'script.cjs');

for (const text of ['let x = \n', '{"a":1}', 'a b']) tell(text, 'checked.js', '--check');
fs.rmSync(folder, { recursive: true });
