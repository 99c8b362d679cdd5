// The port is closed after the answer.
'use strict';
const { MessageChannel } = require('worker_threads');

const { port1, port2 } = new MessageChannel();
port1.once('message', (answer) => {
  console.log(answer);
  port1.close();
});
port2.postMessage('the answer');
