'use strict';
// When 'readable', 'data', 'end', 'pause', 'resume' and 'close' of a Readable come, told beside ticks and microtasks.
const { Readable } = require('stream');
const log = (...args) => console.log(...args);

function marks(name) {
  let tick = 0;
  const next = () => {
    if (tick++ >= 8) return;
    log(`  ${name} tick ${tick}`);
    process.nextTick(next);
  };
  process.nextTick(next);
  Promise.resolve().then(() => log(`  ${name} microtask`));
}

function watch(name, stream, without = []) {
  for (const event of ['readable', 'data', 'end', 'pause', 'resume', 'error', 'close']) {
    if (!without.includes(event)) stream.on(event, (value) => log(name, event, value === undefined ? '' : String(value)));
  }
  return stream;
}

const cases = [
  function flowing() {
    let left = 3;
    watch('flowing', new Readable({ read() { log('_read'); this.push(left-- > 0 ? `c${left}` : null); } }), ['readable']);
  },
  function readableMode() {
    let left = 3;
    const stream = new Readable({ highWaterMark: 2, read(size) { log('_read', size); this.push(left-- > 0 ? `c${left}` : null); } });
    watch('readable', stream, ['readable', 'data']);
    stream.on('readable', () => {
      let chunk;
      log('readable', stream.readableLength);
      while ((chunk = stream.read(1)) !== null) log('read', String(chunk));
    });
  },
  function asyncPush() {
    let left = 3;
    const stream = new Readable({
      objectMode: true,
      read() { setImmediate(() => { log('pushing'); log(this.push(left-- > 0 ? { left } : null)); }); },
    });
    watch('async', stream, ['readable']);
  },
  function pauseAndResume() {
    const stream = new Readable({ read() {} });
    watch('paused', stream, ['readable']);
    stream.push('a');
    stream.push('b');
    stream.once('data', () => {
      stream.pause();
      log(stream.isPaused(), stream.readableFlowing);
      setImmediate(() => { stream.resume(); log(stream.isPaused(), stream.readableFlowing); stream.push(null); });
    });
  },
  function bothListeners() {
    const stream = new Readable({ read() {} });
    watch('both', stream);
    stream.push('x');
    setImmediate(() => { log(String(stream.read())); stream.push('y'); stream.push(null); setImmediate(() => log(stream.read())); });
  },
  function removed() {
    const stream = new Readable({ read() {} });
    const listener = () => log('readable');
    stream.on('readable', listener);
    stream.push('a');
    stream.removeListener('readable', listener);
    stream.on('data', (chunk) => log('data', String(chunk)));
    log(stream.readableFlowing);
    process.nextTick(() => log(stream.readableFlowing));
    setImmediate(() => { log(stream.readableFlowing); stream.push(null); });
  },
  function unshiftAndEncoding() {
    const stream = new Readable({ read() {} });
    stream.push(Buffer.from('héllo').subarray(0, 2));
    stream.setEncoding('utf8');
    log(stream.readableLength, stream.readableEncoding);
    stream.push(Buffer.from('héllo').subarray(2));
    log(stream.read(3), stream.unshift('abc'), stream.read(), stream.read());
    stream.push(null);
    watch('encoded', stream, ['readable']);
    const put = new Readable({ encoding: 'utf8', read() {} });
    put.unshift(Buffer.from('bytes'));
    log(put.read());
  },
  function errors() {
    for (const autoDestroy of [true, false]) {
      const stream = new Readable({ autoDestroy, read() { throw new Error(`read ${autoDestroy}`); } });
      watch(`error ${autoDestroy}`, stream);
    }
    const late = watch('late', new Readable({ read() {} }));
    late.push(null);
    late.resume();
    late.push('x');
    const wrong = watch('wrong', new Readable({ read() {} }));
    log(wrong.push(1));
  },
  function constructed() {
    const stream = new Readable({
      construct(callback) { log('construct'); setImmediate(() => { log('constructed'); callback(); }); },
      read() { log('_read'); this.push(null); },
    });
    watch('construct', stream);
  },
  function destroyed() {
    const stream = watch('destroyed', new Readable({ read() {}, destroy(error, callback) { log('_destroy', error?.message); callback(error); } }));
    stream.push('x');
    log(stream.destroy(new Error('boom')) === stream, stream.destroyed, stream.closed, stream.errored.message);
    stream.destroy(new Error('again'), () => log('called'));
    setImmediate(() => log(stream.closed, stream.readableAborted, stream.readable));
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
