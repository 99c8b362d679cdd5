'use strict';
// How responses say where they end, by what was done to them before, and that the next one follows.
const http = require('http');
const net = require('net');

const steps = {
  nothing: () => {},
  chunked: (response) => { response.chunkedEncoding = true; },
  notChunked: (response) => { response.useChunkedEncodingByDefault = false; },
  notKept: (response) => { response.shouldKeepAlive = false; },
  noLength: (response) => response.removeHeader('Content-Length'),
  noEncoding: (response) => response.removeHeader('Transfer-Encoding'),
  noConnection: (response) => response.removeHeader('Connection'),
  length: (response) => response.setHeader('Content-Length', 1),
  lengthAndNone: (response) => response.setHeader('Content-Length', 1).removeHeader('Content-Length'),
  encoding: (response) => response.setHeader('Transfer-Encoding', 'chunked'),
  close: (response) => response.setHeader('Connection', 'close'),
  head: (response) => response.writeHead(200),
  empty: (response) => { response.statusCode = 204; },
};
const ways = {
  text: (response) => response.end('t'),
  bytes: (response) => response.end(Buffer.from('b')),
  nothing: (response) => response.end(),
  write: (response) => (response.write('w'), response.end()),
  both: (response) => (response.write('w'), response.end('e')),
};

const server = http.createServer((request, response) => {
  response.sendDate = false;
  const [, first, second, way] = request.url.split('/');
  try {
    for (const step of [first, second]) steps[step](response);
    ways[way](response);
  } catch (error) {
    console.log(error.code);
    request.socket.destroy();
  }
});

const get = (url, headers = '') => `GET ${url} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

async function ask(first, second, way) {
  const socket = net.connect(server.address().port);
  let got = '';
  socket.setEncoding('latin1');
  socket.on('data', (data) => { got += data; });
  socket.on('error', (error) => console.log(error.code));
  socket.write(get(`/${first}/${second}/${way}`) + get('/nothing/nothing/text', 'Connection: close\r\n'));
  await new Promise((resolve) => socket.on('close', resolve));
  console.log(first, second, way, JSON.stringify(got));
}

server.listen(0, async () => {
  const names = Object.keys(steps);
  for (const first of names) {
    for (const second of names.slice(names.indexOf(first))) {
      if (first === second && first !== 'nothing') continue;
      for (const way of Object.keys(ways)) await ask(first, second, way);
    }
  }
  server.close();
});
