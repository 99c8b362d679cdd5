'use strict';
// When callbacks, 'drain', 'finish', 'error' and 'close' of a Writable come, told beside ticks.
const { Duplex, PassThrough, Transform, Writable } = require('stream');
const log = (...args) => console.log(...args);

function marks(name) {
  let tick = 0;
  const next = () => {
    if (tick++ >= 6) return;
    log(`  ${name} tick ${tick}`);
    process.nextTick(next);
  };
  process.nextTick(next);
}

function watch(name, stream) {
  for (const event of ['drain', 'prefinish', 'finish', 'pipe', 'unpipe', 'error', 'close']) {
    stream.on(event, (value) => log(name, event, value instanceof Error ? value.message : ''));
  }
  return stream;
}
const done = (name) => (error) => log(name, 'callback', error ? error.message : error);

const cases = [
  function sync() {
    const stream = watch('sync', new Writable({ highWaterMark: 3, write(chunk, encoding, callback) { log('_write', String(chunk)); callback(); } }));
    log(stream.write('a'), stream.write('bcd', done('bcd')), stream.write('e'));
    stream.end('f', done('end'));
    log(stream.writableEnded, stream.writableFinished, stream.writableLength);
  },
  function async() {
    const stream = watch('async', new Writable({ highWaterMark: 3, write(chunk, encoding, callback) { log('_write', String(chunk)); setImmediate(callback); } }));
    log(stream.write('ab', done('ab')), stream.write('cd', done('cd')), stream.writableNeedDrain);
    stream.once('drain', () => stream.end(done('end')));
  },
  function objects() {
    const stream = watch('objects', new Writable({ objectMode: true, highWaterMark: 2, write(chunk, encoding, callback) { callback(); } }));
    log(stream.write({}), stream.write({}), stream.write({}));
    stream.end();
  },
  function corked() {
    const stream = watch('corked', new Writable({
      decodeStrings: false,
      write(chunk, encoding, callback) { log('_write', chunk, encoding); callback(); },
      writev(chunks, callback) { log('_writev', chunks.map(({ chunk, encoding }) => [chunk, encoding]), chunks.allBuffers); callback(); },
    }));
    stream.cork();
    stream.write('a', 'latin1', done('a'));
    stream.cork();
    stream.write('b', done('b'));
    log(stream.writableCorked, stream.writableLength);
    stream.uncork();
    process.nextTick(() => { stream.uncork(); stream.end('c', done('end')); });
  },
  function failing() {
    for (const autoDestroy of [true, false]) {
      for (const later of [process.nextTick, (fn, arg) => fn(arg)]) {
        const name = `failing ${autoDestroy} ${later === process.nextTick}`;
        const stream = watch(name, new Writable({ autoDestroy, write(chunk, encoding, callback) { later(callback, new Error('bad')); } }));
        stream.write('a', done(`${name} a`));
        stream.write('b', done(`${name} b`));
        stream.end(done(`${name} end`));
      }
    }
  },
  function final() {
    const stream = watch('final', new Writable({ write(chunk, encoding, callback) { callback(); }, final(callback) { log('_final'); callback(); } }));
    stream.end('x', done('end'));
    const bad = watch('bad final', new Writable({ write(chunk, encoding, callback) { callback(); }, final(callback) { callback(new Error('final')); } }));
    bad.end(done('bad end'));
  },
  function misuse() {
    const stream = watch('misuse', new Writable({ write(chunk, encoding, callback) { callback(); } }));
    for (const call of [() => stream.write(null), () => stream.write(1), () => stream.write('a', 'nope'), () => stream.setDefaultEncoding('x')]) {
      try { call(); } catch (error) { log(error.code, error.message); }
    }
    stream.end();
    log(stream.write('late', done('late')));
    stream.end(done('end again'));
    const twice = watch('twice', new Writable({ write(chunk, encoding, callback) { callback(); callback(); } }));
    twice.write('a', done('twice'));
    watch('pipe', new Writable({ write() {} })).pipe();
  },
  function destroyed() {
    const stream = watch('destroyed', new Writable({ write(chunk, encoding, callback) { setImmediate(callback); } }));
    stream.write('a', done('a'));
    stream.write('b', done('b'));
    stream.end(done('end'));
    stream.destroy();
    log(stream.writable, stream.writableAborted, stream.destroyed);
  },
  function transforms() {
    const stream = watch('transform', new Transform({
      highWaterMark: 2,
      transform(chunk, encoding, callback) { log('_transform', String(chunk)); callback(null, String(chunk).toUpperCase()); },
      flush(callback) { log('_flush'); callback(null, '!'); },
    }));
    stream.on('data', (chunk) => log('data', String(chunk)));
    stream.on('end', () => log('end'));
    log(stream.write('ab'), stream.write('cd', done('cd')));
    stream.end('e');
  },
  function piped() {
    const from = new PassThrough();
    const to = watch('piped', new Writable({ highWaterMark: 1, write(chunk, encoding, callback) { log('to', String(chunk)); setImmediate(callback); } }));
    from.pipe(to);
    from.write('a');
    from.write('b');
    from.end('c');
  },
  function halfOpen() {
    for (const allowHalfOpen of [true, false]) {
      const stream = watch(`half ${allowHalfOpen}`, new Duplex({ allowHalfOpen, read() {}, write(chunk, encoding, callback) { callback(); } }));
      stream.on('end', () => log('end'));
      stream.resume();
      stream.push(null);
      if (allowHalfOpen) setImmediate(() => stream.end());
    }
  },
];

(async () => {
  for (const each of cases) {
    log(`== ${each.name}`);
    marks(each.name);
    each();
    // Turns of the loop, not time: nothing here waits for anything else.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
})();
