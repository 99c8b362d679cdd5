'use strict';
// Limits and timeouts of a server.
const http = require('http');
const net = require('net');

const exchange = (port, parts, done) => {
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
    if (parts.length > 0) socket.write(parts.shift());
  });
  socket.on('error', () => {});
  socket.on('close', () => done(text.replace(/Date: [^\r]*/g, 'Date: now')));
  socket.write(parts.shift());
};
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const steps = [
  ['requests on a socket', { set: { maxRequestsPerSocket: 2 } }, [get, get, get]],
  ['kept for a while', { set: { keepAliveTimeout: 20, keepAliveTimeoutBuffer: 0 } }, [get]],
  ['head too late', { options: { headersTimeout: 30, connectionsCheckingInterval: 10 } }, ['GET / HTTP/1.1\r\n']],
  ['nothing sent', { options: { headersTimeout: 30, connectionsCheckingInterval: 10 } }, ['']],
  ['body too late', { options: { requestTimeout: 30, connectionsCheckingInterval: 10 } },
   ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'], true],
  ['socket timeout', { set: { timeout: 20 } }, ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'], true],
  ['few headers', { set: { maxHeadersCount: 2 } }, ['GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nC: d\r\n\r\n']],
  ['small heads', { options: { maxHeaderSize: 100 } }, [`GET / HTTP/1.1\r\nHost: a\r\nA: ${'b'.repeat(100)}\r\n\r\n`]],
  ['no host', {}, ['GET / HTTP/1.1\r\n\r\n']],
  ['no host wanted', { options: { requireHostHeader: false } }, ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n']],
  ['lenient', { options: { insecureHTTPParser: true } }, ['GET / HTTP/1.1\nHost: a\nA: \x01\nConnection: close\n\n']],
];

function run() {
  const step = steps.shift();
  if (!step) {
    closing();
    return;
  }
  const [name, { options, set }, parts, isSilent] = step;
  const server = http.createServer(options, (request, response) => {
    request.on('error', (error) => console.log(name, 'request error', error.code));
    if (!isSilent) response.end('hello');
  });
  Object.assign(server, set);
  server.on('dropRequest', (request) => console.log(name, 'dropRequest', request.url));
  server.on('timeout', (socket) => {
    console.log(name, 'timeout');
    socket.destroy();
  });
  server.listen(0, '127.0.0.1', () => {
    exchange(server.address().port, parts, (text) => {
      console.log(name, JSON.stringify(text));
      server.close(run);
    });
  });
}

function closing() {
  const server = http.createServer((request, response) => {
    if (request.url === '/slow') setTimeout(() => response.end('slow'), 50);
    else response.end('fast');
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const lines = [];
    const done = (name) => (text) => {
      lines.push(`${name} ${text.split('\r\n')[0]} ${text.split('\r\n').at(-1)}`);
      if (lines.length === 3) console.log(lines.sort().join('\n'));
    };
    exchange(port, ['GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'], done('slow'));
    exchange(port, [get], done('idle'));
    exchange(port, ['GET /'], done('unfinished'));
    setTimeout(() => {
      server.closeIdleConnections();
      setTimeout(() => {
        server.close(() => setTimeout(() => console.log('closed'), 20));
        setTimeout(() => server.closeAllConnections(), 100);
      }, 10);
    }, 25);
  });
  for (const options of [
    { headersTimeout: 2, requestTimeout: 1 }, { maxHeaderSize: -1 }, { requireHostHeader: 1 }, { keepAliveTimeout: '1' }, 5,
    { connectionsCheckingInterval: 1.5 }, { shouldUpgradeCallback: 1 }, { joinDuplicateHeaders: 0 },
  ]) {
    try {
      http.createServer(options);
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
  }
}
run();
