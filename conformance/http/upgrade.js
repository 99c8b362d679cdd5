'use strict';
// Upgrade and CONNECT at both ends.
const http = require('http');
const net = require('net');

const server = http.createServer((request, response) => {
  console.log('request', request.method, request.url, request.upgrade, request.headers.upgrade);
  response.end('plain');
});
const serve = (event) => (request, socket, head) => {
  console.log(event, request.method, request.url, request.upgrade, JSON.stringify(String(head)));
  console.log('listeners', socket.listenerCount('data'), socket.listenerCount('end'), socket.parser === null);
  if (event === 'connect') socket.write('HTTP/1.1 200 OK\r\n\r\nfirst,');
  else socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nfirst,');
  socket.on('data', (bytes) => socket.end(`echo ${bytes}`));
};

function ask(options, done) {
  const request = http.request({ host: '127.0.0.1', port: server.address().port, agent: false, ...options });
  for (const event of ['upgrade', 'connect']) {
    request.on(event, (response, socket, head) => {
      console.log('client', event, response.statusCode, response.headers.upgrade, response.upgrade);
      let text = String(head);
      socket.on('data', (bytes) => { text += bytes; });
      socket.on('end', () => console.log('client got', text));
      socket.on('close', done);
      socket.write('hi');
    });
  }
  request.on('response', (response) => {
    console.log('client response', response.statusCode);
    response.resume();
    response.on('end', done);
  });
  request.on('error', (error) => {
    console.log('client error', error.code, error.message);
    done();
  });
  request.on('close', () => console.log('client close', request.destroyed));
  request.end();
}
const wants = { Connection: 'Upgrade', Upgrade: 'x' };
server.listen(0, '127.0.0.1', () => {
  ask({ headers: wants }, () => {
    ask({ method: 'CONNECT', path: 'a:1' }, () => {
      server.on('upgrade', serve('upgrade'));
      server.on('connect', serve('connect'));
      ask({ headers: wants }, () => {
        ask({ method: 'CONNECT', path: 'a:1' }, () => {
          const socket = net.connect(server.address().port, '127.0.0.1');
          socket.write('POST /u HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\nhead');
          socket.on('data', () => {});
          socket.on('close', () => server.close(() => console.log('closed')));
          server.on('upgrade', () => socket.write('more'));
        });
      });
    });
  });
});
