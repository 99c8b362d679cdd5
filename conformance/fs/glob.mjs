// fs.glob, globSync and promises.glob over a small tree.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'glob-'));
for (const file of [
  'a/.abcdef/x/y/z/a', 'a/abcdef/g/h', 'a/abcfed/g/h', 'a/b/c/d', 'a/bc/e/f', 'a/c/d/c/b', 'a/cb/e/f', 'a/x/.y/b', 'a/z/.y/b',
]) {
  fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), '');
}
fs.symlinkSync('b', path.join(root, 'a/lb'));

const show = (list) => JSON.stringify(list.sort());
for (const pattern of [
  'a/c/d/*/b', 'a//c//d//*//b', 'a/*/d/*/b', 'a/*/+(c|g)/./d', 'a/{b,c,d,e,f}/**/g', 'a/b/**', './**/g', 'a/abc{fed,def}/g/h',
  'a/abc{fed/g,def}/**/', '**/a', '**/a/**', './**/a/**/', './**/a/**', '*/*/*/f', './**/f', '*', '**', '.', '..', 'a', 'a/',
  'a/*/', '**/*', 'a/b', 'none', 'none/*', '*/b', '**/.*', 'a/.*', 'a/.abcdef/**', 'a/x/.y', 'a/**/.y/*', 'a/[!a]*', 'a/?',
  '{a,b}', 'a/lb/*', 'a/lb', './a', './*', 'a/../a', 'a/./b', '**/', '**/b', 'a/**/b/**', '[a]',
]) {
  console.log(pattern, show(fs.globSync(pattern, { cwd: root })));
}
console.log(show(fs.globSync(['a/b/*', 'a/c/*'], { cwd: root })));
console.log(show(fs.globSync(`${root}/a/*`).map((found) => found.replace(root, ''))));
console.log(show(fs.globSync('a/*', { cwd: root, withFileTypes: true }).map(
  (entry) => [entry.name, entry.parentPath.replace(root, ''), entry.isDirectory(), entry.isSymbolicLink()])));
console.log(show(fs.globSync('**', { cwd: root, exclude: (name) => name === 'b' })));
console.log(show(fs.globSync('a/*/*', { cwd: root, exclude: (name) => name === 'a/b' })));
console.log(show(fs.globSync('a/**', { cwd: root, exclude: ['a/b/**', '**/e'] })));
console.log(show(fs.globSync('a/*', { cwd: root, exclude: ['a/b'] })));
console.log(show(await Array.fromAsync(fs.promises.glob('a/*', { cwd: new URL(`file://${root}`) }))));
await new Promise((resolve) => {
  fs.glob('a/*', { cwd: root }, (error, found) => resolve(console.log(error, show(found))));
});
for (const args of [[1], [null], [undefined], ['x', 1], ['x', { exclude: 1 }], ['x', { exclude: [1] }], [['x', 1]]]) {
  try {
    console.log(fs.globSync(...args));
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
try {
  fs.glob('x');
} catch (error) {
  console.log(error.message);
}
fs.rmSync(root, { recursive: true });
