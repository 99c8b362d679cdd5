'use strict';
// Who hears what in which order, from both ends, for a request without and one with a body.
const http = require('http');

const log = (...words) => console.log(...words);
const listen = (emitter, name, events) => {
  for (const event of events) emitter.on(event, () => log(name, event));
};

const server = http.createServer((request, response) => {
  log('handler', request.method, request.complete, request.readableEnded);
  listen(request, 'server request', ['end', 'close', 'aborted']);
  listen(response, 'server response', ['prefinish', 'finish', 'close']);
  process.nextTick(() => log('tick after handler', request.complete));
  Promise.resolve().then(() => log('microtask after handler'));
  request.on('data', (bytes) => log('server data', String(bytes)));
  response.end('hello');
  log('ended', response.writableEnded, response.writableFinished, response.headersSent, response.finished);
});

function ask(options, body, done) {
  const request = http.request({ port: server.address().port, host: '127.0.0.1', ...options }, (response) => {
    log('response', response.statusCode, response.statusMessage, response.httpVersion);
    listen(response, 'client response', ['end', 'close', 'aborted']);
    response.setEncoding('utf8');
    response.on('data', (text) => log('client data', text));
  });
  listen(request, 'client request', ['socket', 'finish', 'response', 'close', 'error']);
  request.on('close', () => setTimeout(done, 30));
  request.end(body);
}

server.listen(0, '127.0.0.1', () => {
  ask({ agent: false }, undefined, () => {
    log('---');
    ask({ method: 'POST' }, 'body', () => {
      log('---');
      ask({ method: 'PUT' }, 'again', () => {
        http.globalAgent.destroy();
        server.close(() => log('closed'));
      });
    });
  });
});
