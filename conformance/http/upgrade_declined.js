'use strict';
// A request for another protocol that nobody listens to is one like others, but what came with it is lost.
const http = require('http');
const net = require('net');

// Each part follows an answer to the one before; the last one ends the connection, or is the end.
async function send(name, parts, { ends = false, event, shouldUpgradeCallback } = {}) {
  console.log(`# ${name}`);
  const server = http.createServer({ shouldUpgradeCallback }, (request, response) => {
    console.log('request', request.method, request.url, request.upgrade);
    let body = '';
    request.on('data', (data) => { body += data; });
    request.on('end', () => {
      console.log('end', request.url, JSON.stringify(body));
      response.end(request.url);
    });
  });
  if (event) {
    server.on(event, (request, socket, head) => {
      console.log(event, request.url, JSON.stringify(String(head)));
      socket.end('bye');
    });
  }
  server.on('clientError', (error, socket) => {
    console.log('clientError', error.code, error.bytesParsed);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, resolve));
  const socket = net.connect(server.address().port);
  let got = '';
  socket.setEncoding('latin1');
  socket.write(parts.shift());
  socket.on('data', (data) => {
    got += data;
    if (!data.includes('\r\n\r\n/')) return;
    // Whatever else there is to answer is answered by then.
    setImmediate(() => setImmediate(() => {
      if (parts.length === 1 && ends) socket.end(parts.shift());
      else if (parts.length > 0) socket.write(parts.shift());
    }));
  });
  await new Promise((resolve) => socket.on('close', resolve));
  console.log('got', JSON.stringify(got.replace(/(Date|Keep-Alive): .*\r\n/g, '')));
  await new Promise((resolve) => server.close(resolve));
}

const get = 'GET /2 HTTP/1.1\r\nHost: a\r\n\r\n';
const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const upgrade = 'Host: a\r\nConnection: Upgrade\r\nUpgrade: other\r\n';
const ask = `GET /1 HTTP/1.1\r\n${upgrade}\r\n`;
const post = `POST /1 HTTP/1.1\r\n${upgrade}Content-Length: 5\r\n\r\n`;
const chunked = `POST /1 HTTP/1.1\r\n${upgrade}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`;
const connect = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';

(async () => {
  await send('nothing more', [ask, last]);
  await send('a request with it', [ask + get, last]);
  await send('anything with it', [`${ask}junk\r\n`, last]);
  await send('a body', [`${post}hello`, last]);
  await send('a body and a request', [`${post}hello${get}`, last]);
  await send('chunks and a request', [chunked + get, last]);
  await send('behind a request', [`GET /0 HTTP/1.1\r\nHost: a\r\n\r\n${ask}${get}`, last]);
  await send('no host', [`GET /1 HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n${get}`]);
  await send('only Upgrade', [`GET /1 HTTP/1.1\r\nHost: a\r\nUpgrade: other\r\n\r\n${last}`]);
  await send('only Connection', [`GET /1 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n${last}`]);
  await send('and close', [`GET /1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: other\r\n\r\n${get}`]);
  await send('not wanted', [ask + get, last], { event: 'upgrade', shouldUpgradeCallback: () => false });
  await send('wanted by nobody', [ask + get], { shouldUpgradeCallback: () => true });
  await send('wanted', [`${post}hello${get}`], { event: 'upgrade' });
  // No fault is told of until there is another head.
  await send('a bad request behind it', [ask, 'BAD\r\n\r\n'], { ends: true });
  await send('a request in two', [ask + get.slice(0, 5), get.slice(5)], { ends: true });
  await send('a part of a request', [ask, get.slice(0, 5)], { ends: true });
  await send('more than was to come', [`GET /1 HTTP/1.1\r\n${upgrade}Connection: close\r\n\r\n`, get], { ends: true });
  await send('a bad request behind another', [ask, get, 'BAD\r\n\r\n'], { ends: true });
  await send('CONNECT', [connect + get]);
  await send('CONNECT behind a request', [`GET /0 HTTP/1.1\r\nHost: a\r\n\r\n${connect}${get}`]);
  await send('CONNECT, wanted', [connect + get], { event: 'connect' });
})();
