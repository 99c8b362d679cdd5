'use strict';
// A request that nobody reads ends some ticks after its answer has gone out, and whoever listens by then is told.
const http = require('http');
const net = require('net');
const { AsyncLocalStorage } = require('async_hooks');

const requests = {
  get: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  last: 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  old: 'GET / HTTP/1.0\r\n\r\n',
  post: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody',
};
const storage = new AsyncLocalStorage();

// When somebody looks, and what the end is called with or waits for.
const moments = {
  tick: (look) => process.nextTick(look),
  'two ticks': (look) => process.nextTick(() => process.nextTick(look)),
  'three ticks': (look) => process.nextTick(() => process.nextTick(() => process.nextTick(look))),
  microtask: (look) => queueMicrotask(look),
  'microtask and tick': (look) => queueMicrotask(() => process.nextTick(look)),
  immediate: (look) => setImmediate(look),
  finish: (look, response) => response.on('finish', look),
  close: (look, response) => response.on('close', look),
};
const ends = {
  plain: (response) => response.end('x'),
  called: (response, log) => response.end('x', () => log.push('called')),
  parts(response) {
    response.write('x');
    response.end('y');
  },
  async awaited(response) {
    await null;
    response.end('x');
  },
  async sooner(response) {
    response.end('x');
    await null;
  },
  stored: (response) => storage.run('stored', () => response.end('x')),
};

function look(request, response, log) {
  const { closed, complete, destroyed, readableEnded } = request;
  log.push(Number(complete), Number(readableEnded), Number(destroyed), Number(closed), Number(response.closed));
  for (const name of ['end', 'close']) request.on(name, () => log.push(name));
}

function serve(moment, end, text, done) {
  const log = [];
  const server = http.createServer((request, response) => {
    const later = () => moments[moment](() => look(request, response, log), response);
    if (end === 'parts') later();
    ends[end](response, log);
    if (end !== 'parts') later();
  });
  server.listen(0, '127.0.0.1', () => {
    const socket = net.connect(server.address().port, '127.0.0.1', () => socket.write(requests[text]));
    // When it has the answer, the ticks of the server are over.
    socket.once('data', () => setImmediate(() => setImmediate(() => setImmediate(() => socket.destroy()))));
    socket.on('close', () => server.close(() => {
      console.log(moment, end, text, log.join(' '));
      done();
    }));
  });
}

const turns = Object.keys(moments).flatMap((moment) =>
  Object.keys(ends).flatMap((end) => Object.keys(requests).map((text) => [moment, end, text])));
(function next() {
  const turn = turns.shift();
  if (turn) serve(...turn, next);
})();
