'use strict';
// What an answer is once it was sent by one call, to who looks at it then and in the ticks after.
const http = require('http');

process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => console.log(name, message));

const firstLine = (response) => response._header.split('\r\n')[0];
function look(response, when) {
  const { closed, destroyed, finished, headersSent, writableFinished, socket } = response;
  console.log(when, { closed, destroyed, finished, headersSent, writableFinished, socket: socket !== null });
}

const cases = {
  'its request is gone'(request, response) {
    response.req = null;
    response.end('a');
  },
  'its status'(request, response) {
    response.statusCode = 404;
    response.end('a');
    console.log(response.statusMessage, response._contentLength, response._header.replace(/Date: .*/, 'Date').split('\r\n'));
    response.statusCode = 500;
    console.log(response.statusMessage, firstLine(response));
    response.statusMessage = 'mine';
    console.log(response.statusMessage, firstLine(response));
  },
  'a status without words'(request, response) {
    response.statusCode = 299;
    response.end('a');
    console.log(response.statusMessage, firstLine(response));
  },
  'words of its own'(request, response) {
    response.statusMessage = 'first';
    response.end('a');
    response.statusMessage = 'second';
    console.log(response.statusMessage, firstLine(response));
  },
  'no words of its own'(request, response) {
    response.statusMessage = '';
    response.end('a');
    console.log(response.statusMessage, firstLine(response));
  },
  'other words for all'(request, response) {
    http.STATUS_CODES[200] = 'Fine';
    response.end('a');
    console.log(response.statusMessage, firstLine(response));
    http.STATUS_CODES[200] = 'OK';
  },
  'its listeners'(request, response) {
    console.log(response.eventNames(), response.listenerCount('finish'), response.listeners('finish').length);
    response.on('finish', () => console.log('finish', response.socket === null));
    response.prependListener('finish', () => console.log('before the server', response.socket === null));
    console.log(response.eventNames(), response.listenerCount('finish'));
    response.on('close', () => console.log('close', response.listenerCount('finish'), response.destroyed));
    response.end('a');
  },
  'by ticks'(request, response) {
    response.end('a');
    let count = 0;
    const tick = () => {
      look(response, `tick ${count}`);
      console.log(request.complete, request.destroyed, request.readableEnded);
      if (++count < 4) process.nextTick(tick);
    };
    tick();
  },
  'by ticks from before'(request, response) {
    process.nextTick(() => {
      look(response, 'tick 1');
      process.nextTick(() => process.nextTick(() => look(response, 'tick 3')));
    });
    process.nextTick(() => process.nextTick(() => look(response, 'tick 2')));
    response.end('a');
  },
  'by microtasks'(request, response) {
    response.end('a');
    look(response, 'now');
    queueMicrotask(() => look(response, 'microtask'));
  },
  'by an immediate'(request, response) {
    response.end('a');
    setImmediate(() => look(response, 'immediate'));
  },
};

// Asks twice by one connection: the second answer finds a timer there.
function askTwice(server, then) {
  const agent = new http.Agent({ keepAlive: true });
  const get = (next) => http.get({ port: server.address().port, host: '127.0.0.1', agent }, (response) => {
    console.log(response.statusCode, response.statusMessage, response.headers['keep-alive']);
    response.resume().on('end', () => setTimeout(next, 5));
  });
  get(() => get(() => {
    agent.destroy();
    server.close(then);
  }));
}

function next([name, ...rest]) {
  if (name === undefined) return nextTime([-1, 0, 999, 1500, 2 ** 31, 1e15, 1e25, Infinity, NaN, '5']);
  console.log('--', name);
  const server = http.createServer(cases[name]).listen(0, '127.0.0.1', () => askTwice(server, () => next(rest)));
}
next(Object.keys(cases));

function nextTime([time, ...rest]) {
  if (time === undefined) return;
  console.log('-- keepAliveTimeout', time);
  const server = http.createServer((request, response) => response.end('a')).listen(0, '127.0.0.1', () => {
    server.keepAliveTimeout = time;
    askTwice(server, () => nextTime(rest));
  });
}
