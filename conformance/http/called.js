'use strict';
// What `end` is given to be called is a listener of 'finish' after the server's, also where nothing else listens.
const http = require('http');

const look = (when, response) => {
  const { closed, destroyed, writableFinished } = response;
  console.log(when, { closed, destroyed, writableFinished, hasSocket: response.socket !== null });
};

const cases = {
  'alone'(request, response) {
    response.end('a', function(...args) {
      console.log(this === response, args.length);
      look('called', response);
      process.nextTick(look, 'tick', response);
      queueMicrotask(() => look('microtask', response));
    });
    look('now', response);
  },
  'among the listeners'(request, response) {
    response.end('a', () => console.log('called', response.listenerCount('finish')));
    console.log(response.listenerCount('finish'), response.eventNames());
    response.on('finish', () => console.log('finish'));
  },
  'without a body'(request, response) { response.end(() => look('called', response)); },
  'no callback'(request, response) {
    response.end('a', 'utf8', null);
    response.on('finish', () => look('finish', response));
  },
  'who listens to close by it'(request, response) {
    response.end('a', () => {
      response.on('close', () => look('close', response));
      process.nextTick(look, 'tick', response);
    });
  },
  'who listens to finish by it'(request, response) {
    response.end('a', () => response.on('finish', () => console.log('never')));
  },
  'ticks that wait'(request, response) {
    process.nextTick(() => process.nextTick(look, 'second', response));
    response.end('a', () => look('called', response));
    process.nextTick(look, 'first', response);
  },
  'a throw'(request, response) {
    response.end('a', () => { throw new Error('thrown'); });
    setImmediate(look, 'immediate', response);
  },
  'several ends'(request, response) {
    response.end('a', () => console.log('first'));
    response.end(() => console.log('second'));
    response.end('b', ({ code }) => console.log('third', code));
  },
  'an end by it'(request, response) {
    response.end('a', () => response.end(({ code }) => console.log(code)));
  },
  'a response that is destroyed'(request, response) {
    response.end('a', () => look('called', response));
    response.destroy();
  },
  'a request that is heard'(request, response) {
    request.on('end', () => console.log('end'));
    request.on('close', () => console.log('close'));
    response.end('a', () => console.log('called', request.destroyed, request.complete));
    request.resume();
  },
  'a promise'(request, response) { response.end('a', async () => look('called', response)); },
  'parts'(request, response) {
    response.write('a');
    response.end('b', () => look('called', response));
  },
  'a head'(request, response) { response.writeHead(200, { a: 'b' }).end('c', () => look('called', response)); },
};

process.on('uncaughtException', ({ message }) => console.log('uncaught', message));

// Twice by one connection: the second response finds a timer there.
function next([name, ...rest]) {
  if (name === undefined) return;
  console.log('--', name);
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer(cases[name]).listen(0, '127.0.0.1', () => {
    const get = (then) => {
      const request = http.get({ port: server.address().port, host: '127.0.0.1', agent }, (response) => response.resume());
      request.on('error', () => {});
      request.on('close', () => setTimeout(then, 5));
    };
    get(() => get(() => {
      agent.destroy();
      server.close(() => next(rest));
    }));
  });
}
next(Object.keys(cases));
