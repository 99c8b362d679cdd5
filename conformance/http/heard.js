'use strict';
// Who replaces `emit`, ends twice, or ends with a peer that is gone hears of it, though the answer be a plain one.
const http = require('http');
const net = require('net');

const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const hearing = (name, message) => {
  const { emit } = message;
  message.emit = function(event, ...args) {
    console.log(name, event);
    return emit.call(this, event, ...args);
  };
};

const cases = {
  'an emit of the response'(request, response) {
    hearing('response', response);
    response.end('a');
  },
  'an emit of the request'(request, response) {
    hearing('request', request);
    response.end('a');
  },
  'ended twice'(request, response) {
    process.once('uncaughtException', (error) => console.log(error.code));
    response.end('a');
    response.end('b');
  },
  'written after the end'(request, response) {
    process.once('uncaughtException', (error) => console.log(error.code));
    response.end('a');
    console.log(response.write('b'));
  },
  'names of events'(request, response) {
    console.log(request.eventNames(), request.listenerCount('close'));
    request.on('close', () => console.log('closed'));
    console.log(request.eventNames());
    response.end('a');
  },
  'a peer that is gone'(request, response, client) {
    client.resetAndDestroy();
    const until = Date.now() + 50;
    while (Date.now() < until);
    response.on('close', () => console.log('close'));
    response.end('a', () => console.log('ended', response.destroyed));
  },
};

function next([name, ...rest]) {
  if (name === undefined) return longest();
  console.log('--', name);
  let client;
  const server = http.createServer((request, response) => {
    cases[name](request, response, client);
    setTimeout(() => {
      client.destroy();
      server.close(() => next(rest));
    }, 20);
  });
  server.listen(0, '127.0.0.1', () => {
    client = net.connect(server.address().port, '127.0.0.1');
    client.on('error', () => {});
    client.resume().write(ask);
  });
}
next(Object.keys(cases));

// A time between two requests that is too long for a timer is as long as one can be.
function longest() {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => console.log(name, message));
  const server = http.createServer({ keepAliveTimeout: 2 ** 31 }, (request, response) => response.end('a'));
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let isClosed = false;
    client.on('close', () => { isClosed = true; });
    client.resume().write(ask);
    setTimeout(() => {
      console.log('closed', isClosed);
      client.destroy();
      server.close();
    }, 50);
  });
}
