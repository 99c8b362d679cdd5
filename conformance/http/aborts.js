'use strict';
// What is heard when one end gives up.
const http = require('http');

// Which end hears first is up to the kernel: what each hears is told apart.
let heard = {};
const watch = (emitter, name, events) => {
  for (const event of events) {
    emitter.on(event, (error) => {
      (heard[name.split(' ')[0]] ??= []).push([name, event, ...(error?.code ? [error.code, error.message] : [])].join(' '));
    });
  }
};

const scenes = {
  'client destroys before the response': { served(request) { request.destroy(); } },
  'client destroys with an error': { served(request) { request.destroy(new Error('mine')); } },
  'client aborts': { served(request) { request.abort(); } },
  'client destroys at once': { client(request) { request.destroy(); } },
  'signal': { options: () => ({ signal: AbortSignal.timeout(200) }) },
  'client destroys the response': {
    server(request, response) { response.write('part'); },
    response(response) { response.once('data', () => response.destroy()); },
  },
  'server destroys before the response': { server(request) { request.socket.destroy(); } },
  'server destroys its response': {
    server(request, response) {
      response.write('part');
      setTimeout(() => response.destroy(), 20);
    },
  },
  'server destroys the request': { server(request) { request.destroy(); } },
  'client times out': {
    options: () => ({ timeout: 200 }),
    client(request) { request.on('timeout', () => request.destroy()); },
  },
  'nobody listens': { options: () => ({ port: 1 }) },
};

function play(name, { server: handler, client, served, response: onResponse, options }, done) {
  console.log(name);
  heard = { client: [], server: [] };
  let asked;
  const server = http.createServer((request, response) => {
    watch(request, 'server request', ['aborted', 'error', 'close']);
    watch(response, 'server response', ['error', 'close', 'finish']);
    handler?.(request, response);
    if (served) setImmediate(served, asked);
  });
  server.listen(0, '127.0.0.1', () => {
    const request = asked = http.request({ host: '127.0.0.1', port: server.address().port, agent: false, ...options?.() });
    watch(request, 'client request', ['abort', 'error', 'close', 'timeout']);
    request.on('response', (response) => {
      watch(response, 'client response', ['aborted', 'error', 'close', 'end']);
      onResponse?.(response);
      response.resume();
    });
    request.on('close', () => setTimeout(() => {
      for (const line of [...heard.client, ...heard.server]) console.log(' ', line);
      console.log('  destroyed', request.destroyed, request.aborted, request.closed);
      server.close(done);
      server.closeAllConnections();
    }, 40));
    request.end();
    client?.(request);
  });
}
const names = Object.keys(scenes);
const next = () => {
  const name = names.shift();
  if (name) play(name, scenes[name], next);
};
next();
