// Bytes through a pipeline of streams: a source of 64 KB chunks, a PassThrough, and a sink.
const { Readable, PassThrough, Writable } = require('stream');
const MEGABYTES = +process.argv[2] || 4096;
const chunk = Buffer.alloc(1 << 16);
let left = MEGABYTES * 16;
const source = new Readable({ read() { this.push(left-- > 0 ? chunk : null); } });
const sink = new Writable({ write(bytes, encoding, done) { done(); } });
const began = process.hrtime.bigint();
source.pipe(new PassThrough()).pipe(sink).on('finish', () => {
  console.log('MB/s', Math.round(MEGABYTES / (Number(process.hrtime.bigint() - began) / 1e9)));
});
