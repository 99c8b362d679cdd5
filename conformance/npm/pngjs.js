// pngjs: images at once, by streams, and what is none. It steps zlib's streams by itself.
'use strict';
const { createHash } = require('crypto');
const { once } = require('events');
const { PassThrough } = require('stream');
const { PNG } = require('pngjs');

const digest = (bytes) => createHash('sha1').update(bytes).digest('hex');
const image = new PNG({ width: 64, height: 48 });
for (let at = 0; at < image.data.length; at++) image.data[at] = (at * 7) ^ (at >> 5);

(async () => {
  for (const options of [{}, { colorType: 2 }, { colorType: 0, filterType: 4 }, { colorType: 6, bitDepth: 16 }]) {
    const read = PNG.sync.read(PNG.sync.write(image, options));
    console.log(read.width, read.height, read.colorType, read.depth, digest(read.data));
  }
  const parsed = new PNG();
  image.pack().pipe(new PassThrough()).pipe(parsed);
  await once(parsed, 'parsed');
  console.log(parsed.width, digest(parsed.data), parsed.data.equals(image.data));
  const packed = PNG.sync.write(image);
  const wrong = Buffer.from(packed);
  wrong[60] ^= 0xff;
  for (const bytes of [Buffer.from('nothing'), packed.subarray(0, 40), wrong]) {
    try {
      PNG.sync.read(bytes);
      console.log('read');
    } catch (error) {
      console.log(error.message);
    }
    await new Promise((done) => new PNG().parse(bytes, (error) => done(console.log(error?.message))));
  }
  const target = new PNG({ width: 8, height: 8 });
  PNG.bitblt(image, target, 10, 10, 8, 8, 0, 0);
  console.log(digest(target.data));
})();
