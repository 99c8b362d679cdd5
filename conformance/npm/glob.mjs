// glob: patterns of every kind over a tree with links and hidden files, as promises, streams, iterators and synchronously.
import { glob, globSync, globStream, globIterate, Glob, hasMagic, escape } from 'glob';
import { minimatch } from 'minimatch';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const log = (...words) => console.log(...words);
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-glob-'));
for (const file of ['a.js', 'b.ts', '.hidden.js', 'src/one.js', 'src/two.test.js', 'src/deep/three.js', 'src/deep/.git/config', 'lib/[odd].js', 'lib/x1.txt', 'lib/x2.txt', 'lib/x10.txt', 'node_modules/p/index.js']) {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), file);
}
fs.symlinkSync('src', path.join(root, 'linked'));
fs.symlinkSync('..', path.join(root, 'src/deep/up'));

const options = { cwd: root };
const show = async (pattern, more = {}) => log(JSON.stringify(pattern), JSON.stringify(more), (await glob(pattern, { ...options, ...more })).map(String).sort());
await show('*');
await show('**/*.js');
await show('**/*.js', { ignore: ['node_modules/**', '**/*.test.js'] });
await show('**/*.js', { dot: true, ignore: 'node_modules/**' });
await show(['src/**', 'lib/*'], { nodir: true });
await show('src/**/', { mark: true });
await show('{a,b}.{js,ts}');
await show('lib/x{1..3}.txt');
await show('lib/x[0-9].txt');
await show('lib/+(x1|x10).txt');
await show('lib/!(x1).txt');
await show(`lib/${escape('[odd]')}.js`);
await show('**/deep/**', { follow: true, maxDepth: 3 });
await show('linked/*.js');
await show('*/', { dotRelative: true });
await show('**/*.js', { maxDepth: 2, ignore: { ignored: (p) => p.name.includes('test'), childrenIgnored: (p) => p.isNamed('node_modules') } });
await show('A.JS', { nocase: true });
await show('*.js', { matchBase: true, ignore: 'node_modules/**' });
await show('nothing/**');
log(globSync('src/*.js', options).sort(), globSync('*.ts', { ...options, absolute: true }).map((file) => path.relative(root, file)));

const streamed = [];
for await (const file of globStream('lib/*.txt', options)) streamed.push(file);
log('streamed', streamed.sort());
await new Promise((resolve) => {
  const events = [];
  globStream('src/*.js', options).on('data', (file) => events.push(file)).on('end', () => { log('ended', events.sort()); resolve(); });
});
const iterated = [];
for await (const entry of globIterate('src/**', { ...options, withFileTypes: true, stat: true })) {
  iterated.push(`${entry.relative()} ${entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : entry.size}`);
}
log(iterated.sort());
const again = new Glob('**/*.js', { ...options, ignore: 'node_modules/**' });
log(again.hasMagic?.() ?? hasMagic(again.pattern), [...again].length, (await again.walk()).length, new Glob('*.ts', again).walkSync());
const controller = new AbortController();
controller.abort(new Error('stopped'));
await glob('**', { ...options, signal: controller.signal }).catch((error) => log('aborted', error.message));
log(hasMagic('plain/path'), hasMagic('a{b,c}', { magicalBraces: true }), minimatch('x.js', '*.@(js|ts)'), minimatch.braceExpand('{1..4..2}{a,b}'));
fs.rmSync(root, { recursive: true });
