'use strict';
// Heads as they go out, and what is refused.
const http = require('http');
const net = require('net');

const attempt = (name, call) => {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};

const handlers = {
  plain(response) { response.end('hello'); },
  empty(response) { response.end(); },
  bytes(response) { response.end(Buffer.from('bytes')); },
  typed(response) {
    response.setHeader('Content-Type', 'text/plain');
    response.setHeader('X-Number', 5);
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.end('é');
  },
  chunks(response) {
    response.write('one');
    response.write(Buffer.from('two'));
    response.end('three');
  },
  trailers(response) {
    response.writeHead(200, { Trailer: 'X-End' });
    response.write('x');
    response.addTrailers({ 'X-End': 'yes' });
    response.end();
  },
  length(response) {
    response.setHeader('Content-Length', 3);
    response.write('abc');
    response.end();
  },
  status(response) {
    response.statusCode = 404;
    response.end('no');
  },
  message(response) { response.writeHead(201, 'Made', { A: 'b' }).end(); },
  list(response) { response.writeHead(200, ['A', '1', 'A', '2', 'B', '3']).end('x'); },
  merged(response) {
    response.setHeader('A', '0');
    response.appendHeader('C', 'x').appendHeader('C', 'y');
    response.writeHead(200, ['A', '1', 'A', '2']).end('x');
  },
  none(response) { response.writeHead(204).end(); },
  same(response) { response.writeHead(304).end(); },
  closing(response) {
    response.setHeader('Connection', 'close');
    response.end('bye');
  },
  removed(response) {
    response.removeHeader('Date');
    response.removeHeader('Connection');
    response.removeHeader('Transfer-Encoding');
    response.end('x');
  },
  unended(response) {
    response.removeHeader('Transfer-Encoding');
    response.removeHeader('Content-Length');
    response.end('until the end');
  },
  keepalive(response) {
    response.setHeader('Keep-Alive', 'timeout=1');
    response.end('x');
  },
  map(response) {
    response.setHeaders(new Map([['a', '1'], ['set-cookie', ['x', 'y']]]));
    response.end('x');
  },
  latin(response) {
    response.setHeader('X-Latin', 'é');
    response.end(Buffer.from('x'));
  },
  refused(response) {
    attempt('name', () => response.setHeader('a b', 'c'));
    attempt('empty name', () => response.setHeader('', 'c'));
    attempt('no value', () => response.setHeader('a'));
    attempt('split', () => response.setHeader('a', 'b\r\nc: d'));
    attempt('wide', () => response.setHeader('a', '\u0100'));
    attempt('status', () => response.writeHead(99));
    attempt('text status', () => response.writeHead('x'));
    attempt('message', () => response.writeHead(200, 'a\r\nb'));
    response.statusMessage = undefined;
    attempt('odd list', () => response.writeHead(200, ['a']));
    attempt('append', () => response.appendHeader('a', '\n'));
    attempt('trailer', () => response.addTrailers({ 'a b': 'c' }));
    attempt('trailer value', () => response.addTrailers({ a: 'c\n' }));
    attempt('headers', () => response.setHeaders({}));
    attempt('null', () => response.write(null));
    attempt('number', () => response.write(5));
    attempt('hints', () => response.writeEarlyHints('x'));
    response.end('done');
    attempt('set after', () => response.setHeader('a', 'b'));
    attempt('append after', () => response.appendHeader('a', 'b'));
    attempt('remove after', () => response.removeHeader('a'));
    attempt('head after', () => response.writeHead(200));
    attempt('headers', () => response._header.split('\r\n')[0]);
    response.on('error', (error) => console.log('error', error.code));
    response.write('late', (error) => console.log('written', error.code));
  },
};

const server = http.createServer((request, response) => handlers[request.url.slice(1)](response, request));
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', async () => {
  for (const [name, version, method] of [
    ...Object.keys(handlers).map((key) => [key, '1.1', 'GET']), ['plain', '1.0', 'GET'], ['chunks', '1.0', 'GET'],
    ['plain', '1.1', 'HEAD'], ['chunks', '1.1', 'HEAD'],
  ]) {
    await new Promise((done) => {
      const socket = net.connect(server.address().port, '127.0.0.1');
      let text = '';
      socket.setEncoding('latin1');
      socket.on('data', (part) => { text += part; });
      socket.on('close', () => {
        console.log(name, version, method, JSON.stringify(text.replace(/Date: [^\r]*/, 'Date: now')));
        done();
      });
      socket.write(`${method} /${name} HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`);
    });
  }
  server.close();
});
