'use strict';
// pipeline, finished, compose, Duplex.from, Readable.from, iteration and the iterator helpers.
const stream = require('stream');
const { Duplex, PassThrough, Readable, Transform, Writable, addAbortSignal, compose, finished, pipeline } = stream;
const { pipeline: pipelineP, finished: finishedP } = require('stream/promises');
const consumers = require('stream/consumers');
const log = (...args) => console.log(...args);
const sink = () => new Writable({ objectMode: true, write(chunk, encoding, callback) { log('sink', String(chunk)); callback(); } });
const tell = (error) => log(error.name, error.code, error.message, error.cause?.name);

const cases = {
  async pipeline() {
    await new Promise((resolve) => pipeline(Readable.from(['a', 'b']), async function*(source) {
      for await (const chunk of source) yield chunk.toUpperCase();
    }, sink(), (error, value) => { log(error, value); resolve(); }));
    log(await pipelineP(['x', 'y'], async (source) => { let all = ''; for await (const part of source) all += part; return all; }));
    await pipelineP(Readable.from(['a']), new Transform({ transform(chunk, encoding, callback) { callback(new Error('t')); } }), sink()).catch(tell);
    const controller = new AbortController();
    const aborted = pipelineP(new Readable({ read() {} }), sink(), { signal: controller.signal });
    controller.abort();
    await aborted.catch(tell);
    await pipelineP(new Readable({ read() { this.destroy(); } }), sink()).catch(tell);
    try { pipeline(sink()); } catch (error) { tell(error); }
    try { pipeline(() => 1, sink(), () => {}); } catch (error) { tell(error); }
  },
  async finished() {
    await finishedP(new PassThrough().end().resume());
    await finishedP(new Readable({ read() {} }).destroy()).catch(tell);
    await finishedP(new Writable({ write() {} }).destroy(new Error('w'))).catch(tell);
    const over = new Readable({ read() { this.push(null); } }).resume();
    await finishedP(over);
    await finishedP(over);
    const cleanup = finished(new PassThrough(), () => log('never'));
    cleanup();
    try { finished({}, () => {}); } catch (error) { tell(error); }
    await finishedP(new PassThrough(), { signal: AbortSignal.abort('why') }).catch((error) => log(error.name, error.cause));
  },
  async from() {
    log(await Readable.from([1, Promise.resolve(2), 3]).toArray());
    log(await Readable.from((async function*() { yield 'a'; yield 'b'; })()).toArray());
    log(await Readable.from('text').toArray(), await Readable.from(Buffer.from('bytes')).toArray());
    await Readable.from([null]).toArray().catch(tell);
    try { Readable.from(1); } catch (error) { tell(error); }
    const closing = Readable.from((function*() { try { yield 1; yield 2; } finally { log('returned'); } })());
    for await (const value of closing) { log(value); break; }
    log(await Duplex.from(['x', 'y']).toArray(), await Duplex.from(Promise.resolve('p')).toArray());
    const both = Duplex.from(async function*(source) { for await (const chunk of source) yield `<${chunk}>`; });
    both.end('q');
    log(await both.toArray());
    await pipelineP(['z'], Duplex.from(async (source) => { for await (const chunk of source) log('eats', String(chunk)); }));
    try { Duplex.from(1); } catch (error) { tell(error); }
  },
  async compose() {
    const upper = compose(async function*(source) { for await (const chunk of source) yield String(chunk).toUpperCase(); }, new PassThrough({ objectMode: true }));
    upper.end('abc');
    log(await upper.toArray());
    log(await Readable.from(['a', 'b']).compose(async function*(source) { for await (const chunk of source) yield chunk + chunk; }).toArray());
    try { compose(new Writable(), new PassThrough()); } catch (error) { log(error.code); }
  },
  async iteration() {
    for await (const chunk of new Readable({ read() { this.push('one'); this.push(null); } })) log(String(chunk));
    try {
      for await (const chunk of new Readable({ read() { this.push('one'); this.destroy(new Error('mid')); } })) log(String(chunk));
    } catch (error) { tell(error); }
    const kept = Readable.from([1, 2, 3]);
    for await (const value of kept.iterator({ destroyOnReturn: false })) { log(value); break; }
    log(kept.destroyed);
    for await (const value of kept) log(value);
    log(kept.destroyed);
    try { for await (const value of addAbortSignal(AbortSignal.abort(), new Readable({ read() {} }))) log(value); } catch (error) { tell(error); }
  },
  async operators() {
    const numbers = () => Readable.from([1, 2, 3, 4]);
    log(await numbers().map((x) => x * 2).toArray(), await numbers().filter(async (x) => x % 2).toArray());
    log(await numbers().flatMap((x) => [x, x]).take(3).toArray(), await numbers().drop(2).toArray());
    log(await numbers().some((x) => x > 3), await numbers().every((x) => x > 3), await numbers().find((x) => x > 2));
    log(await numbers().reduce((a, b) => a + b), await numbers().reduce((a, b) => a + b, 10));
    await numbers().forEach((x) => log(x), { concurrency: 2 });
    await Readable.from([]).reduce((a, b) => a + b).catch(tell);
    await numbers().map(() => { throw new Error('map'); }).toArray().catch(tell);
    await numbers().toArray({ signal: AbortSignal.abort() }).catch(tell);
    for (const call of [() => numbers().map(1), () => numbers().map((x) => x, { concurrency: 0 }), () => numbers().take(-1), () => new (numbers().map)()]) {
      try { call(); } catch (error) { tell(error); }
    }
    log(typeof numbers().asIndexedPairs, Readable.prototype.map.length, Readable.prototype.reduce.name);
  },
  async consumers() {
    log(await consumers.text(Readable.from(['é', Buffer.from('ü')])), await consumers.json(Readable.from(['{"a":', '1}'])));
    log(await consumers.buffer(Readable.from([Buffer.from('ab')])), await consumers.arrayBuffer(Readable.from(['ab'])));
    log((await consumers.blob(Readable.from(['abc']))).size);
  },
  async looks() {
    log(Object.keys(stream).sort().join());
    log(new PassThrough());
    log(new Readable().readableHighWaterMark, new Writable({ objectMode: true }).writableHighWaterMark, stream.getDefaultHighWaterMark(true));
    log(new PassThrough() instanceof Writable, new PassThrough() instanceof Readable, new Readable() instanceof Writable);
    const [one, other] = stream.duplexPair();
    one.end('pair');
    log(String(await other.toArray()));
    log(stream.isReadable(other), stream.isErrored(new PassThrough()), stream.isDisturbed(other), stream.isDestroyed(one));
    for (const options of [{ highWaterMark: -1 }, { highWaterMark: 'a' }, { defaultEncoding: 'x' }]) {
      try { new Readable(options); } catch (error) { log(error.code, error.message); }
    }
    const capturing = new Readable({ captureRejections: true, read() {} });
    capturing.on('data', async () => { throw new Error('rejected'); });
    capturing.push('x');
    await new Promise((resolve) => capturing.on('error', (error) => { tell(error); resolve(); }));
  },
};

(async () => {
  for (const [name, each] of Object.entries(cases)) {
    log(`== ${name}`);
    await each();
    // Turns of the loop, not time: nothing here waits for anything else.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
})();
