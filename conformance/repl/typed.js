// What a prompt says of what is typed: what awaits, what is rejected, what cannot be read.
'use strict';
const { spawnSync } = require('child_process');

const typed = [
  'await (5)', '(await (1)) + 2', 'await [1, 2]', 'await (async () => { throw 1 })()', 'typeof (async () => await (1))',
  'void Promise.reject(3)', 'void Promise.reject({ a: 1 })', 'const c = 1', 'const c = 2', 'function c() {}', 'let d = 1; let d = 2',
  '1 = 2', 'foo(a b)', 'return 5', 'import fs from "fs"', '/(/', '1++', 'class A{constructor(){} constructor(){}}', 'a => => b', '}',
  "if (true) { await 1; 'in' }", 'try { await Promise.reject(1) } catch (e) { e }', 'for (const x of [1]) await x', 'await 1; 2; let x = 3', 'await 1;;',
];
for (const line of typed) {
  const { stdout } = spawnSync(process.execPath, ['-i'], { input: `const c = 0\n${line}\n`, encoding: 'utf8' });
  console.log(stdout.split('\n').slice(2).join('\n'));
}
