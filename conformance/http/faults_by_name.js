'use strict';
// The words of faults that depend on where a message was cut, or on which field it was.
const http = require('http');
const net = require('net');
const requests = {
  cutLine: 'GET / HT',
  cutField: 'GET / HTTP/1.1\r\nHos',
  cutBody: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc',
  cutChunk: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nf\r\nabc',
  knownField: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  knownLength: 'POST / HTTP/1.1\r\nHost: a\r\ncontent-length : 0\r\n\r\n',
  otherField: 'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  otherChar: 'GET / HTTP/1.1\r\nHost: a\r\nUpgrade@: a\r\n\r\n',
};
const server = http.createServer((request) => request.on('error', () => {}).resume());
let name;
server.on('clientError', (error, socket) => {
  console.log(name, error.code, error.message, '|', error.reason);
  socket.destroy();
});
server.listen(0, '127.0.0.1', async () => {
  for (name in requests) {
    const client = net.connect(server.address().port, '127.0.0.1');
    client.on('error', () => {});
    client.end(requests[name], 'latin1');
    client.resume();
    await new Promise((resolve) => client.on('close', resolve));
  }
  server.close();
});
