'use strict';
// Starts workers, one after the other, that exit with much memory in use. Prints by how many megabytes the process has
// grown.
const { Worker } = require('worker_threads');

const megabytes = () => process.memoryUsage.rss() / 2 ** 20;
const one = (code) => new Promise((resolve) => new Worker(code, { eval: true }).on('exit', resolve));

(async () => {
  const code = "require('http'); globalThis.list = new Array(5e5).fill(1); globalThis.bytes = Buffer.alloc(4e6, 1);";
  for (let at = 0; at < 3; at++) await one(code);
  const before = megabytes();
  for (let at = 0; at < 10; at++) await one(code);
  console.log(Math.round(megabytes() - before));
})();
