// tar: archives made, listed, extracted, updated and filtered, with gzip, links, modes, long names and damaged input.
import * as tar from 'tar';
import { pipeline } from 'node:stream/promises';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const log = (...words) => console.log(...words);
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-tar-'));
const at = (...parts) => path.join(root, ...parts);
const long = `${'long-name-'.repeat(14)}.txt`;
const random = Buffer.alloc(300_000, 0).map((_, index) => (index * 7919 + (index >> 8)) & 255);
process.umask(0o022);
fs.mkdirSync(at('in/sub/deeper'), { recursive: true });
fs.writeFileSync(at('in/hello.txt'), 'hello\n', { mode: 0o640 });
fs.writeFileSync(at('in/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
fs.writeFileSync(at('in/sub/random.bin'), random);
fs.writeFileSync(at('in/sub/deeper/ünï.txt'), 'ü');
fs.writeFileSync(at('in', long), 'long');
fs.writeFileSync(at('in/empty'), '');
fs.symlinkSync('hello.txt', at('in/link'));
fs.linkSync(at('in/hello.txt'), at('in/second.txt'));
for (const name of fs.readdirSync(at('in'), { recursive: true })) fs.lutimesSync(at('in', name), 1_600_000_000, 1_600_000_000);
fs.utimesSync(at('in'), 1_600_000_000, 1_600_000_000);

function tree(folder) {
  return fs.readdirSync(folder, { recursive: true }).sort().map((name) => {
    const stat = fs.lstatSync(path.join(folder, name));
    const kind = stat.isDirectory() ? '/' : stat.isSymbolicLink() ? ` -> ${fs.readlinkSync(path.join(folder, name))}` : ` ${stat.size}`;
    return `${name.length > 40 ? `${name.slice(0, 12)}…${name.length}` : name}${kind} ${(stat.mode & 0o777).toString(8)} ${stat.nlink > 1 && stat.isFile() ? 'hard' : ''}`.trimEnd();
  });
}

async function list(file) {
  const lines = [];
  await tar.list({ file, onReadEntry: (entry) => lines.push(`${entry.type} ${entry.path.length > 40 ? entry.path.length : entry.path} ${entry.size} ${entry.mode.toString(8)} ${entry.mtime?.toISOString()} ${entry.linkpath ?? ''}`.trimEnd()) });
  return lines;
}

await tar.create({ file: at('plain.tar'), cwd: at('in'), portable: true }, ['.']);
log(await list(at('plain.tar')));
await tar.create({ file: at('zipped.tgz'), cwd: root, gzip: { level: 9 }, portable: true, filter: (name) => !name.includes('random') }, ['in']);
log((await list(at('zipped.tgz'))).length, fs.readFileSync(at('zipped.tgz')).subarray(0, 2));
tar.create({ file: at('sync.tar'), cwd: at('in'), sync: true, portable: true, noMtime: true }, ['hello.txt', 'sub']);
log(await list(at('sync.tar')));

fs.mkdirSync(at('out'));
await tar.extract({ file: at('plain.tar'), cwd: at('out') });
log(tree(at('out')));
log('same bytes', createHash('sha256').update(fs.readFileSync(at('out/sub/random.bin'))).digest('hex') === createHash('sha256').update(random).digest('hex'), fs.statSync(at('out/hello.txt')).mtime.toISOString());
fs.mkdirSync(at('stripped'));
tar.extract({ file: at('zipped.tgz'), cwd: at('stripped'), strip: 2, sync: true });
log(tree(at('stripped')));

// Through streams, with filters on the way.
fs.mkdirSync(at('piped'));
await pipeline(tar.create({ gzip: true, cwd: at('in'), portable: true }, ['hello.txt', 'sub', 'link']), tar.extract({ cwd: at('piped'), filter: (name) => !name.endsWith('.bin'), onReadEntry: (entry) => { entry.path = entry.path.replace('hello', 'goodbye'); } }));
log(tree(at('piped')));

// Added to, and replaced if newer.
fs.writeFileSync(at('in/extra'), 'extra');
fs.utimesSync(at('in/extra'), 1_650_000_000, 1_650_000_000);
await tar.replace({ file: at('sync.tar'), cwd: at('in'), portable: true }, ['extra']);
fs.utimesSync(at('in/hello.txt'), 1_700_000_000, 1_700_000_000);
await tar.update({ file: at('plain.tar'), cwd: at('in'), portable: true }, ['hello.txt']);
log((await list(at('sync.tar'))).at(-1), (await list(at('plain.tar'))).filter((line) => line.includes('hello')));

// Damage, and paths that lead out.
const bytes = fs.readFileSync(at('plain.tar'));
bytes[150] ^= 0xff;
fs.writeFileSync(at('damaged.tar'), bytes);
fs.mkdirSync(at('safe'));
await tar.extract({ file: at('damaged.tar'), cwd: at('safe'), strict: true }).catch((error) => log(error.tarCode ?? error.code, error.message));
const warnings = [];
await tar.list({ file: at('damaged.tar'), onwarn: (code, message) => warnings.push(`${code} ${message}`) }).catch((error) => log('failed', error.message));
log(warnings);
fs.writeFileSync(at('cut.tgz'), fs.readFileSync(at('zipped.tgz')).subarray(0, 200));
await tar.extract({ file: at('cut.tgz'), cwd: at('safe') }).catch((error) => log(error.code, error.message));
const header = new tar.Header({ path: '../escaped', type: 'File', size: 0, mode: 0o644, mtime: new Date(0) });
header.encode();
fs.writeFileSync(at('evil.tar'), Buffer.concat([header.block, Buffer.alloc(1024)]));
fs.mkdirSync(at('closed'));
await tar.extract({ file: at('evil.tar'), cwd: at('closed'), onwarn: (code, message) => log(code, message.replace(root, '')) });
log(fs.existsSync(at('escaped')), fs.readdirSync(at('closed')));
await tar.extract({ file: at('none.tar'), cwd: at('safe') }).catch((error) => log(error.code, error.syscall));
fs.rmSync(root, { recursive: true });
