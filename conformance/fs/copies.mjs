// What fs.cp refuses, now and later; and small things of other calls.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'copies-'));
const back = process.cwd();
process.chdir(root);
const told = (label, error) => console.log(label, error === undefined ? 'ok' :
  [error.name, error.code, error.message, error.path, error.syscall, error.errno].join(' | ').replaceAll(root, '/root'));
const now = (label, call) => {
  try {
    call();
    told(label);
  } catch (error) {
    told(label, error);
  }
};
const later = async (label, call) => call().then(() => told(label), (error) => told(label, error));
const both = async (label, from, to, options) => {
  now(`${label} now`, () => fs.cpSync(from, `${to}-now`, options));
  await later(`${label} later`, () => fs.promises.cp(from, `${to}-later`, options));
};

fs.mkdirSync('s/d', { recursive: true });
fs.writeFileSync('s/f', 'x', { mode: 0o640 });
fs.symlinkSync('f', 's/link');
await both('a tree', 's', 't', { recursive: true });
await both('not recursive', 's', 'u');
await both('a promise of a filter', 's', 'v', { recursive: true, filter: async () => true });
await both('a filter', 's', 'w', { recursive: true, filter: (from) => !from.endsWith('d') });
await later('in the way', () => fs.promises.cp('s', 't-later', { recursive: true, errorOnExist: true, force: false }));
now('a file in the way', () => fs.cpSync('s/f', 't-now/f', { errorOnExist: true, force: false }));
await later('a file in the way', () => fs.promises.cp('s/f', 't-now/f', { errorOnExist: true, force: false }));
now('not forced', () => fs.cpSync('s/f', 't-now/f', { force: false }));
fs.mkdirSync('x');
fs.symlinkSync(path.join(root, 's'), 'x/b');
now('into itself by a link', () => fs.cpSync('s', 'x/b/c'));
await later('into itself by a link', () => fs.promises.cp('s', 'x/b/c'));
now('into itself', () => fs.cpSync('s', 's/c', { recursive: true }));
await later('into itself', () => fs.promises.cp('s', 's/c', { recursive: true }));
now('onto itself', () => fs.cpSync('s/f', 's/f'));
await later('onto itself', () => fs.promises.cp('s/f', 's/f'));
now('nothing', () => fs.cpSync('none', 'y'));
await later('nothing', () => fs.promises.cp('none', 'y'));
now('a file onto a folder', () => fs.cpSync('s/f', 's/d'));
await later('a file onto a folder', () => fs.promises.cp('s/f', 's/d'));
now('a folder onto a file', () => fs.cpSync('s/d', 's/f', { recursive: true }));
await later('a folder onto a file', () => fs.promises.cp('s/d', 's/f', { recursive: true }));
fs.mkdirSync('z');
fs.symlinkSync(path.join(root, 'z'), 'x/z');
now('a link to the target', () => fs.cpSync('x', 'z', { recursive: true }));
now('a link to the target, again', () => fs.cpSync('x', 'z', { recursive: true }));
await later('a link to the target, again', () => fs.promises.cp('x', 'z', { recursive: true }));
for (const folder of ['.', 's', 't-now', 't-later', 'v-later', 'w-now', 'w-later', 'z']) {
  console.log(folder, fs.readdirSync(folder).sort().join());
}
fs.symlinkSync('../s', 't-now/back');
console.log(fs.readdirSync('t-now', { recursive: true }).sort().join());
console.log((await fs.promises.readdir('t-now', { recursive: true })).sort().join());
const full = ({ parentPath, name }) => path.join(parentPath, name);
console.log(fs.readdirSync('t-now', { recursive: true, withFileTypes: true }).map(full).sort().join());
console.log((await fs.promises.readdir('t-now', { recursive: true, withFileTypes: true })).map(full).sort().join());
await new Promise((resolve) => fs.readdir('t-now', { recursive: true, withFileTypes: true }, (error, found) => {
  resolve(console.log(error, found.map(full).sort().join()));
}));
console.log((fs.statSync('t-now/f').mode & 0o777).toString(8), (fs.statSync('t-later/f').mode & 0o777).toString(8));

// Other calls.
now('a path of Dir', () => fs.Dir.prototype.path);
now('fchown', () => fs.fchown(1, 'x'));
now('recursive', () => fs.watch('.', { recursive: '1' }));
for (const options of [1, { persistent: 1 }, { recursive: 1 }, { encoding: 1 }, { signal: 1 }, { maxQueue: 'x' }, { overflow: 1 }]) {
  await later('watch', async () => { for await (const event of fs.promises.watch('.', options)) console.log(event); });
}
await later('watch', async () => { for await (const event of fs.promises.watch(1)) console.log(event); });
fs.mkdirSync('gone');
process.chdir('gone');
fs.rmdirSync('../gone');
now('in a folder that is gone', () => fs.mkdirSync('X', { recursive: true }));
await later('in a folder that is gone', () => fs.promises.mkdir('X', { recursive: true }));
process.chdir(root);
const fd = fs.openSync('s/f', 'r+');
const buffer = Buffer.alloc(4);
for (const position of [2n ** 63n - 5n, 2n ** 53n, Number.MAX_SAFE_INTEGER, 2n ** 63n, 2n ** 63n - 4n, -2n, -1n]) {
  now(`position ${position}`, () => console.log(fs.readSync(fd, buffer, 0, 4, position)));
}
process.on('warning', ({ name, code, message }) => console.log(name, code, message));
fs.truncateSync(fd, 1);
fs.truncate(fd, 3, (error) => {
  console.log(error, fs.statSync('s/f').size);
  fs.closeSync(fd);
  fs.mkdtempSync('tX');
  fs.mkdtempSync('tX');
  console.log(new fs.Stats(1).dev, fs.statSync('.') instanceof fs.Stats, fs.Stats.length);
  // A signal that cannot be asked leaves no file open.
  let count = 0;
  const signal = {
    __proto__: AbortSignal.prototype,
    get aborted() {
      if (count++ > 1) throw new Error('asked too often');
      return false;
    },
    addEventListener() {},
    removeEventListener() {},
  };
  const open = () => fs.readdirSync('/proc/self/fd').length;
  const before = open();
  fs.promises.readFile('s/f', { signal }).catch(({ message }) => console.log(message)).then(() => {
    console.log(open() - before);
    process.chdir(back);
    fs.rmSync(root, { recursive: true });
  });
});
