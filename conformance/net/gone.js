'use strict';
// A peer that goes without having read what it was sent, after it has sent something itself: that is read, and is followed by an end,
// not by the reset.
const net = require('net');

const leave = {
  'by destroy'(client) {
    client.write('last');
    client.destroy();
  },
  'by an error'(client) {
    client.end('last');
    client.end('more', ({ code }) => console.log(code));
  },
  'by a reset'(client) {
    client.write('last');
    client.resetAndDestroy();
  },
};

function next([name, ...rest]) {
  if (name === undefined) return;
  console.log('--', name);
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (chunk) => console.log('data', String(chunk)));
    socket.on('end', () => {
      console.log('end');
      socket.destroy();
    });
    socket.on('error', ({ code }) => console.log('error', code));
    socket.on('close', (hadError) => {
      console.log('close', hadError);
      server.close(() => next(rest));
    });
    socket.write('unread');
  });
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect({ port: server.address().port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('connect', () => leave[name](client));
    client.on('error', () => {});
  });
}
next(Object.keys(leave));
