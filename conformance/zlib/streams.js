'use strict';
// What streams of zlib tell, and in which order.
const zlib = require('zlib');

const listen = (name, stream) => {
  for (const event of ['finish', 'end', 'error', 'close', 'drain']) {
    stream.on(event, (error) => console.log(name, event, error?.code ?? ''));
  }
  return stream;
};
const steps = [
  (next) => {
    const gunzip = listen('broken', zlib.createGunzip());
    gunzip.on('close', () => { console.log(gunzip._closed, gunzip.destroyed); next(); });
    gunzip.write(Buffer.from('no gzip'), (error) => console.log('written', error?.code));
    gunzip.resume();
  },
  (next) => {
    const deflate = listen('flush', zlib.createDeflate());
    const inflate = zlib.createInflate();
    // The two are at work on different threads: what one has done when the other tells is chance.
    let got = '';
    deflate.pipe(inflate).on('data', (chunk) => { got += chunk; });
    inflate.on('end', () => { console.log(got); next(); });
    deflate.write('one');
    deflate.flush(() => {
      console.log('flushed', deflate.bytesWritten);
      deflate.params(0, zlib.constants.Z_DEFAULT_STRATEGY, (error) => {
        console.log('params', error, deflate._level);
        deflate.write('two', () => console.log('two'));
        deflate.flush(zlib.constants.Z_SYNC_FLUSH, () => deflate.end('three'));
      });
    });
  },
  (next) => {
    const gzip = listen('closed', zlib.createGzip());
    gzip.write('x', (error) => console.log('write', error?.code));
    gzip.close((error) => { console.log('close callback', error?.code); next(); });
    console.log('closed', gzip._closed);
  },
  (next) => {
    const deflate = listen('reset', zlib.createDeflate());
    deflate.reset();
    const parts = [];
    deflate.on('data', (chunk) => parts.push(chunk));
    deflate.on('end', () => { console.log(`${zlib.inflateSync(Buffer.concat(parts))}`); next(); });
    deflate.end('after a reset');
  },
  (next) => {
    const unzip = listen('bytes', zlib.createUnzip());
    let got = '';
    unzip.on('data', (chunk) => { got += chunk; });
    unzip.on('end', () => { console.log(got, unzip.bytesWritten > 20); next(); });
    for (const byte of zlib.gzipSync('byte by byte')) unzip.write(Buffer.of(byte));
    unzip.end();
  },
  (next) => {
    const inflate = listen('trailing', zlib.createInflate());
    inflate.on('data', (chunk) => console.log(`${chunk}`));
    inflate.on('close', next);
    inflate.end(Buffer.concat([zlib.deflateSync('all'), Buffer.from('garbage')]));
  },
  (next) => {
    const gunzip = listen('slow', zlib.createGunzip({ chunkSize: 64, highWaterMark: 64 }));
    gunzip.end(zlib.gzipSync('z'.repeat(300)));
    gunzip.once('readable', () => {
      console.log('waits', gunzip.readableLength);
      let total = 0;
      gunzip.on('data', (chunk) => { total += chunk.length; });
      gunzip.on('end', () => { console.log(total); next(); });
    });
  },
  () => {
    console.log(zlib.Gzip() instanceof zlib.Gzip, Object.getPrototypeOf(zlib.Gzip).name, zlib.gzip.name, zlib.gzipSync.length);
    console.log(Object.keys(zlib).join(' '));
    console.log(zlib.codes, Object.isFrozen(zlib.codes), Object.keys(zlib.constants).length, zlib.Z_FINISH);
    console.log(zlib.constants);
    setImmediate(() => console.log('immediate'));
    zlib.gzip('x', () => console.log('gzip'));
    process.nextTick(() => console.log('tick'));
    console.log(process.getActiveResourcesInfo().filter((name) => /zlib/i.test(name)));
  },
];
const run = (at) => steps[at]?.(() => setImmediate(run, at + 1));
run(0);
