// ES modules that ask for names which only CommonJS has.
import fs from 'fs';
import os from 'os';
import path from 'path';

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'scope-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const show = async (specifier) => {
  try {
    await import(specifier);
  } catch (error) {
    const lines = error.stack.slice(0, error.stack.indexOf('\n    at'));
    console.log(error.name, error.code, error.message.replaceAll(folder, ''), lines === `${error.name}: ${error.message}`);
  }
};
const texts = [
  'require("fs")', 'module.exports = 1', 'exports.a = 1', '__filename', '__dirname', 'foo', '(() => require)()',
  'throw new ReferenceError("require is not defined")', 'throw new Error("require is not defined")', 'export {}; typeof require; module',
];
for (const text of texts) await show(`data:text/javascript,${encodeURIComponent(text)}`);
fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
fs.writeFileSync(path.join(folder, 'a.js'), 'module.exports = require("fs")');
fs.writeFileSync(path.join(folder, 'b.mjs'), 'import "./a.js"');
fs.writeFileSync(path.join(folder, 'c.js'), 'require("fs")');
for (const name of ['a.js', 'b.mjs', 'c.js?x', 'c.js#y']) await show(path.join(folder, name));
