'use strict';
// Requests in one packet: handlers run at once, responses go out in the order of the requests.
const http = require('http');
const net = require('net');

const waiting = [];
const server = http.createServer((request, response) => {
  console.log('request', request.url, response.socket !== null);
  response.on('finish', () => console.log('finish', request.url));
  response.on('close', () => console.log('close', request.url));
  waiting.push(response);
  response.write(`${request.url} begins,`);
  if (waiting.length === 3) {
    // The last first.
    for (const each of waiting.reverse()) each.end('ends');
  }
});
server.listen(0, '127.0.0.1', () => {
  const socket = net.connect(server.address().port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
    if (text.split('0\r\n\r\n').length !== 4) return;
    console.log(text.replace(/Date: [^\r]*/g, 'Date: now'));
    socket.end();
    server.close(() => console.log('closed'));
  });
  const one = (url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`;
  socket.write(one('/1') + one('/2') + one('/3'));
});
