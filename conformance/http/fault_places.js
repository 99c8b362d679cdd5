'use strict';
// How many bytes a parser had taken of what it refused.
const http = require('http');
const net = require('net');

const head = (...lines) => ['GET / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n');
const long = 'x'.repeat(20_000);
const texts = {
  'a long target': `GET /${long} HTTP/1.1\r\n\r\n`,
  'a long name': head(`${long}: 1`),
  'a long value': head(`a: ${long}`),
  'a long value, and no end': `GET / HTTP/1.1\r\na: ${long}`,
  'a long name, and no end': `GET / HTTP/1.1\r\n${long}`,
  'a long target, and no end': `GET /${long}`,
  'many values': head(...Array.from({ length: 2_000 }, (_, at) => `h${at}: ${at}`)),
  'behind the last': head('Connection: close') + head(),
  'behind the last, an empty line': `${head('Connection: close')}\r\n${head()}`,
  'two lengths': head('Content-Length: 1', 'Content-Length: 1'),
  'length and chunks': head('Content-Length: 1', 'Transfer-Encoding: chunked'),
  'chunks and length': head('Transfer-Encoding: chunked', 'Content-Length: 1'),
  'a bad name': head('a b: 1'),
  'a bad value': head('a: \x01'),
  'a bad method': 'GOT / HTTP/1.1\r\n\r\n',
  'a bad version': 'GET / HTTP/1.9\r\n\r\n',
  'a bad size': `${head('Transfer-Encoding: chunked')}z\r\n`,
};

async function send(name) {
  const server = http.createServer((request, response) => response.end());
  server.on('clientError', ({ bytesParsed, code, rawPacket, reason }, socket) => {
    console.log(name, code, reason, bytesParsed, rawPacket.length);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, resolve));
  const socket = net.connect(server.address().port).resume();
  socket.on('error', () => {});
  socket.write(texts[name], 'latin1');
  await new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => server.close(resolve));
}

(async () => {
  for (const name of Object.keys(texts)) await send(name);
})();
