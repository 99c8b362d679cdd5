'use strict';
// Who listens to the socket hears 'drain' after an end that is more than the socket takes, however the response went out.
const http = require('http');
const net = require('net');

const large = 'y'.repeat(100000);
const ways = {
  whole(response) { response.end(large); },
  bytes(response) { response.end(Buffer.from(large)); },
  headed(response) { response.writeHead(200, { 'content-length': large.length }).end(large); },
  parts(response) { response.write('x'); response.end(large); },
  full(response) { response.write(large); response.end(); },
  small(response) { response.write('x'); response.end('y'); },
};

function run(name, highWaterMark) {
  return new Promise((resolve) => {
    const server = http.createServer({ highWaterMark }, (request, response) => {
      const { socket } = request;
      socket.on('drain', () => console.log(name, 'drain', socket.writableLength, response.finished));
      response.on('drain', () => console.log(name, 'drain of the response'));
      response.on('finish', () => console.log(name, 'finish'));
      ways[name](response);
    });
    server.listen(0, () => {
      const client = net.connect(server.address().port, () => client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
      client.resume().on('close', () => server.close(resolve));
    });
  });
}

(async () => {
  for (const name of Object.keys(ways)) await run(name);
  for (const name of ['small', 'whole']) await run(name, 10);
})();
