'use strict';
// Views of memory that is resized are as long as they say, wherever their bytes are read.
const zlib = require('zlib');
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');

const show = (label, view) => {
  const file = path.join(os.tmpdir(), `resizable-${process.pid}`);
  fs.writeFileSync(file, view);
  console.log(
    label, view.length, zlib.inflateSync(zlib.deflateSync(view)).toString('hex'), zlib.crc32(view),
    crypto.createHash('md5').update(view).digest('hex'), Buffer.from(view).length, fs.readFileSync(file).length);
  fs.unlinkSync(file);
};

const memory = new ArrayBuffer(4, { maxByteLength: 16 });
const bytes = new Uint8Array(memory);
const later = new Uint8Array(memory, 2);
const fixed = new Uint8Array(memory, 1, 2);
const words = new Uint16Array(memory);
for (const length of [4, 7, 16, 3, 1, 0, 8]) {
  memory.resize(length);
  bytes.fill(length);
  show(`bytes of ${length}`, bytes);
  show(`later of ${length}`, later);
  show(`fixed of ${length}`, fixed);
  show(`words of ${length}`, words);
}
