// Worker threads: each has a loop of its own.
'use strict';
const { Worker, isMainThread, parentPort, workerData, MessageChannel, threadId } = require('worker_threads');
const { once } = require('events');
const fs = require('fs');

if (isMainThread) main();
else work();

function work() {
  if (workerData.kind === 'throw') setTimeout(() => { throw new TypeError('thrown'); }, 5);
  else if (workerData.kind === 'spin') for (;;);
  else if (workerData.kind === 'exit') setTimeout(() => process.exit(9), 5);
  else {
    const { shared, rounds } = workerData;
    let round = 0;
    (function step() {
      Atomics.add(new Int32Array(shared), 0, 1);
      fs.stat('.', () => (++round < rounds ? setImmediate(step) : setTimeout(() => parentPort.postMessage(threadId > 0), 1)));
    })();
    parentPort.once('message', ({ port }) => port.on('message', (text) => {
      port.postMessage(text.toUpperCase());
      port.close();
    }));
  }
}

async function main() {
  const shared = new SharedArrayBuffer(4);
  const workers = Array.from({ length: 6 }, () => new Worker(__filename, { workerData: { shared, rounds: 200 } }));
  const exits = workers.map((worker) => once(worker, 'exit'));
  const finished = workers.map((worker) => once(worker, 'message'));
  const answers = workers.map(async (worker, index) => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ port: port2 }, [port2]);
    port1.postMessage(`port ${index}`);
    const [answer] = await once(port1, 'message');
    return answer;
  });
  console.log(await Promise.all(answers));
  console.log(await Promise.all(finished), new Int32Array(shared)[0]);
  console.log(await Promise.all(exits));

  const failing = new Worker(__filename, { workerData: { kind: 'throw' } });
  const failed = once(failing, 'exit').catch(() => {});
  const [error] = await once(failing, 'error');
  await failed;
  console.log(error.name, error.message);

  const exiting = new Worker(__filename, { workerData: { kind: 'exit' } });
  console.log(await once(exiting, 'exit'));

  const spinning = new Worker(__filename, { workerData: { kind: 'spin' } });
  await once(spinning, 'online');
  console.log(await spinning.terminate());
  console.log('done');
}
