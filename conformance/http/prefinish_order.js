'use strict';
// What follows from the end of a response is on the way before 'prefinish' is told.
const http = require('http');
const net = require('net');

const forms = {
  '/whole': (res, done) => res.end('x', done),
  '/headed': (res, done) => res.writeHead(200).end('x', done),
  '/parts': (res, done) => { res.write('a'); res.end('x', done); },
  '/nothing': (res, done) => res.end(done),
  '/seen': (res, done) => { res.write('a'); void res.socket._writableState; res.end('x', done); },
  '/large': (res, done) => res.end('x'.repeat(100000), done),
};

const server = http.createServer((req, res) => {
  res.on('prefinish', () => {
    console.log(req.url, 'prefinish', res.writableEnded);
    process.nextTick(() => console.log(req.url, 'tick'));
    queueMicrotask(() => console.log(req.url, 'microtask'));
  });
  forms[req.url](res, () => {
    console.log(req.url, 'callback');
    queueMicrotask(() => console.log(req.url, 'microtask of callback'));
  });
  res.on('close', () => console.log(req.url, 'close'));
});

async function main() {
  for (const path of Object.keys(forms)) {
    await new Promise((resolve) => {
      const client = net.connect(server.address().port, '127.0.0.1');
      client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      client.resume().on('close', resolve);
    });
  }
  server.close();
}
server.listen(0, '127.0.0.1', main);
