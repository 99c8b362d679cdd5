'use strict';
// Every function of path, both flavours, over listed and generated names.
const path = require('path');
let seed = 777;
const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
process.cwd = () => '/';
const listed = ['', '.', '..', '/', '//', '///', '/.', '/..', 'a', 'a/', '/a', '/a/', '//a', '//a/', '//a//b', 'a/b', 'a/b/', './a', '../a', 'a/..', 'a/../..', 'a/../../b',
  '/a/../..', '.a', '..a', 'a.', 'a..', '.a.b', 'a.b.c', 'a.b/', '/a/b.c//', 'file.', 'file..', '.', '...', '.../a', 'a/.b', 'a/..b', 'a//b//c',
  'C:', 'C:\\', 'C:/', 'C:a', 'C:\\a', 'C:/a/b', 'c:\\a\\..\\..', 'C:..', 'C:.', 'C:\\.', '\\', '\\\\', '\\\\a', '\\\\a\\', '\\\\a\\b', '\\\\a\\b\\', '\\\\a\\b\\c', '\\\\a\\b\\c\\..\\d',
  '\\\\.\\pipe\\x', '\\\\?\\C:\\a', '\\\\?\\a', '//a/b', '//a/b/c', '//a//b/c', '\\a', '\\a\\b', 'a\\b', 'a\\..\\b', 'a\\b\\', '1:\\a', 'CC:\\a', 'a:b', 'a/../C:b', 'x/../C:', 'a:/b:c', 'D:\\a\\b.txt', 'd:rel\\x', 'ä:/x', '\\\\\\a\\b', '/\\a/\\b', '.\\..\\a', '\\\\server\\share.ext', 'C:\\a.b\\..', 'COM1:', 'con:../a', 'lpt1:/x/','./C:x', 'foo:\\bar'];
const pieces = ['a', 'b', '.', '..', '/', '/', '\\', 'C:', 'c:', '.x', 'y.z', '//', '\\\\', ''];
const made = [];
for (let i = 0; i < 300; i++) { let s = ''; for (let k = random(7); k >= 0; k--) s += pieces[random(pieces.length)]; made.push(s); }
const all = listed.concat(made);
let digest = 0;
let count = 0;
function out(line, always) {
  for (let i = 0; i < line.length; i++) digest = (Math.imul(digest, 31) + line.charCodeAt(i)) | 0;
  if (always || count++ % 8 === 0) console.log(line);
}
for (const flavour of ['posix', 'win32']) {
  const p = path[flavour];
  for (const name of all) {
    const always = listed.includes(name);
    const s = JSON.stringify;
    out(`${flavour} ${s(name)} n=${s(p.normalize(name))} d=${s(p.dirname(name))} b=${s(p.basename(name))} e=${s(p.extname(name))} a=${p.isAbsolute(name)} p=${s(p.parse(name))} f=${s(p.format(p.parse(name)))} ns=${s(p.toNamespacedPath(name))} r=${s(p.resolve(name))}`, always);
  }
  for (let i = 0; i < 600; i++) {
    const a = all[random(all.length)];
    const b = all[random(all.length)];
    const c = all[random(all.length)];
    const s = JSON.stringify;
    out(`${flavour} ${s([a, b, c])} j=${s(p.join(a, b, c))} j2=${s(p.join(a, b))} r=${s(p.resolve(a, b, c))} rel=${s(flavour === 'posix' || (/^[cC]:[/\\]/.test(a) && /^[cC]:[/\\]/.test(b)) ? p.relative(a, b) : '')} bn=${s(p.basename(a, b))}`);
  }
  const drives = all.filter((name) => /^[cC]:/.test(name)).map((name) => name.replace(/^..[/\\]*/, 'C:\\')).concat(['C:\\x\\y', 'D:\\x', 'C:\\xy', '\\\\h\\s\\a', '\\\\h\\s\\b\\c', '\\\\h\\t']);
  for (let i = 0; i < 200; i++) {
    const [a, b] = [drives[random(drives.length)], drives[random(drives.length)]];
    out(`${flavour} rel ${JSON.stringify([a, b, p.relative(a, b)])}`);
  }
  for (const [name, suffix] of [['a.js', '.js'], ['.js', '.js'], ['a.js', 'a.js'], ['/x/a.js', 'a.js'], ['a.js/', '.js'], ['js', 'sjs'], ['a.js', 's'], ['aa', 'a'], ['a', 'a'], ['/a', 'a'], ['a//', 'a'], ['b/a', 'a']]) out(`${flavour} ${name} ${suffix} ${p.basename(name, suffix)}`, true);
}
const attempt = (run) => { try { return JSON.stringify(run()); } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
for (const bad of [undefined, null, 5, {}, [], true]) {
  for (const name of ['normalize', 'dirname', 'basename', 'extname', 'isAbsolute', 'parse', 'format', 'join', 'resolve', 'relative', 'toNamespacedPath']) out(`${name} ${attempt(() => path[name](bad))} ${attempt(() => path.win32[name](bad))}`, true);
  out(attempt(() => path.basename('a', bad)), true); out(attempt(() => path.relative('a', bad)), true); out(attempt(() => path.join('a', bad)), true); out(attempt(() => path.resolve('a', bad)), true);
}
out(attempt(() => path.format({ root: '/', name: 'a', ext: 'b' })), true); out(attempt(() => path.format({ dir: 'd', base: 'b', name: 'x' })), true); out(attempt(() => path.win32.format({ dir: 'C:\\', root: 'C:\\', base: 'b' })), true);
out(`${path.sep} ${path.delimiter} ${path.win32.sep} ${path.win32.delimiter} ${path.posix === path} ${path.win32.posix === path} ${Object.keys(path)} ${require('path/posix') === path} ${require('path/win32') === path.win32}`, true);
out(`${path.join()} ${path.win32.join()} ${path.resolve()} ${path.win32.resolve()}`, true);
console.log(digest);
