// Directories that are read with all that is below them, in every way.
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'opendir-')));
process.on('exit', () => fs.rmSync(root, { recursive: true }));
for (const folder of ['a/b/c', 'a/d', 'e', 'f/g']) fs.mkdirSync(path.join(root, folder), { recursive: true });
for (const file of ['1', 'a/2', 'a/b/3', 'a/b/c/4', 'a/d/5', 'f/g/6', 'f/7']) fs.writeFileSync(path.join(root, file), '');
fs.symlinkSync(path.join(root, 'a'), path.join(root, 'e/link'));

const name = (entry) => `${path.relative(root, path.join(entry.parentPath, entry.name))}${entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''}`;
// The system's order is its own.
const show = (kind, entries) => console.log(kind, entries.map(name).sort().join(' '));

for (const options of [{ recursive: true }, { recursive: true, bufferSize: 1 }, { recursive: false }, undefined]) {
  const found = [];
  const dir = fs.opendirSync(root, options);
  for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) found.push(entry);
  dir.closeSync();
  show('sync', found);
}

const before = fs.readdirSync('/proc/self/fd').length;
const left = fs.opendirSync(root, { recursive: true });
for (let i = 0; i < 6; i++) left.readSync();
left.closeSync();
console.log(fs.readdirSync('/proc/self/fd').length - before);

// Those that nobody closes.
let collect = () => {};
try {
  require('v8').setFlagsFromString('--expose-gc');
  collect = require('vm').runInNewContext('gc');
} catch {
  // Where there is no such function, nothing has to be collected.
}
const said = new Set();
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => said.add(`${name}: ${message}`));
function forget() {
  const open = fs.readdirSync('/proc/self/fd').length;
  for (let count = 0; count < 20; count++) {
    const dir = fs.opendirSync(root, { recursive: true });
    for (let i = 0; i < 6; i++) dir.readSync();
  }
  setTimeout(collect, 10);
  setTimeout(() => console.log(fs.readdirSync('/proc/self/fd').length - open, said), 50);
}

fs.opendir(root, { recursive: true, bufferSize: 2 }, (error, dir) => {
  const found = [];
  const next = () => dir.read((failed, entry) => {
    if (entry === null) {
      show('callback', found);
      dir.close(iterate);
      return;
    }
    found.push(entry);
    next();
  });
  next();
});

async function iterate() {
  const found = [];
  for await (const entry of await fs.promises.opendir(root, { recursive: true })) found.push(entry);
  show('iterated', found);
  forget();
}
