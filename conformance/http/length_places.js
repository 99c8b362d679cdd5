'use strict';
// Lengths and codings that are refused, and where: in one piece, and byte by byte.
const http = require('http');
const net = require('net');

const lines = [
  'Content-Length:', 'Content-Length: ', 'Content-Length: x', 'Content-Length: 1x', 'Content-Length: 1 2', 'Content-Length: 1,1',
  'Content-Length: -1', 'Content-Length: +1', 'Content-Length: 1.0', 'Content-Length: 0x1', 'Content-Length: \xb2',
  'Content-Length: 18446744073709551616', 'Content-Length: 99999999999999999999999999999', 'Content-Length: 18446744073709551616x',
  'Content-Length: 1\x01', 'Content-Length: \x01', 'Content-Length: 1 \x01', 'Content-Length: 1 \t2', 'Content-Length: 1\r',
  'Content-Length: 1\n', 'Content-Length : 1', 'Content-Length: \r\n 1', 'Content-Length:\r\n\t1', 'Content-Length: 1\r\n 2',
  'Content-Length: 1\r\nContent-Length: 1', 'Content-Length: 1\r\nContent-Length:1', 'Content-Length: 1\r\nContent-Length:',
  'Content-Length: 1\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nContent-Length: 1',
  'Transfer-Encoding:', 'Transfer-Encoding: chunked, x', 'Transfer-Encoding: chunked , x', 'Transfer-Encoding: chunked,',
  'Transfer-Encoding: chunked,chunked', 'Transfer-Encoding: x, chunked, y', 'Transfer-Encoding: chunked\t, x',
  'Transfer-Encoding: chunked\t', 'Transfer-Encoding: xchunked', 'Transfer-Encoding: chunkedx', 'Transfer-Encoding: x chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding:x',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding:', 'Transfer-Encoding : chunked', 'Connection : close', 'Upgrade : x',
  'A: \r\n b', 'A:\r\n\tb', 'A:\r', 'A: b\r',
];
// Taken, and by whom is told.
const fine = ['Content-Length: 0', 'Content-Length: 00', 'Content-Length:0', 'Content-Length: 0 \t ', 'Content-Length: \t0'];

async function send(line, insecureHTTPParser, isCut) {
  const heard = [];
  const server = http.createServer({ insecureHTTPParser }, (request, response) => {
    request.on('error', () => {}).resume();
    heard.push('request');
    response.end(() => request.socket.destroy());
  });
  server.on('clientError', ({ bytesParsed, code, reason }, socket) => {
    heard.push(`${code} ${reason} ${bytesParsed}`);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = net.connect(server.address().port, '127.0.0.1').setNoDelay().resume();
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const text = `POST / HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`;
  if (isCut) for (const byte of text) await new Promise((resolve) => socket.write(byte, 'latin1', resolve));
  else socket.write(text, 'latin1');
  await closed;
  await new Promise((resolve) => server.close(resolve));
  // Where one piece ends is the system's matter.
  const told = heard.join(', ');
  console.log(JSON.stringify(line), insecureHTTPParser ? 'lenient' : 'strict', isCut ? told.replace(/ \d+$/, '') : told);
}

(async () => {
  for (const line of [...lines, ...fine]) {
    await send(line, false, false);
    await send(line, true, false);
  }
  console.log('-- cut');
  for (const line of lines) await send(line, false, true);
})();
