// Web streams move: to a clone, through a port, to a worker. What is refused moves nothing.
'use strict';
const { MessageChannel, Worker } = require('node:worker_threads');
const { once } = require('node:events');

// The ports of a stream keep nothing alive until somebody reads or writes.
const keep = setInterval(() => {}, 1000);
const t = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
};
const move = (stream) => structuredClone(stream, { transfer: [stream] });
const drain = async (stream) => {
  try {
    for await (const chunk of stream) console.log(chunk);
    console.log('ended');
  } catch (e) {
    console.log('failed', e.name);
  }
};
const counting = (count) => new ReadableStream({
  start(controller) {
    for (let i = 0; i < count; i++) controller.enqueue(i);
    controller.close();
  },
});

function refusals() {
  for (const Class of [ReadableStream, WritableStream, TransformStream]) t(() => structuredClone(new Class()));
  const read = new ReadableStream();
  read.getReader();
  t(() => move(read));
  const written = new WritableStream();
  written.getWriter();
  t(() => move(written));
  const half = new TransformStream();
  half.writable.getWriter();
  t(() => move(half));
  console.log(half.readable.locked);
  const stays = new ReadableStream();
  t(() => structuredClone({ stays, f() {} }, { transfer: [stays] }));
  t(() => structuredClone(stays, { transfer: [stays, stays] }));
  t(() => structuredClone(stays, { transfer: [stays, 1] }));
  console.log(stays.locked);
  const { port1 } = new MessageChannel();
  const unmentioned = new ReadableStream();
  port1.postMessage(1, [unmentioned]);
  port1.close();
  console.log(unmentioned.locked);
}

async function readables() {
  const given = counting(3);
  const moved = move(given);
  console.log(given, moved, moved instanceof ReadableStream, Object.getPrototypeOf(moved) === ReadableStream.prototype);
  await drain(moved);
  console.log(given.locked);
  await drain(move(new ReadableStream({ start(controller) { controller.error(new TypeError('bad')); } })));
  await drain(move(new ReadableStream({ start(controller) { controller.error(new DOMException('bad', 'AbortError')); } })));
  await drain(move(new ReadableStream({
    start(controller) { controller.enqueue(() => {}); },
    cancel(reason) { console.log('cancelled by', reason.name, reason.message); },
  })));
  const bytes = move(new ReadableStream({
    type: 'bytes',
    start(controller) {
      controller.enqueue(new Uint8Array([1, 2]));
      controller.close();
    },
  }));
  console.log(bytes);
  await drain(bytes);
  await new Promise((resolve) => {
    move(new ReadableStream({
      cancel(reason) {
        console.log('cancelled:', reason);
        resolve();
      },
    })).cancel('enough');
  });
  await drain(move(move(counting(2))));
}

async function writables() {
  const seen = [];
  await new Promise((resolve) => {
    const given = new WritableStream({
      write(chunk) { seen.push(chunk); },
      close() {
        console.log('closed', seen);
        resolve();
      },
    });
    const moved = move(given);
    console.log(given, moved);
    const writer = moved.getWriter();
    writer.write(1);
    writer.write(new Uint8Array(2));
    writer.close();
  });
  await new Promise((resolve) => {
    move(new WritableStream({
      abort(reason) {
        console.log('aborted:', reason);
        resolve();
      },
    })).abort('stop');
  });
  const failing = move(new WritableStream({ write() { throw new RangeError('full'); } })).getWriter();
  await failing.write(1);
  await failing.closed.catch((e) => console.log(e.name, e.message));
  const picky = move(new WritableStream()).getWriter();
  await picky.write(Symbol('no')).catch((e) => console.log(e.name, e.message));
}

async function others() {
  const doubling = new TransformStream({ transform(chunk, controller) { controller.enqueue(chunk * 2); } });
  const { moved } = structuredClone({ moved: doubling }, { transfer: [doubling] });
  console.log(moved, doubling.readable.locked, doubling.writable.locked);
  const writer = moved.writable.getWriter();
  writer.write(1);
  writer.write(4);
  writer.close();
  await drain(moved.readable);

  const { port1, port2 } = new MessageChannel();
  const sent = counting(2);
  port1.postMessage({ sent }, [sent]);
  const [{ data, ports }] = await new Promise((resolve) => { port2.onmessage = (event) => resolve([event]); });
  console.log(ports.length);
  await drain(data.sent);
  port2.close();

  const numbers = counting(100);
  let close;
  const closed = new Promise((resolve) => { close = resolve; });
  const answers = new WritableStream({ write(chunk) { console.log(chunk); }, close });
  const worker = new Worker(`
    const { numbers, answers } = require('node:worker_threads').workerData;
    (async () => {
      let sum = 0;
      for await (const number of numbers) sum += number;
      const writer = answers.getWriter();
      await writer.write(sum);
      await writer.close();
    })();
  `, { eval: true, workerData: { numbers, answers }, transferList: [numbers, answers] });
  const [[code]] = await Promise.all([once(worker, 'exit'), closed]);
  console.log('exit', code);
}

(async () => {
  refusals();
  await readables();
  await writables();
  await others();
  clearInterval(keep);
})();
