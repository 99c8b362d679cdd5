'use strict';
// A response is detached from no socket but its own, and what waited is not written twice if some of it is refused.
const http = require('http');
const net = require('net');

const later = [];
const server = http.createServer((req, res) => {
  if (req.url === '/first') {
    later.push(() => res.end('first'));
    return;
  }
  try {
    res.detachSocket(req.socket);
  } catch (error) {
    console.log(error.code);
  }
  res.write('second');
  res.write('refused', 'no encoding');
  res.on('close', () => console.log('close'));
  setImmediate(() => {
    later[0]();
    setImmediate(() => {
      try {
        res.write('third');
      } catch (error) {
        console.log(error.code);
      }
      req.socket.destroy();
    });
  });
});
process.on('uncaughtException', (error) => console.log('uncaught', error.code));

server.listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1');
  client.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n');
  let got = '';
  client.on('data', (bytes) => { got += bytes; });
  client.on('error', () => {});
  client.on('close', () => {
    console.log(JSON.stringify(got.replace(/Date: .*?\r\n/g, '')));
    server.close();
  });
});
