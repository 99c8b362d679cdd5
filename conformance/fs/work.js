'use strict';
// Files, directories, links, descriptors: what the calls do and give.
const fs = require('fs');
const os = require('os');
const path = require('path');
const util = require('util');
const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'phasor-fs-'));
const at = (...names) => path.join(root, ...names);
const log = (...args) => console.log(...args.map((one) => (typeof one === 'string' ? one.replaceAll(root, 'ROOT') : one)));

function now() {
  const file = at('a.txt');
  log(fs.writeFileSync(file, 'hello'), fs.readFileSync(file, 'utf8'), fs.readFileSync(file), fs.readFileSync(file, 'hex'));
  fs.appendFileSync(file, Buffer.from(' world'));
  fs.writeFileSync(file, '!', { flag: 'a' });
  log(fs.readFileSync(file, { encoding: 'latin1' }), fs.statSync(file).size);
  fs.truncateSync(file, 4);
  log(fs.readFileSync(file, 'utf8'));
  const fd = fs.openSync(at('b.bin'), 'w+', 0o640);
  log((fs.fstatSync(fd).mode & 0o777).toString(8));
  log(fs.writeSync(fd, 'abcdef'), fs.writeSync(fd, Buffer.from('XYZ'), 1, 2, 2), fs.writeSync(fd, 'é', null, 'latin1'));
  log(fs.writevSync(fd, [Buffer.from('12'), new Uint8Array([51, 52]), new DataView(new ArrayBuffer(1))], 10));
  const buffer = Buffer.alloc(8, '.');
  log(fs.readSync(fd, buffer, 2, 4, 0), buffer.toString(), fs.readSync(fd, buffer, { position: 4, length: 2 }), buffer.toString());
  const parts = [Buffer.alloc(3), Buffer.alloc(4)];
  log(fs.readvSync(fd, parts, 0), parts);
  fs.ftruncateSync(fd, 2);
  fs.futimesSync(fd, 1000, new Date(2000500));
  fs.fchmodSync(fd, 0o600);
  fs.fsyncSync(fd);
  fs.fdatasyncSync(fd);
  const found = fs.fstatSync(fd);
  log(found.size, found.atime.toISOString(), found.mtimeMs, (found.mode & 0o777).toString(8), found.isFile(), found.isDirectory());
  const big = fs.fstatSync(fd, { bigint: true });
  log(big.size, big.mtimeMs, big.mtimeNs, big.mtime.toISOString(), big.isFile(), big.constructor.name, Object.keys(big).join());
  log(found.constructor.name, Object.keys(found).join(), found instanceof fs.Stats);
  fs.closeSync(fd);
  log(fs.mkdirSync(at('d', 'e', 'f'), { recursive: true }), fs.mkdirSync(at('d', 'e', 'f'), { recursive: true }), fs.mkdirSync(at('g')));
  fs.writeFileSync(at('d', 'x'), '');
  fs.symlinkSync('../a.txt', at('d', 'link'));
  fs.linkSync(file, at('hard'));
  log(fs.readlinkSync(at('d', 'link')), fs.readlinkSync(at('d', 'link'), 'buffer'), fs.realpathSync(at('d', 'link')), fs.realpathSync.native(at('d', 'link')));
  log(fs.lstatSync(at('d', 'link')).isSymbolicLink(), fs.statSync(at('d', 'link')).isFile(), fs.statSync(file).nlink);
  log(fs.readdirSync(root), fs.readdirSync(at('d'), 'buffer'), fs.readdirSync(at('d'), 'hex'));
  log(fs.readdirSync(root, { recursive: true }));
  for (const entry of fs.readdirSync(at('d'), { withFileTypes: true })) {
    log(entry.name, entry.parentPath, entry.path, entry.isFile(), entry.isDirectory(), entry.isSymbolicLink(), entry.constructor.name);
  }
  log(fs.readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))));
  fs.copyFileSync(file, at('copy'));
  try {
    fs.copyFileSync(file, at('copy'), fs.constants.COPYFILE_EXCL);
  } catch (error) {
    log(error.code, error.message);
  }
  fs.renameSync(at('copy'), at('moved'));
  fs.utimesSync(at('moved'), 5, 6.5);
  fs.lutimesSync(at('d', 'link'), 7, 8);
  log(fs.statSync(at('moved')).mtimeMs, fs.lstatSync(at('d', 'link')).mtimeMs);
  fs.chmodSync(at('moved'), '400');
  log((fs.statSync(at('moved')).mode & 0o777).toString(8), fs.accessSync(at('moved')));
  fs.cpSync(at('d'), at('d2'), { recursive: true });
  log(fs.readdirSync(at('d2'), { recursive: true }), fs.readlinkSync(at('d2', 'link')));
  const dir = fs.opendirSync(at('d'));
  log(dir.path, [dir.readSync(), dir.readSync(), dir.readSync()].map((entry) => entry.name).sort(), dir.readSync());
  dir.closeSync();
  try {
    dir.readSync();
  } catch (error) {
    log(error.code, error.message);
  }
  log(Object.keys(fs.statfsSync(root)).join(), typeof fs.statfsSync(root, { bigint: true }).bsize);
  fs.unlinkSync(at('hard'));
  fs.rmdirSync(at('g'));
  fs.rmSync(at('d2'), { recursive: true });
  fs.rmSync(at('nothing'), { force: true });
  log(fs.readdirSync(root));
}

