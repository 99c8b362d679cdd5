'use strict';
// Expect, and what comes before a response.
const http = require('http');

function run(name, setUp, headers, done) {
  const server = http.createServer((request, response) => {
    console.log(name, 'request');
    response.writeProcessing();
    response.writeEarlyHints({ link: ['</a>; rel=preload', '</b>; rel=preload'], 'x-hint': 'y' });
    request.resume();
    request.on('end', () => response.end('done'));
  });
  setUp(server);
  server.listen(0, '127.0.0.1', () => {
    const request = http.request({ port: server.address().port, host: '127.0.0.1', method: 'POST', headers, agent: false });
    request.on('continue', () => {
      console.log(name, 'continue');
      request.end('body');
    });
    request.on('information', ({ statusCode, statusMessage, headers: hints, rawHeaders }) =>
      console.log(name, 'information', statusCode, statusMessage, hints, rawHeaders));
    request.on('response', (response) => {
      console.log(name, 'response', response.statusCode, response.headers.connection);
      response.resume();
      response.on('end', () => server.close(done));
    });
    request.on('error', (error) => console.log(name, error.code));
    if (!headers.Expect) request.end('body');
    else if (headers.Expect !== '100-continue') request.end();
    else request.flushHeaders();
  });
}
const steps = [
  ['plain', () => {}, {}],
  ['expected', () => {}, { Expect: '100-continue' }],
  ['checked', (server) => server.on('checkContinue', (request, response) => {
    console.log('checkContinue', request.headers.expect);
    response.writeContinue();
    server.emit('request', request, response);
  }), { Expect: '100-continue' }],
  ['turned away', (server) => server.on('checkContinue', (request, response) => {
    response.writeHead(413);
    response.end();
  }), { Expect: '100-continue' }],
  ['unknown', () => {}, { Expect: 'miracles' }],
  ['listened', (server) => server.on('checkExpectation', (request, response) => {
    console.log('checkExpectation', request.headers.expect);
    response.end();
  }), { Expect: 'miracles' }],
];
const next = () => {
  const step = steps.shift();
  if (step) run(...step, next);
};
next();
