// Threads that are told to end while they begin: an exit, and no error.
const { Worker, MessageChannel } = require('worker_threads');
let exits = 0;
for (let i = 0; i < 12; i++) {
  const worker = new Worker("require('worker_threads').parentPort.on('message', () => {})", { eval: true });
  worker.on('error', (error) => console.log('error', error.message));
  worker.on('exit', () => { if (++exits === 12) console.log('all over'); });
  const end = () => {
    const port = new MessageChannel().port1;
    worker.postMessage({ port }, [port]);
    worker.terminate();
  };
  if (i % 3 === 0) end();
  else setTimeout(end, i % 3 === 1 ? 0 : i);
}
