// Columns of lines with letters beyond ASCII: units of UTF-16, as V8 counts.
const { spawnSync } = require('child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('fs');
const { join } = require('path');

const place = (error) => error.stack.split('\n')[1].replace(/.*columns\.js/, '');
/* é */ console.log(place(new Error('a')));
/* 中 */ console.log(place(new Error('a')));
/* 😀 */ console.log(place(new Error('a')));
/* é中😀 */ function named() { return new Error('b'); } console.log(place(named()));
/* 中 */ try { null.foo } catch (error) { console.log(error.message, place(error)); }
/* 中 */ try { missing } catch (error) { console.log(error.message, place(error)); }
/* 中 */ try { place.nothing() } catch (error) { console.log(error.message, place(error)); }
const { 变量 } = { get 变量() { return new Error('c'); } }; console.log(place(变量));

const folder = mkdtempSync('/tmp/columns-');
process.on('exit', () => rmSync(folder, { recursive: true }));
for (const [name, text] of [
  ['thrown.js', "let 变量 = '中文😀'; /* 😀 */ throw new Error(变量);"],
  ['value.js', "/* 中文😀 */ 'use strict'; throw { a: 1 };"],
  ['unread.js', "var x = '中文😀'; var y = ;"],
  ['module.mjs', "/* 中文😀 */ throw new TypeError('x');"],
  ['marked.js', "\ufeff/* é */ throw new TypeError('x');"],
  ['import.cjs', "import fs from 'fs';"],
  ['typed.ts', "let 变量: '中é😀' = '中é😀'; throw new Error(变量);"],
]) {
  const file = join(folder, name);
  writeFileSync(file, text);
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env: {} });
  // The line of a typed text is not compared: Node shows it without its types.
  const said = stderr.replaceAll(folder, '').replace(/\(node:\d+\)/g, '(node)').replace('(Use `phasor ', '(Use `node ').split('\n');
  const shown = said.filter((line, at) => !/^ {4}at (?!.*script)|^(?:Node\.js|Phasor) v/.test(line) && !(name === 'typed.ts' && at === 1));
  console.log(`${name}: ${status}\n${shown.join('\n').trimEnd()}\n`);
}
