'use strict';
// Another protocol that is asked for in one packet with a request, whose handler destroys the socket, is told of all the same.
const http = require('http');
const net = require('net');

const get = 'GET /0 HTTP/1.1\r\nHost: a\r\n\r\n';
const post = 'POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello';
const upgrade = 'GET /1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n';
const connect = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

function run(text, isHeard, destroy) {
  return new Promise((resolve) => {
    const server = http.createServer((request, response) => {
      response.on('close', () => console.log('response closes'));
      request.on('close', () => console.log('request closes'));
      response.end(() => console.log('ended'));
      destroy(request);
    });
    server.on('clientError', (error) => console.log('clientError', error.message));
    if (isHeard) {
      for (const event of ['upgrade', 'connect']) {
        server.on(event, (request, socket, rest) => {
          console.log(event, request.url, socket.destroyed, rest.length);
          socket.on('close', () => console.log('socket closes'));
        });
      }
    }
    server.listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1', () => client.write(text));
      client.resume();
      client.on('error', () => {});
      client.on('close', () => server.close(() => setImmediate(resolve)));
    });
  });
}

(async () => {
  for (const first of [get, post]) {
    for (const second of [upgrade, connect]) {
      for (const isHeard of [true, false]) {
        if (second === upgrade && !isHeard) continue;
        console.log(`--- ${first.slice(0, 4)} ${second.slice(0, 7)} ${isHeard}`);
        await run(first + second, isHeard, (request) => request.destroy());
        console.log('by a tick');
        await run(first + second, isHeard, (request) => process.nextTick(() => request.socket.destroy()));
      }
    }
  }
  console.log('--- with an error');
  await run(post + upgrade, true, (request) => request.socket.destroy(new Error('gone')));
})();
