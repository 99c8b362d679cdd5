// Marks of byte order, lines for the shell, names of CommonJS in ES modules, packages that are wrong or of another day: what is
// imported and required of each, and what warnings say.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'odd-modules-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};
const pack = (name, json, files = {}) => {
  write(`node_modules/${name}/package.json`, typeof json === 'string' ? json : JSON.stringify(json));
  for (const file of Object.keys(files)) write(`node_modules/${name}/${file}`, files[file]);
};

write('load.mjs', 'export default (specifier, options) => import(specifier, options);');
const { default: load } = await import(path.join(folder, 'load.mjs'));
const require = createRequire(path.join(folder, 'load.mjs'));
const clean = (text) => String(text).split(folder).join('.');
process.on('warning', ({ name, code, message }) => console.log('warning', name, code, clean(message)));
const show = (how, what, error) => {
  const own = Object.keys(error ?? {}).map((key) => `${key}=${clean(JSON.stringify(error[key]))}`);
  console.log(how, what, error?.name, clean(error?.message), own.join(' '));
};
const turn = () => new Promise((resolve) => setImmediate(resolve));
async function imported(specifier, options) {
  try {
    const found = await load(specifier, options);
    console.log('import', specifier, JSON.stringify(found), Object.keys(found).join());
  } catch (error) { show('import', specifier, error); }
  await turn();
}
async function required(specifier) {
  try { console.log('require', specifier, JSON.stringify(require(specifier))); } catch (error) { show('require', specifier, error); }
  await turn();
}

const mark = '\uFEFF';
write('required.cjs', `${mark}#!/usr/bin/env node\nexports.a = 1;`);
write('bom.cjs', `${mark}#!/usr/bin/env node\nexports.a = 1;`);
write('bom.mjs', `${mark}#!/usr/bin/env node\nexport const a = 1;`);
write('bom.js', `${mark}#!/usr/bin/env node\nexports.a = 1;`);
write('plain.cjs', `${mark}exports.a = 1;`);
write('plain.mjs', `${mark}export const a = 1;`);
write('plain.js', `${mark}export const a = 1;`);
write('shell.cjs', '#!x\nexports.a = 1;');
write('late.cjs', '\n#!x\nexports.a = 1;');
write('bom.ts', `${mark}const a: number = 1; export { a };`);
write('bom.cts', `${mark}const a: number = 1; exports.a = a;`);
await required('./required.cjs');
for (const file of ['bom.cjs', 'bom.mjs', 'bom.js', 'plain.cjs', 'plain.mjs', 'plain.js', 'shell.cjs', 'late.cjs', 'bom.ts', 'bom.cts']) {
  await imported(`./${file}`);
  await imported(`./${file}?q`);
  await required(`./${file}`);
}
const json = { with: { type: 'json' } };
write('bom.json', `${mark}{"a":1}`);
write('two.json', `${mark}${mark}{"a":1}`);
await required('./two.json');
for (const file of ['bom.json', 'two.json']) {
  await imported(`./${file}`, json);
  await imported(`./${file}?q`, json);
  await required(`./${file}`);
}
console.log(require.cache[path.join(folder, 'two.json')]);

const scopes = {
  'await.mjs': 'await 1;\nconst x = require("fs");\n', 'over_await.mjs': 'import "./await.mjs";\n',
  'await.js': 'await 1;\nconst x = require("fs");\nexport {};\n', 'guess.js': 'const x = require("fs");\nawait 1;\n',
  'call.js': 'function f() { return require("fs"); }\nawait f();\n', 'require.mjs': 'require("fs");\n',
  'over_require.mjs': 'import "./require.mjs";\nawait 1;\n', 'module.mjs': 'module.exports = 1;\n', 'exports.mjs': 'exports.a = 1;\n',
  'dirname.mjs': '__dirname;\n', 'typeof.mjs': 'export default typeof require;\n',
  'mine.mjs': 'try { require; } catch (error) { error.message = "mine"; throw error; }\n', 'type/package.json': '{"type":"module"}',
  'type/a.js': 'require("fs");\n', 'type/b.js': 'await 1;\nrequire("fs");\n', 'requires.cjs': 'require("./require.mjs");\n',
  'requires_await.cjs': 'require("./await.mjs");\n', 'assert.mjs': 'import x from "./bom.json" assert { type: "json" };\n',
};
for (const file of Object.keys(scopes)) write(file, scopes[file]);
for (const file of Object.keys(scopes).filter((one) => !one.endsWith('.json'))) {
  await required(`./${file}`);
  await imported(`./${file}`);
  await required(`./${file}`);
}
// Imported first.
for (const file of ['await.mjs', 'over_require.mjs', 'require.mjs', 'type/a.js']) {
  write(`again_${file.replace('/', '_')}`, scopes[file]);
  await imported(`./again_${file.replace('/', '_')}`);
  await required(`./again_${file.replace('/', '_')}`);
}

