'use strict';
// A response in parts whose socket goes meanwhile, whose callbacks throw, or that is destroyed.
const EventEmitter = require('events');
const http = require('http');
const net = require('net');

const told = (log, name) => (error) => log.push(`${name} ${error?.code}`);

const ways = {
  'destroyed after a part'(request, response, log) {
    response.write('a');
    response.destroy();
    log.push(response.write('b', told(log, 'write')), response.destroyed, response.writableEnded);
    response.end('c', told(log, 'end'));
  },
  'destroyed in a tick'(request, response, log) {
    response.write('a');
    process.nextTick(() => {
      response.destroy();
      log.push('tick');
    });
  },
  'destroyed with an error'(request, response, log) {
    response.on('error', told(log, 'response error'));
    response.write('a', told(log, 'write'));
    response.destroy(Object.assign(new Error('x'), { code: 'MINE' }));
    process.nextTick(() => log.push('tick'));
  },
  'socket destroyed after a part'(request, response, log) {
    response.write('a');
    request.socket.destroy();
    log.push(response.write('b', told(log, 'write')));
    response.end('c', told(log, 'end'));
    log.push(response.finished, response.destroyed, response.writableFinished);
    setImmediate(() => log.push(response.finished, response.destroyed, response.closed));
  },
  'socket destroyed after the end'(request, response, log) {
    response.write('a');
    response.end('c', told(log, 'end'));
    request.socket.destroy();
    process.nextTick(() => log.push('tick'));
  },
  'socket destroyed later'(request, response, log) {
    response.write('a');
    setImmediate(() => {
      request.socket.destroy();
      log.push(response.write('b', told(log, 'write')));
      setImmediate(() => {
        log.push(response.destroyed, response.closed, response.finished);
        response.end('c', told(log, 'end'));
      });
    });
  },
  'callback of a part that throws'(request, response, log) {
    process.once('uncaughtException', (error) => log.push(`caught ${error.message}`));
    response.write('a', () => { throw new Error('write'); });
    response.write('b', () => log.push('write 2'));
    response.end('c', () => log.push('end'));
    process.nextTick(() => log.push('tick'));
    setTimeout(() => request.socket.destroy(), 5);
  },
  'callback of the end that throws'(request, response, log) {
    process.once('uncaughtException', (error) => log.push(`caught ${error.message}`));
    response.write('a');
    response.end('b', () => { throw new Error('end'); });
    process.nextTick(() => log.push('tick'));
    setTimeout(() => request.socket.destroy(), 5);
  },
  'tick that throws'(request, response, log) {
    process.once('uncaughtException', (error) => log.push(`caught ${error.message}`));
    process.nextTick(() => { throw new Error('tick'); });
    response.write('a');
    response.end('b', () => log.push('end'));
    process.nextTick(() => log.push('tick'));
  },
  'handler that throws after a part'(request, response, log) {
    process.once('uncaughtException', (error) => {
      log.push(`caught ${error.message}`);
      setImmediate(() => request.socket.destroy());
    });
    response.write('a');
    throw new Error('handler');
  },
  'rejects after a part': Object.assign(async (request, response) => {
    response.write('a');
    throw new Error('rejected');
  }, { captures: true }),
};

function serve(way, done) {
  const log = [];
  EventEmitter.captureRejections = Boolean(ways[way].captures);
  const server = http.createServer((request, response) => {
    response.on('finish', () => log.push('finish'));
    response.on('close', () => log.push('close'));
    request.on('close', () => log.push('request close'));
    request.on('aborted', () => log.push('request aborted'));
    request.on('error', (error) => log.push(`request ${error.code}`));
    return ways[way](request, response, log);
  });
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let text = '';
    client.on('data', (bytes) => {
      text += bytes;
      if (text.endsWith('0\r\n\r\n')) setImmediate(() => client.end());
    });
    client.on('error', (error) => log.push(`client ${error.code}`));
    client.on('close', () => server.close(() => {
      console.log(`${way}:`, log.join(' | '));
      console.log(JSON.stringify(text.split('\r\n\r\n').slice(1)));
      done();
    }));
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  });
}

const turns = Object.keys(ways);
(function next() {
  const turn = turns.shift();
  if (turn) serve(turn, next);
})();
