'use strict';
// Every format, there and back: here and now, with a callback, as a promise, through streams.
const { Readable } = require('stream');
const { pipeline } = require('stream/promises');
const { promisify } = require('util');
const zlib = require('zlib');

const text = 'what goes in comes out; '.repeat(4000);
const pairs = [
  ['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'], ['gzip', 'unzip'], ['deflate', 'unzip'],
  ['brotliCompress', 'brotliDecompress'], ['zstdCompress', 'zstdDecompress'],
];
const create = (name, options) => zlib[`create${name[0].toUpperCase()}${name.slice(1)}`](options);

(async () => {
  for (const [pack, unpack] of pairs) {
    const packed = zlib[`${pack}Sync`](text);
    console.log(pack, unpack, packed.length < 1000, Buffer.isBuffer(packed));
    console.log(' here', zlib[`${unpack}Sync`](packed).toString() === text);
    console.log(' promise', (await promisify(zlib[unpack])(await promisify(zlib[pack])(text))).toString() === text);
    const views = [new DataView(packed.buffer, packed.byteOffset, packed.length), new Uint8Array(packed).buffer];
    console.log(' views', views.map((view) => zlib[`${unpack}Sync`](view).length));
    const sizes = [];
    const source = Readable.from([Buffer.from(text.slice(0, 7)), Buffer.from(text.slice(7, 50000)), Buffer.from(text.slice(50000))]);
    const first = create(pack);
    const last = create(unpack, { chunkSize: 10000 });
    await pipeline(source, first, last, async (chunks) => {
      for await (const chunk of chunks) sizes.push(chunk.length);
    });
    console.log(' stream', sizes.every((size) => size <= 10000), sizes.reduce((a, b) => a + b), first.bytesWritten);
    const { buffer, engine } = zlib[`${unpack}Sync`](packed, { info: true });
    console.log(' info', buffer.length, engine.bytesWritten === packed.length, engine.constructor.name);
    console.log(' empty', zlib[`${unpack}Sync`](zlib[`${pack}Sync`]('')).length);
  }
  console.log(zlib.gunzipSync(Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two '), Buffer.alloc(5)])).toString());
  console.log(zlib.inflateSync(Buffer.concat([zlib.deflateSync('first'), Buffer.from('more')])).toString());
  const dictionary = Buffer.from('a dictionary of words');
  console.log(zlib.inflateSync(zlib.deflateSync('words of a dictionary', { dictionary }), { dictionary }).toString());
  console.log(zlib.inflateRawSync(zlib.deflateRawSync('words', { dictionary }), { dictionary }).toString());
  for (const options of [{ level: 0 }, { level: 9, memLevel: 1 }, { strategy: 2 }, { windowBits: 9 }, { strategy: 4 }]) {
    console.log(options, zlib.inflateSync(zlib.deflateSync(text, options)).length);
  }
  console.log(zlib.crc32('hello'), zlib.crc32(Buffer.from('lo'), zlib.crc32('hel')), zlib.crc32('é€𝄞'), zlib.crc32(''));
})();
