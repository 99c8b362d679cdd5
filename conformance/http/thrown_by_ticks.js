'use strict';
// Ticks that throw between a request's head and its body: the rest of them waits for the check phase.
const http = require('http');
const net = require('net');

const get = 'GET /0 HTTP/1.1\r\nHost: a\r\n\r\n';
const post = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello';
process.on('uncaughtException', (error) => console.log('uncaught', error.message));

function run(text, count) {
  return new Promise((resolve) => {
    const first = text.split(' ')[1];
    const server = http.createServer((request) => {
      console.log(request.url);
      for (const event of ['data', 'end', 'aborted', 'close']) request.on(event, () => console.log(request.url, event));
      request.on('error', (error) => console.log(request.url, error.code));
      if (request.url !== first) return;
      setImmediate(() => {
        console.log('immediate');
        setTimeout(() => server.closeAllConnections(), 10);
      });
      for (let at = 0; at < count; at++) process.nextTick(() => { throw new Error(`tick ${at}`); });
      process.nextTick(() => console.log('tick'));
    });
    server.listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1', () => client.write(text));
      client.resume();
      client.on('error', () => {});
      client.on('close', () => server.close(() => setTimeout(resolve, 5)));
    });
  });
}

(async () => {
  for (const text of [post, get + post]) {
    for (const count of [0, 1, 2, 3]) {
      console.log('---', count);
      await run(text, count);
    }
  }
})();