pack('broken', '{', { 'index.js': '' });
pack('name', { name: 1 }, { 'index.js': '' });
pack('list', '[]', { 'index.js': 'exports.a = 1;' });
pack('mixed', { exports: { '.': './a.js', 'node': './b.js' } });
pack('number', { exports: { 0: './a.js' } });
pack('numbers', { exports: { '.': { 1: './a.js' } } });
pack('target', { exports: { '.': 'a.js', './b': '../b.js', './c': 5, './d': './node_modules/x', './e': ['a.js', './e.js'], './f': null } },
  { 'e.js': 'exports.e = 1;' });
for (const kind of ['broken', 'typed']) {
  write(`${kind}/package.json`, kind === 'broken' ? '{ bad' : '{"type":1}');
  for (const ending of ['js', 'mjs', 'cjs']) write(`${kind}/a.${ending}`, ending === 'mjs' ? 'export {};' : 'exports.a = 1;');
}
const subpaths = ['', '/b', '/c', '/d', '/e', '/f'].map((subpath) => `target${subpath}`);
const files = ['broken', 'typed'].flatMap((kind) => ['js', 'mjs', 'cjs'].map((ending) => `./${kind}/a.${ending}`));
for (const name of ['broken', 'name', 'list', 'mixed', 'number', 'numbers', ...subpaths, ...files]) {
  await imported(name);
  await required(name);
}

pack('slash', { exports: { './a/*': './lib/*', './b/': './lib/', './c//*': './lib//*', './d': './lib//x.js', './e/*': './lib/*/' } },
  { 'lib/x.js': 'exports.x = 1;', 'lib/y/x.js': 'exports.y = 1;' });
pack('inner', { name: 'inner', imports: { '#a': './lib//x.js', '#b/*': './lib/*' }, exports: './i.mjs' },
  { 'lib/x.js': 'exports.x = 1;', 'i.mjs': 'import a from "#a"; import b from "#b//x.js"; export default [a, b];' });
pack('main_none', { name: 'main_none' }, { 'index.js': 'exports.n = 1;' });
pack('main_short', { main: 'lib/m' }, { 'lib/m.js': 'exports.n = 2;' });
pack('main_folder', { main: 'lib' }, { 'lib/index.js': 'exports.n = 3;' });
pack('main_wrong', { main: 'none.js' }, { 'index.js': 'exports.n = 4;' });
pack('module_none', { type: 'module' }, { 'index.js': 'export const n = 5;' });
pack('module_short', { type: 'module', main: 'x' }, { 'x.js': 'export const n = 6;' });
pack('guessed', { main: 'x.js' }, { 'x.js': 'export const n = 7;' });
write('guessed/package.json', '{"name":"guessed"}');
for (const name of ['x', 'y']) write(`guessed/${name}.js`, 'export const n = 8;');
write('guessed_too/package.json', '{}');
write('guessed_too/x.ts', 'export const n: number = 9;');
for (const name of ['slash/a/x.js', 'slash/a//x.js', 'slash/a/y//x.js', 'slash/b/x.js', 'slash/c//x.js', 'slash/d', 'slash/e/x.js', 'slash/a/x/',
  'inner', 'main_none', 'main_short', 'main_folder', 'main_wrong', 'module_none', 'module_short', 'guessed', './guessed/x.js', './guessed/y.js',
  './guessed_too/x.ts']) {
  await imported(name);
  if (name !== 'slash/e/x.js') await imported(name);
  await required(name);
}
