// Modules load, and their errors are told, where a script has replaced what the language has.
const fs = require('fs');
const os = require('os');
const path = require('path');

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tampered-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
fs.mkdirSync(path.join(folder, 'node_modules'));

const fail = () => { throw new Error('tampered'); };
const iterator = Object.getPrototypeOf([][Symbol.iterator]());
const cases = [
  [Array.prototype, 'push'], [Array.prototype, 'filter'], [Array.prototype, 'map'], [Array.prototype, 'includes'], [Array.prototype, 'slice'],
  [Array.prototype, 'pop'], [Array.prototype, Symbol.iterator], [iterator, 'next'], [Array, 'isArray'], [Object, 'keys'], [Object, 'hasOwn'],
  [Object, 'defineProperty'], [Object, 'assign'], [String.prototype, 'startsWith'], [String.prototype, 'slice'], [String.prototype, 'split'],
  [RegExp.prototype, 'exec'], [RegExp.prototype, 'test'], [RegExp.prototype, Symbol.replace], [JSON, 'parse'], [JSON, 'stringify'],
  [Reflect, 'apply'], [Function.prototype, 'call'], [Promise, 'resolve'], [Math, 'max'],
];

// Done with plain loops only, as everything may be gone.
async function tryAll(object, key, replacement, n) {
  const original = Reflect.getOwnPropertyDescriptor(object, key);
  const { defineProperty, deleteProperty } = Reflect;
  const out = { required: undefined, imported: undefined, requireCode: undefined, importCode: undefined };
  const names = [`./m${n}.cjs`, `./m${n}.mjs`, `./none${n}.cjs`, `./none${n}.mjs`];
  const from = require('module').createRequire(path.join(folder, 'x.js'));
  const { load } = from('./load.cjs');
  if (replacement === undefined) deleteProperty(object, key);
  else defineProperty(object, key, { __proto__: null, value: replacement, configurable: true, writable: true });
  try {
    try { out.required = from(names[0]).value; } catch (error) { out.required = error.message; }
    try { from(names[2]); } catch (error) { out.requireCode = error.code; }
    try { out.imported = (await load(names[1])).value; } catch (error) { out.imported = error.message; }
    try { await load(names[3]); } catch (error) { out.importCode = error.code; }
  } finally {
    defineProperty(object, key, original);
  }
  return out;
}

(async () => {
  write('load.cjs', 'exports.load = (name) => import(name);');
  let n = 0;
  for (const [object, key] of cases) {
    for (const replacement of [undefined, fail]) {
      n++;
      write(`data${n}.json`, '{"a":1}');
      write(`m${n}.cjs`, `exports.value = 'required ' + require('./data${n}.json').a;`);
      write(`m${n}.mjs`, `import c from './c${n}.cjs'; import { sep } from 'path'; export const value = 'imported ' + c.value + sep;`);
      write(`c${n}.cjs`, `exports.value = 1;`);
      console.log(String(key), replacement === undefined ? 'gone' : 'throws', await tryAll(object, key, replacement, n));
    }
  }
})();