function callbacks() {
  const calls = [
    ['writeFile', at('cb'), 'text'], ['appendFile', at('cb'), '+'], ['readFile', at('cb'), 'utf8'], ['readFile', at('cb')],
    ['stat', at('cb')], ['access', at('cb')], ['mkdir', at('m')], ['mkdir', at('m', 'n', 'o'), { recursive: true }],
    ['mkdir', at('m', 'n', 'o'), { recursive: true }], ['readdir', at('m')], ['rename', at('cb'), at('cb2')],
    ['truncate', at('cb2'), 2], ['copyFile', at('cb2'), at('cb3')], ['symlink', 'cb2', at('sl')], ['readlink', at('sl')],
    ['realpath', at('sl')], ['lstat', at('sl')], ['chmod', at('cb2'), 0o600], ['utimes', at('cb2'), 1, 2],
    ['unlink', at('sl')], ['rmdir', at('m', 'n', 'o')], ['rm', at('m'), { recursive: true }], ['exists', at('cb2')],
    ['readFile', at('cb2'), { encoding: 'base64' }], ['cp', at('d'), at('d3'), { recursive: true }],
  ];
  return calls.reduce((before, [name, ...args]) => before.then(() => new Promise((resolve) => {
    fs[name](...args, (...results) => {
      log(name, results.length, ...results.map((one) => (one instanceof fs.Stats ? one.isFile() : one)));
      resolve();
    });
  })), Promise.resolve());
}

async function descriptors() {
  const fd = await util.promisify(fs.open)(at('fd'), 'w+');
  const read = util.promisify(fs.read);
  log(await util.promisify(fs.write)(fd, 'some text', 0, 'utf8'));
  log(await read(fd, Buffer.alloc(4), 0, 4, 5), await util.promisify(fs.exists)(at('fd')));
  await new Promise((resolve) => fs.read(fd, { buffer: Buffer.alloc(3), position: 0 }, (...all) => resolve(log(...all))));
  await new Promise((resolve) => fs.read(fd, Buffer.alloc(2), { position: 1 }, (...all) => resolve(log(...all))));
  await new Promise((resolve) => fs.write(fd, Buffer.from('AB'), 0, 2, 0, (...all) => resolve(log(...all))));
  await new Promise((resolve) => fs.writev(fd, [Buffer.from('C'), Buffer.from('D')], 2, (...all) => resolve(log(...all))));
  await new Promise((resolve) => fs.readv(fd, [Buffer.alloc(2), Buffer.alloc(3)], 0, (...all) => resolve(log(...all))));
  await new Promise((resolve) => fs.readFile(fd, 'utf8', (...all) => resolve(log(...all))));
  await new Promise((resolve) => fs.close(fd, (...all) => resolve(log('closed', ...all))));
}

async function promises() {
  const p = fs.promises;
  log(p === require('fs/promises'), p.constants === fs.constants);
  log(await p.writeFile(at('p'), 'promised'), await p.readFile(at('p'), 'utf8'), await p.readFile(at('p')));
  log(await p.mkdir(at('p1', 'p2'), { recursive: true }), await p.mkdir(at('p1', 'p3')), await p.readdir(at('p1')));
  log((await p.stat(at('p'))).size, await p.access(at('p')), await p.realpath(at('p')), await p.rename(at('p'), at('q')));
  const handle = await p.open(at('h'), 'w+');
  log(handle.constructor.name, typeof handle.fd, await handle.write('0123456789'), await handle.write(Buffer.from('ab'), 0, 1, 4));
  log(await handle.read(Buffer.alloc(4), 0, 4, 2), await handle.read({ buffer: Buffer.alloc(2), position: 0 }));
  log((await handle.stat()).size, await handle.truncate(6), await handle.sync(), await handle.datasync());
  log(await handle.writev([Buffer.from('x'), Buffer.from('y')], 6), await handle.readv([Buffer.alloc(3)], 5));
  handle.on('close', () => log('close event'));
  await handle.close();
  log(handle.fd);
  await handle.read(Buffer.alloc(1)).catch((error) => log(error.code, error.message, error.syscall));
  const second = await p.open(at('h'), 'a+');
  await second.appendFile('z');
  log(await second.readFile('utf8'));
  await second[Symbol.asyncDispose]();
  await p.writeFile(at('it'), (function* parts() { yield 'a'; yield 'b'; })());
  log(await p.readFile(at('it'), 'latin1'));
  const names = [];
  for await (const entry of await p.opendir(at('d'))) names.push(entry.name);
  log(names.sort());
  await p.cp(at('d'), at('d4'), { recursive: true, filter: (from) => !from.endsWith('x') });
  log(await p.readdir(at('d4')), await p.rm(at('d4'), { recursive: true }));
}

const ended = () => fs.rmSync(root, { recursive: true, force: true });
process.on('exit', ended);
now();
callbacks().then(descriptors).then(promises);
