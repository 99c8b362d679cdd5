// The answer has come, but the listener keeps its port open, and so the process does not end.
'use strict';
const { MessageChannel } = require('worker_threads');

const { port1, port2 } = new MessageChannel();
port1.on('message', (answer) => console.log(answer));
port2.postMessage('the answer');
