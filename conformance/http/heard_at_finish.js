'use strict';
// Who is called back when a response is over hears of the end of its request, in the contexts in which Node tells it.
const http = require('http');
const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
const names = ['readable', 'resume', 'end', 'close'];

const ways = {
  callback: (response, called) => response.end('x', called),
  finish(response, called) {
    response.on('finish', called);
    response.end('x');
  },
  close(response, called) {
    response.on('close', called);
    response.end('x');
  },
  later(response, called) { setImmediate(() => response.end('x', called)); },
};

function serve(way, name, done) {
  const log = [];
  const server = http.createServer((request, response) => storage.run('stored', () => {
    ways[way](response, () => {
      log.push(`${request.complete} ${request.readableEnded} ${request.destroyed}`);
      request.on(name, () => log.push(`${name} ${storage.getStore()}`));
    });
  }));
  server.listen(0, '127.0.0.1', () => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('close', () => server.close(() => {
        console.log(way, name, log.join(', '));
        done();
      }));
    });
  });
}

const turns = Object.keys(ways).flatMap((way) => names.map((name) => [way, name]));
(function next() {
  const turn = turns.shift();
  if (turn) serve(...turn, next);
})();
