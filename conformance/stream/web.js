'use strict';
// Web streams: order beside ticks and microtasks, errors, looks, and conversion both ways.
const { Duplex, PassThrough, Readable, Writable, finished, pipeline } = require('stream');
const web = require('stream/web');
const log = (...args) => console.log(...args);
const tell = (error) => log(error?.name, error?.code, error?.message ?? error);
// Turns of the loop, not time: nothing here waits for anything else.
const soon = async () => { for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve)); };

const cases = {
  async order() {
    const stream = new ReadableStream({
      start() { log('start'); },
      pull(controller) { log('pull', controller.desiredSize); controller.enqueue('x'); },
      cancel(reason) { log('cancel', reason); },
    }, { highWaterMark: 2 });
    process.nextTick(() => log('tick'));
    let turn = 0;
    const turns = () => { if (turn++ < 6) { log('microtask', turn); queueMicrotask(turns); } };
    queueMicrotask(turns);
    const reader = stream.getReader();
    reader.read().then((result) => log('read', result));
    await soon();
    await reader.cancel('enough');
    log(await reader.read(), stream.locked);
    reader.releaseLock();
    await reader.read().catch(tell);
  },
  async writing() {
    const stream = new WritableStream({
      write(chunk) { log('write', chunk); },
      close() { log('close'); },
      abort(reason) { log('abort', reason); },
    }, new CountQueuingStrategy({ highWaterMark: 2 }));
    const writer = stream.getWriter();
    log(writer.desiredSize);
    const all = [writer.write('a'), writer.write('b'), writer.write('c')].map((each, at) => each.then(() => log('written', at)));
    log(writer.desiredSize);
    writer.ready.then(() => log('ready'));
    await Promise.all(all);
    await writer.close();
    await writer.write('late').catch(tell);
    const bad = new WritableStream({ write() { throw new Error('no'); } }).getWriter();
    await bad.write(1).catch(tell);
    await bad.closed.catch(tell);
    const aborted = new WritableStream({ write: () => new Promise(() => {}), abort(reason) { log('abort', reason); } });
    aborted.abort('why').then(() => log('aborted'));
    await soon();
  },
  async through() {
    const upper = new TransformStream({
      transform(chunk, controller) { controller.enqueue(chunk.toUpperCase()); },
      flush(controller) { controller.enqueue('!'); },
    });
    for await (const chunk of ReadableStream.from(['a', 'b']).pipeThrough(upper)) log(chunk);
    const text = ReadableStream.from(['h\ud83d', '\ude00i']).pipeThrough(new TextEncoderStream()).pipeThrough(new TextDecoderStream());
    for await (const chunk of text) log(JSON.stringify(chunk));
    const [one, two] = ReadableStream.from([1, 2]).tee();
    log(await Array.fromAsync(one), await Array.fromAsync(two));
    await ReadableStream.from([1]).pipeTo(new WritableStream({ write() { throw new Error('sink'); } })).catch(tell);
    await new ReadableStream({ pull() { throw new Error('source'); } }).pipeTo(new WritableStream()).catch(tell);
    await ReadableStream.from([1]).pipeTo(new WritableStream(), { signal: AbortSignal.abort() }).catch(tell);
    const locked = new ReadableStream();
    locked.getReader();
    await locked.cancel().catch(tell);
    for (const call of [() => locked.getReader(), () => locked.tee(), () => new ReadableStream(1), () => new ReadableStream({ type: 'x' }),
      () => new ReadableStream({}, { highWaterMark: -1 }), () => new WritableStream({ type: 'x' }), () => ReadableStream.from(1),
      () => new CountQueuingStrategy({}), () => new ReadableStreamDefaultController(), () => new ReadableStreamDefaultReader(1)]) {
      try { log(call()); } catch (error) { tell(error); }
    }
  },
  async bytes() {
    let left = 3;
    const source = () => ({ type: 'bytes', autoAllocateChunkSize: 4, pull(controller) {
      const { view } = controller.byobRequest;
      view[0] = left;
      if (left-- === 0) { controller.close(); controller.byobRequest.respond(0); } else controller.byobRequest.respond(1);
    } });
    for await (const chunk of new ReadableStream(source())) log(chunk);
    left = 3;
    const reader = new ReadableStream(source()).getReader({ mode: 'byob' });
    const view = new Uint8Array(3);
    log(await reader.read(view), view.byteLength);
    log(await reader.read(new Uint16Array(2)).catch((error) => error.message));
    log(await reader.read(new DataView(new ArrayBuffer(2))));
    await reader.read(new Uint8Array(0)).catch(tell);
    const queued = new ReadableStream({ type: 'bytes', start(controller) { controller.enqueue(new Uint8Array([1, 2, 3, 4])); controller.close(); } });
    const own = queued.getReader({ mode: 'byob' });
    log(await own.read(new Uint8Array(3), { min: 2 }), await own.read(new Uint8Array(3)));
    const [one, two] = new ReadableStream({ type: 'bytes', start(controller) { controller.enqueue(new Uint8Array([9])); controller.close(); } }).tee();
    log(await Array.fromAsync(one), await Array.fromAsync(two));
    log(await Array.fromAsync(new Blob(['blob']).stream()));
  },
  async conversion() {
    log(await Array.fromAsync(Readable.toWeb(Readable.from(['a', 'b']))));
    log(await Readable.fromWeb(ReadableStream.from(['c', 'd']), { objectMode: true }).toArray());
    const got = [];
    const node = Writable.fromWeb(new WritableStream({ write(chunk) { got.push(String(chunk)); }, close() { log('closed'); } }));
    node.write('x');
    node.end('y', () => log('ended', got));
    await new Promise((resolve) => node.on('close', resolve));
    const sunk = Writable.toWeb(new Writable({ write(chunk, encoding, callback) { log('node', String(chunk)); callback(); } })).getWriter();
    await sunk.write('z');
    await sunk.close();
    const pair = Duplex.toWeb(new PassThrough());
    const writer = pair.writable.getWriter();
    writer.write(Buffer.from('pair'));
    writer.close();
    log(await Array.fromAsync(pair.readable));
    const duplex = Duplex.fromWeb(new TransformStream());
    duplex.end('both');
    duplex.on('data', (chunk) => log(String(chunk)));
    await new Promise((resolve) => duplex.on('end', resolve));
    const failing = Readable.fromWeb(new ReadableStream({ pull(controller) { controller.error(new Error('web')); } }));
    await failing.toArray().catch(tell);
    const broken = Readable.toWeb(new Readable({ read() { this.destroy(new Error('node')); } })).getReader();
    await broken.read().catch(tell);
    const early = Readable.toWeb(new Readable({ read() { this.destroy(); } })).getReader();
    await early.read().catch(tell);
    finished(ReadableStream.from([]), () => log('never read'));
    await new Promise((resolve) => pipeline(ReadableStream.from(['p']), new TransformStream(), async function*(parts) { yield* parts; },
                                            new WritableStream({ write(chunk) { log('piped', chunk); } }), (error) => { log(error); resolve(); }));
    for (const call of [() => Readable.fromWeb(1), () => Writable.fromWeb({}), () => Readable.toWeb({}), () => Writable.toWeb(1), () => Duplex.fromWeb({})]) {
      try { call(); } catch (error) { tell(error); }
    }
  },
  async looks() {
    log(Object.keys(web).filter((name) => !name.includes('ompression')).join());
    log(new ReadableStream(), new WritableStream(), new TransformStream(), new ReadableStream({ type: 'bytes' }).getReader());
    log(new ByteLengthQueuingStrategy({ highWaterMark: 3 }), new WritableStream().getWriter(), new TextDecoderStream());
    log(Object.prototype.toString.call(new ReadableStream()), Object.keys(ReadableStream.prototype).join(), web.ReadableStream === ReadableStream);
  },
};

(async () => {
  for (const [name, each] of Object.entries(cases)) {
    log(`== ${name}`);
    await each();
    await soon();
  }
})();
