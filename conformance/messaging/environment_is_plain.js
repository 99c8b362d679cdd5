'use strict';
// The environment can be sent as any object; other objects of Node's and proxies cannot.
const { MessageChannel, Worker, receiveMessageOnPort } = require('worker_threads');
process.env.SENT = 'as it is';
const copy = structuredClone({ env: process.env });
console.log(copy.env.SENT, copy.env !== process.env, Object.keys(copy.env).length === Object.keys(process.env).length);
copy.env.SENT = 'changed';
console.log(process.env.SENT);
const { port1, port2 } = new MessageChannel();
port1.postMessage(process.env);
console.log(receiveMessageOnPort(port2).message.SENT);
port1.close();
for (const value of [new Proxy({}, {}), new Headers({ a: 'b' }), new URL('http://a')]) {
  try {
    console.log(structuredClone(value));
  } catch (error) {
    console.log(error.name, error.message);
  }
}
new Worker("console.log(require('worker_threads').workerData.SENT)", { eval: true, workerData: process.env });
