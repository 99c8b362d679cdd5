// What moves with a message, large and small; and what becomes of it if the message never arrives.
'use strict';
const fs = require('fs');
const { createHistogram } = require('perf_hooks');
const { MessageChannel, receiveMessageOnPort } = require('worker_threads');

const descriptors = () => fs.readdirSync('/proc/self/fd').length;

(async () => {
  const before = descriptors();
  for (let at = 0; at < 10; at++) {
    const { port1, port2 } = new MessageChannel();
    const handle = await fs.promises.open(__filename);
    port1.postMessage(handle, [handle]);
    if (at === 0) {
      const { message } = receiveMessageOnPort(port2);
      console.log('arrived', (await message.stat()).size > 0);
      await message.close();
    }
    const closed = new Promise((resolve) => port2.on('close', resolve));
    port1.close();
    // Nothing is received from it, started or not.
    port2.close();
    await closed;
  }
  console.log('left open', descriptors() - before);

  const histogram = createHistogram();
  histogram.record(5);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(histogram);
  console.log('histogram', receiveMessageOnPort(port2).message.max);
  try {
    port1.postMessage([histogram, () => {}]);
  } catch (error) {
    console.log(error.name, histogram.max);
  }
  port1.close();

  for (const size of [10, 16 << 10, 1 << 20]) {
    const bytes = new Uint8Array(size);
    bytes[size - 1] = 3;
    const there = structuredClone(bytes, { transfer: [bytes.buffer] });
    const back = structuredClone({ there }, { transfer: [there.buffer] }).there;
    console.log(size, bytes.length, there.length, back.length, back[size - 1], back[0]);
    const refused = structuredClone.bind(null, [back, () => {}], { transfer: [back.buffer] });
    try {
      refused();
    } catch (error) {
      console.log(error.name, back.length, back[size - 1]);
    }
  }

  const growing = new ArrayBuffer(100_000, { maxByteLength: 300_000 });
  const moved = structuredClone(growing, { transfer: [growing] });
  moved.resize(200_000);
  console.log(moved.byteLength, moved.maxByteLength, moved.resizable, growing.detached, new Uint8Array(moved)[199_999]);
  moved.resize(5);
  console.log(structuredClone(moved, { transfer: [moved] }).byteLength, moved.detached);
  const none = structuredClone(new ArrayBuffer(0, { maxByteLength: 0 }));
  console.log(none.resizable, none.maxByteLength);

  console.log(structuredClone([1, , 3]), structuredClone(Object.assign([1, 2], { x: 1 })), structuredClone(new Array(4)));
  console.log(structuredClone({ '\ud800': '\udfff', 5: 1, é: 'ü', '': '' }), structuredClone(JSON.parse('{"__proto__":{"a":1}}')));
})();
