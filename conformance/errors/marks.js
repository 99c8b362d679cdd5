// What is shown of a script that cannot be read: the line, and a mark under the token.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const { join } = require('path');

const folder = fs.mkdtempSync(join(require('os').tmpdir(), 'marks-'));
const shown = (text) => text.replaceAll(folder, 'FOLDER').replace(/\(node:\d+\)/, '(node)').replace('(Use `phasor ', '(Use `node ');

function tell(text, name = 'script.cjs') {
  const file = join(folder, name);
  fs.writeFileSync(file, text);
  const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  console.log(shown(stderr).split('\n').filter((line) => !/^ {4}at |^(?:Node\.js|Phasor) v|^$/.test(line)).join('\n'));
}

const texts = [
  'f(a b)', 'console.log("a" "b")\n', 'foo(1,\n  2\n  3)', 'f(a', 'a ?? b || c', 'function f() { await g() }', 'const x = await y',
  'async function f() { [1].map((x) => await x) }', 'a.\n', 'function f() {\n  if (x) {\n  }\n', '[1, 2\n', 'if (a) { b\n', '`abc\n',
  'return 5; }', 'if (a) {\n}\n} else {\n}\n', 'function f() {\n}\n}\nf();\n', '/(/\n', 'super()',
  'break x', 'var a = 1;\nvar b = ;\n', 'const o = {\n  a: 1\n  b: 2\n}',
];
for (const text of texts) tell(text);
tell('function f() {\n', 'module.mjs');

// One that is a module, and does not say so.
fs.writeFileSync(join(folder, 'asked.cjs'), "import fs from 'fs';\n");
tell("try { require('./asked.cjs'); } catch (error) { console.error(`${error}`); }");
fs.rmSync(folder, { recursive: true });
