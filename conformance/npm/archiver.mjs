// archiver: zip and tar archives from buffers, streams, files and folders; the zip is read back by its own directory.
import { ZipArchive, TarArchive } from 'archiver';
import * as tar from 'tar';
import { Readable, PassThrough } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';

const log = (...words) => console.log(...words);
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-archiver-'));
const date = new Date('2020-02-02T02:02:02Z');
fs.mkdirSync(path.join(root, 'folder/below'), { recursive: true });
for (let at = 0; at < 5; at++) fs.writeFileSync(path.join(root, `folder/${at}.txt`), `file ${at}\n`.repeat(1000 * at));
fs.writeFileSync(path.join(root, 'folder/below/deep.json'), '{"deep":true}');
fs.writeFileSync(path.join(root, 'folder/below/.hidden'), 'hidden');

// The entries of a zip, from its central directory, each unpacked and checked.
function entriesOf(zip) {
  const entries = [];
  let at = zip.readUInt32LE(zip.lastIndexOf(Buffer.from('PK\x05\x06')) + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [method, crc, packed, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)];
    const [nameLength, extra, comment, mode, offset] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32), zip.readUInt16LE(at + 40), zip.readUInt32LE(at + 42)];
    const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
    const data = zip.subarray(start, start + packed);
    const plain = method === 8 ? zlib.inflateRawSync(data) : data;
    entries.push(`${zip.toString('utf8', at + 46, at + 46 + nameLength)} ${method} ${size} ${mode.toString(8)} ${plain.length === size && zlib.crc32(plain) === crc ? 'sound' : 'DAMAGED'}${comment ? ` (${zip.toString('utf8', at + 46 + nameLength + extra, at + 46 + nameLength + extra + comment)})` : ''}`);
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}

async function fill(archive) {
  const events = [];
  archive.on('entry', (entry) => events.push(entry.name));
  archive.on('warning', (error) => log('warning', error.code));
  archive.append('text', { name: 'text.txt', date, mode: 0o600 });
  archive.append(Buffer.alloc(200_000, 'x'), { name: 'big/buffer.bin', date });
  archive.append(Readable.from(['one ', 'two ', 'three']), { name: 'stream.txt', date, comment: 'from a stream' });
  archive.append('', { name: 'leer-ä/', date, type: 'directory' });
  archive.file(path.join(root, 'folder/1.txt'), { name: 'renamed.txt', date });
  archive.directory(path.join(root, 'folder'), 'all', (entry) => (entry.name.startsWith('4') ? false : { ...entry, date }));
  archive.symlink?.('pointer', 'text.txt');
  await archive.finalize();
  return events;
}

const zip = new ZipArchive({ zlib: { level: 9 }, comment: 'made here' });
const output = fs.createWriteStream(path.join(root, 'out.zip'));
const piped = pipeline(zip, output);
const names = await fill(zip);
await piped;
const bytes = fs.readFileSync(path.join(root, 'out.zip'));
log(names.toSorted(), zip.pointer() === bytes.length, bytes.subarray(-9).toString());
log(entriesOf(bytes).toSorted());

const stored = new ZipArchive({ store: true });
const collected = buffer(stored.pipe(new PassThrough()));
stored.glob('**/*.txt', { cwd: path.join(root, 'folder'), ignore: ['0.txt'] }, { date, prefix: 'globbed' });
await stored.finalize();
log(entriesOf(await collected).toSorted());

const tarball = new TarArchive({ gzip: true, gzipOptions: { level: 1 } });
const file = path.join(root, 'out.tgz');
const written = finished(tarball.pipe(fs.createWriteStream(file)));
await fill(tarball);
await written;
const listed = [];
await tar.list({ file, onReadEntry: (entry) => listed.push(`${entry.type} ${entry.path} ${entry.size} ${entry.mode.toString(8)} ${entry.linkpath ?? ''}`.trimEnd()) });
log(listed.toSorted());

// Progress, warnings for what is missing, and a stop in the middle.
const watched = new ZipArchive();
watched.on('warning', (error) => log('warning', error.code, error.name));
let progress;
watched.on('progress', (now) => { progress = now; });
watched.resume();
watched.file(path.join(root, 'missing.txt'), { name: 'missing' });
watched.append('x'.repeat(50), { name: 'present' });
await watched.finalize();
log(progress.entries, progress.fs.processedBytes);
const stopped = new ZipArchive();
stopped.on('error', (error) => log('error', error.code));
const gone = finished(stopped.resume()).then(() => 'ended', (error) => error.code);
stopped.append(new PassThrough(), { name: 'never' });
stopped.abort();
log(await gone);
stopped.append('late', { name: 'late' });
fs.rmSync(root, { recursive: true });
