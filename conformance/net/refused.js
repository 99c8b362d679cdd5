'use strict';
// How much a socket says to have written, when the other end is gone and nobody has read that.
const net = require('net');

const writes = {
  'bytes'(socket) {
    console.log(socket.write(Buffer.alloc(10)), socket.bytesWritten);
    console.log(socket.write(Buffer.alloc(7)), socket.bytesWritten);
  },
  'bytes, with a callback'(socket) {
    socket.write(Buffer.alloc(10), (error) => console.log('callback', error.code, socket.bytesWritten));
  },
  'text'(socket) { console.log(socket.write('hello'), socket.bytesWritten); },
  'text of Latin-1'(socket) { console.log(socket.write('hello', 'latin1'), socket.bytesWritten); },
  'long text'(socket) { console.log(socket.write('hello'.repeat(4000)), socket.bytesWritten); },
  'several'(socket) {
    socket.cork();
    socket.write('a');
    socket.write('bc');
    console.log(socket.bytesWritten);
    socket.uncork();
    console.log(socket.bytesWritten);
  },
  'many bytes'(socket) { console.log(socket.write(Buffer.alloc(1e6)), socket.bytesWritten); },
};

function next([name, ...rest]) {
  if (name === undefined) return;
  console.log('--', name);
  let client;
  const server = net.createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', ({ syscall }) => console.log('error', syscall, socket.bytesWritten));
    socket.on('close', (hadError) => {
      console.log('close', hadError, socket.bytesWritten, socket.bytesRead);
      server.close(() => next(rest));
    });
    setTimeout(() => {
      client.resetAndDestroy();
      setTimeout(() => {
        writes[name](socket);
        process.nextTick(() => console.log('tick', socket.bytesWritten));
      }, 20);
    }, 5);
  });
  server.listen(0, '127.0.0.1', () => {
    client = net.connect(server.address().port, '127.0.0.1');
    client.on('error', () => {});
  });
}
next(Object.keys(writes));
