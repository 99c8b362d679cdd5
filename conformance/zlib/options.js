'use strict';
// What may be asked of a stream, and what is refused: bounds, kinds, and the order in which they are looked at.
const zlib = require('zlib');

const attempt = (name, work) => {
  try {
    console.log(name, work());
  } catch (error) {
    console.log(name, '!', error.name, error.code, error.message);
  }
};
const makers = ['createGzip', 'createGunzip', 'createDeflate', 'createInflate', 'createDeflateRaw', 'createInflateRaw', 'createUnzip',
                'createBrotliCompress', 'createBrotliDecompress', 'createZstdCompress', 'createZstdDecompress'];
const odd = [undefined, null, NaN, Infinity, -Infinity, '5', true, {}, [], -2, -1, 0, 1, 5, 6, 7, 8, 9, 10, 15, 16, 63, 64, 2 ** 40];
const names = ['windowBits', 'level', 'memLevel', 'strategy', 'chunkSize', 'flush', 'finishFlush', 'maxOutputLength'];
for (const maker of makers) {
  for (const name of names) {
    for (const value of odd) {
      // So much memory is not asked for.
      if (name === 'chunkSize' && value > 100) continue;
      attempt(`${maker} ${name} ${String(value)}`, () => {
        const stream = zlib[maker]({ [name]: value });
        const shown = [stream._level, stream._strategy, stream._chunkSize, stream._defaultFlushFlag, stream._finishFlushFlag];
        stream.close();
        return shown.join();
      });
    }
  }
}
for (const dictionary of [undefined, null, '', 'text', 5, {}, new ArrayBuffer(4), new DataView(new ArrayBuffer(4)), new Uint16Array(2)]) {
  attempt('dictionary', () => zlib.deflateSync('abc', { dictionary }).toString('hex'));
}
// The first that is wrong is told of.
attempt('order', () => zlib.createGzip({ chunkSize: 'x', flush: 'x', windowBits: 'x', level: 'x', memLevel: 'x', strategy: 'x' }));
attempt('order', () => zlib.createGzip({ chunkSize: 'x', flush: 'x', level: 'x', memLevel: 'x' }));
attempt('order', () => zlib.createGzip({ flush: 'x', chunkSize: 'x', dictionary: 'x' }));
attempt('order', () => zlib.createGzip({ maxOutputLength: 'x', finishFlush: 'x' }));
for (const params of [undefined, null, {}, { 1: 5 }, { 1: '5' }, { 1: true }, { '-1': 1 }, { 99: 1 }, { x: 1 }, { 0.5: 1 }]) {
  attempt('brotli', () => zlib.brotliCompressSync('abc', { params }).toString('hex'));
  attempt('zstd', () => zlib.zstdCompressSync('abc', { params }).toString('hex'));
}
for (const [level, strategy] of [[0, 0], [10, 0], [1, 5], ['x', 0], [undefined, undefined], [NaN, 1]]) {
  attempt('params', () => {
    const stream = zlib.createDeflate();
    stream.on('error', () => {});
    stream.params(level, strategy, () => {});
    return 'taken';
  });
}
for (const data of [undefined, null, 5, {}, 'abc', new ArrayBuffer(3), new DataView(new ArrayBuffer(3)), new Uint16Array([1, 2]), [1]]) {
  attempt('data', () => zlib.deflateSync(data).toString('hex'));
  attempt('data', () => zlib.crc32(data));
}
attempt('callback', () => zlib.deflate('abc'));
attempt('callback', () => zlib.deflate('abc', {}, 5));
attempt('limit', () => zlib.inflateSync(zlib.deflateSync(Buffer.alloc(100)), { maxOutputLength: 99 }));
zlib.inflate(zlib.deflateSync(Buffer.alloc(100)), { maxOutputLength: 99 }, (error, output) => {
  console.log(error.code, error.message, output);
  zlib.gzip('abc', { info: true }, (none, { buffer, engine }) => {
    console.log(none, buffer.length, engine.bytesWritten, engine instanceof zlib.Gzip);
    zlib.gunzip('junk', (failure, nothing) => console.log(failure.code, failure.errno, failure.message, nothing));
  });
});
