'use strict';
// What cannot be decompressed, is too much, or is asked for wrongly.
const zlib = require('zlib');

const told = (error) => `${error.name} ${error.code} ${error.errno}: ${error.message}`;
const tries = (label, call) => {
  try {
    const value = call();
    console.log(label, 'gave', value instanceof Uint8Array ? value.length : typeof value);
  } catch (error) {
    console.log(label, told(error));
  }
};

const later = [];
const kinds = [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'], ['gzip', 'unzip'],
  ['brotliCompress', 'brotliDecompress'], ['zstdCompress', 'zstdDecompress']];
for (const [pack, unpack] of kinds) {
  const packed = zlib[`${pack}Sync`]('some words, some words '.repeat(50));
  tries(`${unpack} cut`, () => zlib[`${unpack}Sync`](packed.subarray(0, packed.length - 4)));
  tries(`${unpack} too much`, () => zlib[`${unpack}Sync`](packed, { maxOutputLength: 100 }));
  tries(`${unpack} wrong type`, () => zlib[`${unpack}Sync`](7));
  tries(`${pack} no callback`, () => zlib[pack]('x'));
  tries(`${unpack} garbage refused`, () => zlib[`${unpack}Sync`](
    Buffer.concat([packed, Buffer.alloc(9)]), { rejectGarbageAfterEnd: true }));
  later.push((next) => zlib[unpack](packed.subarray(0, 9), (error, value) => {
    console.log('later', unpack, error ? told(error) : value.length);
    zlib[unpack](packed, { maxOutputLength: 100 }, (error) => {
      console.log('later too much', unpack, told(error));
      const stream = zlib[`create${unpack[0].toUpperCase()}${unpack.slice(1)}`]({ rejectGarbageAfterEnd: true });
      stream.on('data', () => {}).on('error', (error) => console.log('later garbage', told(error))).on('close', next);
      stream.end(Buffer.concat([packed, Buffer.alloc(9)]));
    });
  }));
}
tries('gunzip', () => zlib.gunzipSync(Buffer.from('not gzip at all')));
tries('inflate', () => zlib.inflateSync(Buffer.from('not zlib at all')));
tries('inflateRaw', () => zlib.inflateRawSync(Buffer.from('no raw')));
tries('zstd', () => zlib.zstdDecompressSync(Buffer.from('not zstd at all')));
tries('broken', () => {
  const packed = zlib.gzipSync('checked');
  packed[packed.length - 6] ^= 1;
  return zlib.gunzipSync(packed);
});
tries('member and garbage', () => zlib.gunzipSync(Buffer.concat([zlib.gzipSync('one'), Buffer.from('garbage!!!')])));
const dictionary = Buffer.from('words');
tries('no dictionary', () => zlib.inflateSync(zlib.deflateSync('words', { dictionary })));
tries('bad dictionary', () => zlib.inflateSync(zlib.deflateSync('words', { dictionary }), { dictionary: Buffer.from('x') }));
for (const options of [
  { level: 10 }, { level: 'x' }, { windowBits: 7 }, { windowBits: 0 }, { memLevel: 0 }, { strategy: 5 }, { chunkSize: 10 },
  { chunkSize: Infinity }, { flush: 6 }, { finishFlush: -1 }, { dictionary: 'no' }, { maxOutputLength: 0 },
  { rejectGarbageAfterEnd: 1 }, { level: NaN },
]) tries(JSON.stringify(options), () => zlib.createGzip(options));
for (const params of [{ 99: 1 }, { x: 1 }, { 1: 'x' }, { 4: 130 }]) {
  tries(`brotli ${JSON.stringify(params)}`, () => zlib.createBrotliCompress({ params }));
}
for (const params of [{ 999: 1 }, { 101: 99 }, { 100: '1' }]) {
  tries(`zstd ${JSON.stringify(params)}`, () => zlib.createZstdCompress({ params }));
}
tries('pledged', () => zlib.createZstdCompress({ pledgedSrcSize: -1 }));
tries('pledged', () => zlib.zstdCompressSync('four', { pledgedSrcSize: 3 }));
tries('crc32', () => zlib.crc32(1));
tries('crc32', () => zlib.crc32('', -1));
tries('flush', () => zlib.createGzip().flush(9));
tries('params', () => zlib.createGzip().params(11, 0));

const run = (at) => later[at]?.(() => run(at + 1));
run(0);
