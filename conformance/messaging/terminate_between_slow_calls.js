'use strict';
// A worker ends though its loop goes around something slow: the engine's own work, and jobs done here and now.
const { Worker } = require('worker_threads');
const loops = {
  stringify: 'const list = Array(1e5).fill({ b: 1 }); for (;;) JSON.stringify(list);',
  parse: 'const text = JSON.stringify(Array(1e5).fill({ b: 1 })); for (;;) JSON.parse(text);',
  fill: 'for (;;) new Array(1e6).fill(0);',
  split: 'for (;;) "ab".repeat(1e6).split("");',
  bigint: 'for (;;) (2n ** 200000n) % 7919n;',
  pbkdf2: 'for (;;) require("crypto").pbkdf2Sync("a", "b", 1000, 32, "sha512");',
  scrypt: 'for (;;) require("crypto").scryptSync("a", "b", 32, { N: 1024 });',
};
(async () => {
  for (const name in loops) {
    const worker = new Worker(`require('worker_threads').parentPort.postMessage(1);${loops[name]}`, { eval: true });
    worker.on('error', (error) => console.log(name, error.message));
    worker.on('message', () => worker.terminate());
    const code = await new Promise((resolve) => worker.on('exit', resolve));
    console.log(name, code);
  }
})();
