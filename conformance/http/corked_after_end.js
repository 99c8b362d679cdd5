'use strict';
// A response that is corked when it has ended corks its socket until it leaves it, and no longer: those behind it go out.
const http = require('http');
const net = require('net');

const one = (url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`;

// How the first response comes to be corked.
const ways = {
  once(response) { response.cork(); },
  twice(response) {
    response.cork();
    response.cork();
  },
  heard(response) {
    response.on('finish', () => console.log('finish', response.writableCorked));
    response.cork();
  },
  'by a callback'(response) { response.cork(); },
  'until a tick'(response) {
    response.cork();
    process.nextTick(() => response.uncork());
  },
};

function serve(way, isPipelined, done) {
  const server = http.createServer((request, response) => {
    const { socket } = request;
    if (way === 'by a callback') response.end(request.url, () => console.log('called', socket.writableCorked));
    else response.end(request.url);
    if (request.url !== '/1') return;
    ways[way](response);
    console.log('corked', response.writableCorked, socket.writableCorked);
    setImmediate(() => console.log('later', response.writableCorked, socket.writableCorked));
  });
  server.listen(0, '127.0.0.1', () => {
    const urls = ['/1', '/2', '/3'];
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.setEncoding('latin1');
    let text = '';
    let count = 0;
    const ask = () => {
      count++;
      socket.write(one(urls[count - 1]));
    };
    socket.on('data', (chunk) => {
      text += chunk;
      const bodies = text.match(/(?<=\r\n\r\n)\/\d/g) ?? [];
      if (bodies.length === urls.length) {
        console.log(way, isPipelined ? 'pipelined' : 'one by one', bodies.join(' '));
        socket.destroy();
        server.close(done);
      } else if (!isPipelined && bodies.length === count) {
        setImmediate(ask);
      }
    });
    if (isPipelined) socket.write(urls.map(one).join(''));
    else ask();
  });
}

const turns = Object.keys(ways).flatMap((way) => [[way, false], [way, true]]);
(function next() {
  const turn = turns.shift();
  if (turn) serve(...turn, next);
})();
