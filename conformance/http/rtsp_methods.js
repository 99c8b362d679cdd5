'use strict';
// Methods that only RTSP has are read with its version, and refused where another version is known.
const http = require('http');
const net = require('net');

const server = http.createServer((request, response) => {
  console.log('request', request.method, request.url, request.httpVersion);
  response.end();
});
server.on('clientError', ({ code, reason, bytesParsed }, socket) => {
  console.log(code, reason, bytesParsed);
  socket.destroy();
});

const lines = [
  'DESCRIBE / RTSP/1.0', 'ANNOUNCE /a RTSP/1.0', 'FLUSH / RTSP/1.0', 'GET / RTSP/1.0', 'PUT / RTSP/1.0', 'DESCRIBE / HTTP/1.1',
  'SETUP / ICE/1.0', 'SOURCE / ICE/1.0', 'QUERY / HTTP/1.1', 'QUERY / RTSP/1.0', 'DESCRIBES / RTSP/1.0', 'PLA / RTSP/1.0',
];

function send(line) {
  return new Promise((resolve) => {
    console.log(line);
    const socket = net.connect(server.address().port, () => socket.write(`${line}\r\nHost: a\r\nConnection: close\r\n\r\n`));
    socket.resume().on('error', () => {}).on('close', resolve);
  });
}

server.listen(0, async () => {
  for (const line of lines) await send(line);
  console.log(http.METHODS.includes('QUERY'), http.METHODS.includes('DESCRIBE'));
  server.close();
});
