// fs-extra: trees copied, moved, emptied and removed, JSON, links, in promises, callbacks and synchronously.
'use strict';
const fs = require('fs-extra');
const os = require('os');
const path = require('path');

const log = (...words) => console.log(...words);

// Everything below a folder, as lines.
async function tree(folder, prefix = '') {
  const lines = [];
  for (const name of (await fs.readdir(folder)).sort()) {
    const whole = path.join(folder, name);
    const stat = await fs.lstat(whole);
    if (stat.isDirectory()) lines.push(`${prefix}${name}/`, ...await tree(whole, `${prefix}${name}/`));
    else if (stat.isSymbolicLink()) lines.push(`${prefix}${name} -> ${path.basename(await fs.readlink(whole))}`);
    else lines.push(`${prefix}${name} ${stat.size} ${(stat.mode & 0o777).toString(8)}`);
  }
  return lines;
}

async function main() {
  const root = await fs.mkdtemp(path.join(os.tmpdir(), 'npm-fs-extra-'));
  const at = (...parts) => path.join(root, ...parts);
  process.umask(0o022);
  await fs.outputFile(at('src/deep/er/file.txt'), 'contents');
  await fs.outputJson(at('src/data.json'), { list: [1, 2], text: 'ä' }, { spaces: 2 });
  fs.outputFileSync(at('src/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await fs.ensureDir(at('src/empty'));
  await fs.ensureFile(at('src/deep/made'));
  await fs.ensureSymlink(at('src/data.json'), at('src/link'));
  await fs.ensureLink(at('src/data.json'), at('src/hard.json'));
  log(await tree(root));

  await fs.copy(at('src'), at('copy'), { filter: (from) => !from.endsWith('made'), preserveTimestamps: true });
  log(await tree(at('copy')));
  const [one, two] = await Promise.all([fs.stat(at('src/data.json')), fs.stat(at('copy/data.json'))]);
  log('same time', Math.abs(one.mtimeMs - two.mtimeMs) < 2, 'same file', one.ino === two.ino);
  log(await fs.readJson(at('copy/data.json')), await fs.pathExists(at('nothing')), await fs.pathExists(at('copy')));
  await fs.copy(at('src/run.sh'), at('copy/run.sh'), { overwrite: false, errorOnExist: true }).catch((error) => log(error.message.replaceAll(root, '')));
  await fs.copy(at('src'), at('src/deep/inside')).catch((error) => log(error.message.replaceAll(root, '')));
  await fs.copy(at('src'), at('src')).catch((error) => log(error.message));
  await fs.copy(at('none'), at('x')).catch((error) => log(error.code, error.syscall));

  await fs.move(at('copy'), at('moved/to/here'));
  log(await tree(at('moved')));
  await fs.move(at('src/run.sh'), at('moved/to/here/run.sh')).catch((error) => log(error.message));
  await fs.move(at('src/run.sh'), at('moved/to/here/run.sh'), { overwrite: true });
  log(await fs.pathExists(at('src/run.sh')));

  await fs.emptyDir(at('moved/to'));
  log(await tree(at('moved')));
  await fs.writeFile(at('broken.json'), '{"a": }');
  await fs.readJson(at('broken.json')).catch((error) => log(error.name, error.message.replaceAll(root, '').split('\n')[0].slice(0, 14)));
  log(await fs.readJson(at('broken.json'), { throws: false }));
  fs.writeJsonSync(at('small.json'), { b: 2 }, { EOL: '\r\n', finalEOL: false });
  log(JSON.stringify(fs.readFileSync(at('small.json'), 'utf8')), fs.readJsonSync(at('small.json')));

  // The old form, of the whole module and of its own additions.
  await new Promise((resolve) => {
    fs.readFile(at('small.json'), 'utf8', (error, text) => {
      log('callback', error, text);
      fs.mkdirp(at('cb/deep'), (failed) => {
        log('mkdirp', failed ?? null);
        fs.remove(at('cb'), (gone) => { log('remove', gone ?? null, fs.pathExistsSync(at('cb'))); resolve(); });
      });
    });
  });
  fs.copySync(at('src'), at('sync'));
  fs.moveSync(at('sync/deep'), at('sync/shallow'));
  log(await tree(at('sync')));
  fs.emptyDirSync(at('sync'));
  fs.ensureDirSync(at('sync/mode'), 0o2775);
  log((fs.statSync(at('sync/mode')).mode & 0o777).toString(8), fs.readdirSync(at('sync')));
  const fd = await fs.open(at('raw'), 'w+');
  const { bytesWritten } = await fs.write(fd, Buffer.from('0123456789'), 2, 5, 0);
  const { bytesRead, buffer } = await fs.read(fd, Buffer.alloc(8), 0, 8, 0);
  log(bytesWritten, bytesRead, buffer.toString('latin1', 0, bytesRead), (await fs.writev(fd, [Buffer.from('a'), Buffer.from('bc')], 5)).bytesWritten);
  await fs.close(fd);
  log(await fs.readFile(at('raw'), 'utf8'), await fs.realpath.native(at('src/link')) === await fs.realpath(at('src/data.json')));
  await fs.remove(root);
  await fs.remove(root);
  log('gone', !fs.existsSync(root));
}

main();
