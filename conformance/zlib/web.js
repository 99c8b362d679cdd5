'use strict';
// CompressionStream and DecompressionStream.
const { text } = require('stream/consumers');
const zlib = require('zlib');

const told = (name) => [(value) => console.log(name, value), (error) => console.log(name, '!', error.name, error.code)];

async function main() {
  for (const format of ['gzip', 'deflate', 'deflate-raw', 'brotli']) {
    const compress = new CompressionStream(format);
    const decompress = new DecompressionStream(format);
    const writer = compress.writable.getWriter();
    const output = text(compress.readable.pipeThrough(decompress));
    writer.write('some ');
    writer.write(new TextEncoder().encode('text '.repeat(1000)));
    writer.close();
    console.log(format, (await output).length);
  }
  const whole = new Blob([zlib.gzipSync('from zlib')]).stream().pipeThrough(new DecompressionStream('gzip'));
  console.log(await text(whole));
  for (const format of [undefined, 'x', 5, null, {}]) {
    for (const Class of [CompressionStream, DecompressionStream]) {
      try {
        console.log(new Class(format));
      } catch (error) {
        console.log(error.name, error.code, error.message);
      }
    }
  }
  const made = new CompressionStream('gzip');
  console.log(made, Object.prototype.toString.call(made), CompressionStream.length);
  console.log(require('stream/web').CompressionStream === CompressionStream);
  const data = zlib.gzipSync('x');
  for (const [name, junk] of [['junk', Buffer.from('junk')], ['cut', data.subarray(0, 12)], ['more', Buffer.concat([data, Buffer.from('tail')])]]) {
    const stream = new DecompressionStream('gzip');
    const writer = stream.writable.getWriter();
    const output = text(stream.readable);
    writer.write(junk).catch(() => {});
    writer.close().catch(() => {});
    await output.then(...told(name));
  }
  for (const wrong of [5, {}, null]) {
    const stream = new CompressionStream('gzip');
    const writer = stream.writable.getWriter();
    writer.closed.catch(() => {});
    await writer.write(wrong).then(...told('wrong'));
  }
}
main();
