'use strict';
// Packages are not told of what is deprecated: their users cannot mend them. Nor are classes stopped that extend Module.
const fs = require('fs');
const os = require('os');
const path = require('path');

process.on('warning', (warning) => console.log(warning.code));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'let-off-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
fs.mkdirSync(path.join(folder, 'node_modules/old'), { recursive: true });
fs.writeFileSync(path.join(folder, 'node_modules/old/index.js'), 'module.exports = [typeof require("punycode").encode, Buffer(1).length];');
console.log(require(path.join(folder, 'node_modules/old')));

const { Module } = require('module');
class Other extends Module {}
for (const [key, value] of Object.entries(Module)) Other[key] = value;
console.log(Other.builtinModules === Module.builtinModules, Object.hasOwn(Other, 'SourceMap'), Other.SourceMap === Module.SourceMap);
setImmediate(() => new Buffer(1));
