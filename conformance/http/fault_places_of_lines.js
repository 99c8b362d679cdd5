'use strict';
// Where first lines and the sizes of chunks go wrong, and the protocols beside HTTP.
const http = require('http');
const net = require('net');

const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunks = [
  '3P', '3 ', '3\t', '3\x01', 'abcP', 'P', '3;"', '3;\x01', '3;\n', '3;\r', '3; ', '3;a(', '3;a b', '3;a\n', '3;a=\x01', '3;a=b\n',
  '3;a=" \x01', '3;a="\\\x01', '3;a="x"z', '3;a="\\x";b=c;d',
].map((size) => `${chunked}${size}\r\nabc\r\n0\r\n\r\n`);
const lines = [
  'GET / HTTP/1.1\n', 'GET / HTTP/1.1 ', 'GET / HTTP/1.1x', 'SOURCE / HTTP/1.1\r\n\r\n', 'SOURCE / ICE/1.0\r\n\r\n',
  'GET / ICE/1.0\r\n\r\n', 'GET / RTSP/1.0\r\n\r\n', 'PUT / RTSP/1.0\r\n\r\n', 'OPTIONS * RTSP/1.0\r\n\r\n',
  'GET / RTSP/1.1\r\nHost: a\r\n\r\n', 'GET / RTSPX', 'GET / IX', 'GET / RX', 'GET / Hx', 'PRI * HTTP/2.0\r\nX',
  'PRI * HTTP/2.0\r\n\r\nX', 'GET / HTTP/1.1\r\n\tfolded: x\r\n', 'GET / HTTP/1.1\r\n folded: x\r\n',
];

let log;
const server = http.createServer((request, response) => {
  log.push(`${request.method} ${request.url} ${request.httpVersion} ${request.rawHeaders}`);
  request.on('data', (data) => log.push(String(data)));
  request.on('end', () => log.push('end'));
  response.end();
});
server.on('clientError', (error, socket) => {
  log.push(`${error.code} ${error.reason} ${error.bytesParsed}`);
  socket.destroy();
});
server.listen(0, '127.0.0.1', async () => {
  for (const text of [...chunks, ...lines]) {
    log = [];
    await new Promise((resolve) => {
      const client = net.connect(server.address().port, '127.0.0.1', () => {
        client.write(text, 'latin1');
        setTimeout(() => client.destroy(), 20);
      });
      client.resume();
      client.on('error', () => {});
      client.on('close', () => setTimeout(resolve, 2));
    });
    console.log(JSON.stringify(text.replace(chunked, '')), log.join(' / '));
  }
  server.close();
});
