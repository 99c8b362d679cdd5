'use strict';
// What a client makes of answers that are odd: their protocols, codings, lengths, and bodies that may not be there.
const http = require('http');
const net = require('net');

const chunks = '5\r\nhello\r\n0\r\n\r\n';
const first = [
  'HTTP/1.1 200 OK', 'HTTP/1.0 200 OK', 'HTTP/0.9 200 OK', 'HTTP/2.0 200 OK', 'HTTP/1.2 200 OK', 'RTSP/1.0 200 OK', 'RTSP/1.2 200 OK',
  'RTSX/1.0 200 OK', 'ICE/1.0 200 OK', 'ICY 200 OK', 'http/1.1 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 2000 OK', 'HTTP/1.1 20 OK',
  'HTTP/1.1  200 OK', 'HTTP/1.1 999 X', 'HTTP/1.1 000 X', 'HTTP/1.1 200\nA: b', 'HTTP/1.1 200 OK\nA: b', 'X',
];
const heads = [
  'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked, gzip', 'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked,', 'Transfer-Encoding: gzip', 'Transfer-Encoding:', 'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Content-Length: 5\r\nTransfer-Encoding: chunked', 'Content-Length: 5', 'Content-Length: x', 'Content-Length: 5\r\nContent-Length: 5', 'A: b',
];
const statuses = ['200 OK', '204 No Content', '304 Not Modified', '100 Continue', '103 Early Hints'];
const sizes = ['FFFFFFFFFFFFFFFF1', 'z', '5 ', '5;', ''];

let answer;
const server = net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer, 'latin1')));

async function ask(text, method = 'GET') {
  answer = text;
  const heard = [];
  const request = http.request({ port: server.address().port, host: '127.0.0.1', agent: false, method });
  request.on('information', ({ statusCode }) => heard.push(`information ${statusCode}`));
  request.on('response', (response) => {
    heard.push(`response ${response.statusCode} ${JSON.stringify(response.statusMessage)} ${response.httpVersion}`);
    let body = '';
    response.on('data', (bytes) => { body += bytes; });
    response.on('end', () => heard.push(`end ${JSON.stringify(body)}`));
    response.on('error', ({ code }) => heard.push(`${code} ${JSON.stringify(body)}`));
  });
  request.on('error', ({ bytesParsed, code, message }) => heard.push(`${code} ${message} ${bytesParsed}`));
  request.end();
  await new Promise((resolve) => request.on('close', () => setImmediate(() => setImmediate(resolve))));
  console.log(JSON.stringify(text), method, heard.join(' | '));
}

(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const line of first) await ask(`${line}\r\nContent-Length: 2\r\n\r\nhi`);
  for (const status of statuses) for (const head of heads) await ask(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${chunks}`);
  for (const head of heads.slice(0, 5)) await ask(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, 'HEAD');
  for (const size of sizes) await ask(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\nhello\r\n0\r\n\r\n`);
  server.close();
})();
