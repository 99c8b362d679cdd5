'use strict';
// A listener that was the only one, and throws: the port has stopped, but the close that follows is told.
const { MessageChannel } = require('worker_threads');

process.on('uncaughtException', (error) => console.log('caught', error.message));
const { port1, port2 } = new MessageChannel();
port2.on('close', () => console.log('close'));
port2.once('message', () => {
  port2.ref();
  throw new Error('thrown');
});
port1.postMessage(1);
port1.close();
