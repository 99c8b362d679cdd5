'use strict';
// The pool that small buffers share cannot be moved away: everybody's buffers would go with it.
const { MessageChannel } = require('worker_threads');
const tried = (name, work) => {
  try {
    work();
    console.log(name, 'moved');
  } catch (error) {
    console.log(name, error.name, error.message);
  }
};
const part = Buffer.from('part of the pool');
tried('structuredClone', () => structuredClone(part, { transfer: [part.buffer] }));
const { port1 } = new MessageChannel();
tried('postMessage', () => port1.postMessage(part, [part.buffer]));
port1.close();
console.log(part.toString(), Buffer.from('is still there').toString());
const own = Buffer.allocUnsafeSlow(4);
tried('one of its own', () => structuredClone(own, { transfer: [own.buffer] }));
console.log(own.length);
