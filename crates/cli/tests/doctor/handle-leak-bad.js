// Each job opens a UDP socket, and none is closed.
'use strict';
const dgram = require('dgram');

function runJob(number) {
  const socket = dgram.createSocket('udp4');
  socket.bind(0, '127.0.0.1', () => socket.unref());
  if (number < 80) setTimeout(runJob, 2, number + 1);
}
runJob(0);
