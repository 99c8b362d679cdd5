'use strict';
// Headers as they are given to a handler: joined, dropped, listed, distinct; trailers; bodies in pieces.
const http = require('http');
const net = require('net');

const head = [
  'POST /path?q=1 HTTP/1.1', 'Host: a', 'host: b', 'Cookie: a=1', 'cookie: b=2', 'Set-Cookie: x', 'set-cookie: y', 'Accept: 1',
  'ACCEPT: 2', 'X-Latin: \xe9', 'Authorization: one', 'Authorization: two', 'Content-Type: t/1', 'Content-Type: t/2', 'Empty:',
  'Spaces:   \t  in  here \t ', '__proto__: 1', 'Transfer-Encoding: chunked', '', '',
].join('\r\n');
const body = '5;ext="a\\"b"\r\nhello\r\n1\r\n!\r\n0\r\nX-Trailer: t\r\nX-Trailer: u\r\n\r\n';

function run(options, cut, done) {
  const server = http.createServer(options, (request, response) => {
    console.log(request.method, request.url, request.httpVersion, request.httpVersionMajor, request.httpVersionMinor);
    console.log(request.headers);
    console.log(request.headersDistinct);
    console.log(request.rawHeaders.join('|'));
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part) => { text += part; });
    request.on('end', () => {
      console.log(text, request.trailers, request.trailersDistinct, request.rawTrailers, request.complete);
      response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const socket = net.connect(server.address().port, '127.0.0.1');
    const bytes = Buffer.from(head + body, 'latin1');
    let at = 0;
    const next = () => {
      if (at >= bytes.length) return;
      socket.write(bytes.subarray(at, at += cut));
      setImmediate(next);
    };
    next();
    socket.once('data', (answer) => {
      console.log(String(answer).split('\r\n')[0]);
      socket.destroy();
      server.close(done);
    });
  });
}
run({}, 10000, () => run({ joinDuplicateHeaders: true }, 7, () => run({}, 1, () => {})));
