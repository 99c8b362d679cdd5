// Files: with callbacks, promises, synchronously and as streams; folders, links, watchers, errors.
'use strict';
const fs = require('fs');
const { promises } = fs;
const path = require('path');
const { pipeline } = require('stream/promises');

const said = (error) => `${error.code} ${error.syscall}`;

(async () => {
  const folder = await promises.mkdtemp(path.join(process.cwd(), 'files-'));
  const at = (name) => path.join(folder, name);

  await promises.writeFile(at('a'), 'one\n');
  await promises.appendFile(at('a'), 'two\n');
  console.log(await promises.readFile(at('a'), 'utf8'));
  fs.writeFileSync(at('b'), Buffer.alloc(1 << 20, 'x'));
  const stat = await promises.stat(at('b'));
  console.log(stat.size, stat.isFile(), stat.mode.toString(8), fs.statSync(at('b'), { bigint: true }).size);

  const handle = await promises.open(at('c'), 'w+');
  await handle.write('0123456789', 0);
  await handle.write(Buffer.from('ab'), 0, 2, 4);
  const read = await handle.read(Buffer.alloc(16), 0, 16, 2);
  console.log(read.bytesRead, read.buffer.toString('latin1', 0, read.bytesRead));
  await handle.writev([Buffer.from('p'), Buffer.from('q')], 0);
  await handle.truncate(5);
  await handle.utimes(1000, 2000);
  await handle.chmod(0o600);
  await handle.sync();
  const after = await handle.stat();
  console.log(after.size, after.mtimeMs, (after.mode & 0o777).toString(8), await handle.readFile('utf8'));
  await handle.close();

  await promises.mkdir(at('deep/er/est'), { recursive: true });
  await promises.symlink('../a', at('deep/link'));
  await promises.link(at('a'), at('deep/hard'));
  await promises.copyFile(at('b'), at('deep/copy'));
  await promises.rename(at('c'), at('deep/er/c'));
  console.log(await promises.readlink(at('deep/link')), (await promises.realpath(at('deep/link'))) === at('a'));
  console.log((await promises.readdir(at('deep'))).sort());
  const kinds = [];
  for await (const entry of await promises.opendir(at('deep'))) kinds.push(`${entry.name} ${entry.isDirectory()} ${entry.isSymbolicLink()}`);
  console.log(kinds.sort());

  await pipeline(fs.createReadStream(at('b'), { highWaterMark: 4096 }), fs.createWriteStream(at('d')));
  console.log(fs.statSync(at('d')).size, fs.readFileSync(at('d')).equals(fs.readFileSync(at('b'))));

  const many = Array.from({ length: 300 }, (_, index) => promises.writeFile(at(`many-${index}`), String(index)));
  await Promise.all(many);
  const back = await Promise.all(many.map((_, index) => promises.readFile(at(`many-${index}`), 'utf8')));
  console.log(back.length, back.reduce((sum, text) => sum + Number(text), 0));

  for (const attempt of [
    () => promises.readFile(at('none')), () => promises.mkdir(at('deep')), () => promises.rmdir(at('deep')),
    () => promises.open(at('a/b')), () => promises.readdir(at('a')), () => promises.unlink(at('none')),
    () => promises.access('/proc/1/mem', fs.constants.W_OK),
  ]) console.log(await attempt().then(() => 'no error', said));

  const watcher = fs.watch(folder);
  const seen = new Promise((resolve) => watcher.on('change', (kind, name) => { if (name === 'watched') resolve(kind); }));
  await promises.writeFile(at('watched'), 'x');
  console.log('watch', await seen);
  watcher.close();

  const polled = new Promise((resolve) => fs.watchFile(at('watched'), { interval: 20 }, (now) => resolve(now.size)));
  await promises.writeFile(at('watched'), 'longer');
  console.log('watchFile', await polled);
  fs.unwatchFile(at('watched'));

  await promises.rm(folder, { recursive: true });
  console.log(fs.existsSync(folder));
  console.log('done');
})();
