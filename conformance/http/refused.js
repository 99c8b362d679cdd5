'use strict';
// What a server refuses, by which code, and what it answers when nobody listens to 'clientError'.
const http = require('http');
const net = require('net');

const get = 'GET / HTTP/1.1\r\nHost: a\r\n';
const post = 'POST / HTTP/1.1\r\nHost: a\r\n';
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;
const cases = [
  'GARBAGE\r\n\r\n', 'get / HTTP/1.1\r\n\r\n', 'GET / HTTP/1.2\r\n\r\n', 'GET / HTTQ', 'GET / HTTP/1.1\n', 'GET / a HTTP/1.1\r\n',
  'GET /\x01 HTTP/1.1\r\n', 'GET foo HTTP/1.1\r\n', 'GET /?\x80 HTTP/1.1\r\n', `${get} A: b\r\n\r\n`, 'GET / HTTP/1.1\r\n A: b\r\n',
  `${get}A : b\r\n\r\n`, `${get}A: b\r\n c\r\n\r\n`, `${get}A: b\nC: d\r\n\r\n`, `${get}A: b\rC: d\r\n\r\n`, `${get}A: \0\r\n\r\n`,
  `${get}A(: b\r\n\r\n`, `${get}: b\r\n\r\n`, `${get}A\r\n\r\n`, `${get}\n`, `${get}\rX`,
  `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`, `${post}Content-Length: 1, 1\r\n\r\nx`,
  `${post}Content-Length: +1\r\n\r\nx`, `${post}Content-Length: \r\n\r\nx`, `${post}Content-Length: 99999999999999999999999\r\n\r\n`,
  `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, `${post}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n`,
  `${post}Transfer-Encoding: gzip\r\n\r\n`, `${post}Transfer-Encoding: chunked, gzip\r\n\r\n`,
  `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n`, `${post}Transfer-Encoding: xchunked\r\n\r\n`,
  `${chunked}5\nhello`, `${chunked}5\r\nhello\n`, `${chunked}5\r\nhelloX`, `${chunked}5 \r\n`, `${chunked}g\r\n`, `${chunked}\r\n`,
  `${chunked}0x5\r\n`, `${chunked}FFFFFFFFFFFFFFFFF\r\n`, `${chunked}5; a\r\n`, `${chunked}5;a="b\r\n`, `${chunked}0\r\nA : b\r\n\r\n`,
  `${chunked}0\r\nContent-Length: 5\r\n\r\n`, `${get}Connection: close\r\n\r\nGET`, `${get}X: ${'a'.repeat(20000)}\r\n\r\n`,
  `GET /${'a'.repeat(20000)} HTTP/1.1\r\n`, `${get}${'A: b\r\n'.repeat(1200)}\r\n`, `${chunked}5;${'a'.repeat(17000)}\r\n`,
  'GET / HTTP/1.1\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'DESCRIBE / HTTP/1.1\r\n\r\n',
];

// Both what a listener hears and what is answered without one.
async function main() {
  for (const text of cases) {
    const heard = [];
    for (const listens of [true, false]) {
      await new Promise((done) => {
        const server = http.createServer((request, response) => {
          request.on('error', () => {});
          request.resume();
        });
        if (listens) {
          server.on('clientError', (error, socket) => {
            heard.push(error.code, error.message);
            socket.destroy();
          });
        }
        server.listen(0, '127.0.0.1', () => {
          const socket = net.connect(server.address().port, '127.0.0.1', () => socket.write(text, 'latin1'));
          let answer = '';
          socket.on('data', (bytes) => { answer += bytes; });
          socket.on('error', () => {});
          socket.on('close', () => {
            if (!listens) heard.push(answer.replace(/Date: [^\r]*\r\n/, '').replaceAll('\r\n', '|'));
            server.close(done);
          });
        });
      });
    }
    console.log(JSON.stringify(text.length > 100 ? `${text.slice(0, 60)}… ${text.length}` : text), heard.join(' / '));
  }
}
main();
