'use strict';
// A response that is written in parts: who hears of what, in which order, whether or not others listen.
const http = require('http');
const net = require('net');

const tick = (log, name) => process.nextTick(() => log.push(name));

const ways = {
  'write, end'(request, response, log) {
    log.push(response.write('a'));
    log.push(response.end('b') === response);
  },
  'write, empty end'(request, response) {
    response.write('a');
    response.end();
  },
  'ticks between'(request, response, log) {
    tick(log, 'tick 1');
    response.write('a');
    tick(log, 'tick 2');
    response.end('b');
    tick(log, 'tick 3');
    Promise.resolve().then(() => log.push('job'));
  },
  'callbacks'(request, response, log) {
    response.write('a', () => log.push('write 1'));
    response.write('b');
    tick(log, 'tick 1');
    response.write('c', 'latin1', () => log.push('write 2'));
    response.end('d', () => log.push('end'));
    tick(log, 'tick 2');
  },
  'callback after parts'(request, response, log) {
    response.write('a');
    response.write('b');
    tick(log, 'tick 1');
    response.end(() => log.push('end'));
    tick(log, 'tick 2');
  },
  'callback of the second'(request, response, log) {
    response.write('a');
    tick(log, 'tick 1');
    response.write('b', () => log.push('write'));
    tick(log, 'tick 2');
    setImmediate(() => response.end('c'));
  },
  'later'(request, response, log) {
    response.write('a');
    tick(log, 'tick');
    setImmediate(() => {
      response.write('b');
      tick(log, 'tick of immediate');
      setImmediate(() => response.end('c', () => log.push('end')));
    });
  },
  'in ticks'(request, response, log) {
    process.nextTick(() => {
      response.write('a');
      tick(log, 'tick 1');
      process.nextTick(() => {
        log.push('tick 2');
        response.write('b');
        process.nextTick(() => {
          log.push('tick 3');
          response.end('c');
          tick(log, 'tick 4');
        });
      });
    });
  },
  async 'in jobs'(request, response, log) {
    await null;
    response.write('a');
    tick(log, 'tick 1');
    await null;
    response.write('b');
    await null;
    response.end('c');
    tick(log, 'tick 2');
    log.push('job');
  },
  'head first'(request, response, log) {
    response.writeHead(201, { 'X-A': 'b' });
    tick(log, 'tick 1');
    response.write('a');
    response.end();
    tick(log, 'tick 2');
  },
  'head with length'(request, response, log) {
    response.writeHead(200, { 'Content-Length': 2 });
    response.write('a');
    tick(log, 'tick 1');
    response.end('b');
    tick(log, 'tick 2');
  },
  'all by length, then end'(request, response, log) {
    response.setHeader('Content-Length', 1);
    response.write('a');
    setImmediate(() => {
      response.end();
      tick(log, 'tick');
    });
  },
  'set, write, write, end'(request, response) {
    response.setHeader('X-A', 'b');
    response.statusCode = 203;
    response.write('a');
    response.write('b');
    response.end('c');
  },
  'listens to the request'(request, response, log) {
    response.write('a');
    process.nextTick(() => request.on('end', () => log.push('heard end')).resume());
    response.end('b');
  },
  'listens at finish'(request, response, log) {
    response.on('finish', () => request.on('close', () => log.push('heard close')));
    response.write('a');
    response.end('b');
  },
  'listens in a tick'(request, response, log) {
    response.write('a');
    response.end('b');
    process.nextTick(() => {
      response.on('finish', () => log.push('heard finish'));
      response.on('close', () => log.push('heard closed'));
    });
  },
  'corked'(request, response, log) {
    response.cork();
    response.write('a', () => log.push('write 1'));
    response.write('b', () => log.push('write 2'));
    tick(log, 'tick 1');
    response.uncork();
    response.write('c');
    response.end('d');
    tick(log, 'tick 2');
  },
  'corked between'(request, response, log) {
    response.write('a');
    response.cork();
    response.write('b', () => log.push('write 1'));
    tick(log, 'tick 1');
    setImmediate(() => {
      response.uncork();
      tick(log, 'tick 2');
      response.end('c');
    });
  },
  'head flushed'(request, response, log) {
    response.flushHeaders();
    tick(log, 'tick 1');
    response.write('a');
    response.end('b');
    tick(log, 'tick 2');
  },
  'ends the socket between'(request, response, log) {
    response.write('a');
    process.nextTick(() => {
      log.push('tick');
      request.socket.end(() => log.push('socket is over'));
      tick(log, 'tick 2');
    });
  },
};

const ears = {
  none: () => {},
  response(request, response, log) {
    for (const name of ['prefinish', 'finish', 'close', 'drain', 'error']) response.on(name, () => log.push(`response ${name}`));
  },
  close(request, response, log) { response.on('close', () => log.push('response close')); },
  request(request, response, log) {
    for (const name of ['end', 'close', 'aborted', 'error', 'resume']) request.on(name, () => log.push(`request ${name}`));
  },
  socket(request, response, log) {
    for (const name of ['drain', 'finish']) request.socket.on(name, () => log.push(`socket ${name}`));
  },
};

function serve(way, ear, done) {
  const log = [];
  const server = http.createServer((request, response) => {
    ears[ear](request, response, log);
    ways[way](request, response, log);
    const { headersSent, finished, writableEnded, writableFinished, _headerSent, chunkedEncoding, statusMessage } = response;
    log.push([headersSent, finished, writableEnded, writableFinished, _headerSent, chunkedEncoding, statusMessage].join());
  });
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let text = '';
    client.on('data', (bytes) => {
      text += bytes;
      if (text.endsWith('0\r\n\r\n') || /Content-Length: (.)/.exec(text)?.[1] === `${text.split('\r\n\r\n')[1]?.length}`) {
        setImmediate(() => client.end());
      }
    });
    client.on('close', () => server.close(() => {
      console.log(`${way} (${ear}):`, log.join(' | '));
      if (ear === 'none') console.log(JSON.stringify(text.replace(/Date: .*?\r\n/, '')));
      done();
    }));
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  });
}

const turns = Object.keys(ways).flatMap((way) => Object.keys(ears).map((ear) => [way, ear]));
(function next() {
  const turn = turns.shift();
  if (turn) serve(...turn, next);
})();
