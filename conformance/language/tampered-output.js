// What is printed into a file arrives where a script has replaced what the language has.
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tampered-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const tampers = [
  'delete Array.prototype[Symbol.iterator]', 'Object.getPrototypeOf([][Symbol.iterator]()).next = () => { throw new Error(); }',
  'Object.defineProperty = () => { throw new Error(); }', 'delete Object.defineProperty', 'delete Object.assign',
  'delete Array.prototype.filter', 'delete Array.isArray', 'delete Object.keys', 'delete Reflect.ownKeys',
];
for (const tamper of tampers) {
  const file = path.join(folder, 'out.txt');
  const out = fs.openSync(file, 'w');
  const { status } = spawnSync(process.execPath, ['-e', `${tamper}; console.log('a %s', { a: 1 }, 'b'); console.log({ c: 'd' });`],
    { stdio: ['ignore', out, 'ignore'] });
  fs.closeSync(out);
  console.log(tamper, status, JSON.stringify(fs.readFileSync(file, 'utf8')));
}
