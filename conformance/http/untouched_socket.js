'use strict';
// The socket of a request is the same whether or not somebody looked at it before: its listeners, its two sides, its events.
const http = require('http');
const net = require('net');
const util = require('util');

const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

function look(socket) {
  const { readableFlowing, readable, writable, destroyed, connecting, pending, readyState, allowHalfOpen } = socket;
  console.log({ readableFlowing, readable, writable, destroyed, connecting, pending, readyState, allowHalfOpen });
  console.log(socket instanceof net.Socket, socket.constructor === net.Socket, Object.prototype.toString.call(socket));
  console.log(socket.eventNames(), socket.listenerCount('end'), socket.listenerCount('data'), socket._eventsCount);
  console.log(socket.writableLength, socket.writableHighWaterMark, socket.readableHighWaterMark, socket.getMaxListeners());
  const { _readableState: reading, _writableState: writing } = socket;
  console.log(Object.keys(reading).join(), Object.keys(writing).join());
  console.log(reading[Object.getOwnPropertySymbols(reading)[0]], writing[Object.getOwnPropertySymbols(writing)[0]]);
  console.log(socket.server === socket._server, socket.parser !== null, socket._httpMessage?.constructor.name);
  const shown = util.inspect(socket, { depth: 0 }).split('\n').filter((line) => /^  _(events|readable|writable)/.test(line));
  console.log(shown.map((line) => line.replace(',', '')).sort());
}

function run(name, listen, done) {
  console.log(`-- ${name}`);
  const events = [];
  const server = http.createServer((request, response) => {
    const { socket } = request;
    if (request.url === '/') look(socket);
    for (const event of ['close', 'end', 'drain', 'finish', 'timeout', 'error', 'resume', 'pause']) {
      socket.on(event, () => events.push(event));
    }
    socket.on('newListener', (event) => events.push(`new ${event}`));
    socket.once('close', () => {
      console.log(events.join());
      console.log(socket.destroyed, socket.listenerCount('close'), socket.bytesRead, socket.bytesWritten > 0);
      server.close(done);
    });
    response.end('x');
  });
  listen(server);
  server.listen(0, () => {
    const client = net.connect(server.address().port);
    client.once('data', () => client.end());
    client.write(ask);
  });
}

const steps = [
  ['alone', () => {}],
  ['with a listener', (server) => server.on('connection', (socket) => socket.on('custom', () => {}))],
  ['with one before', (server) => server.prependListener('connection', () => {})],
  ['half open', (server) => { server.httpAllowHalfOpen = true; }],
];
(function next() {
  const step = steps.shift();
  if (step) run(...step, next);
})();
