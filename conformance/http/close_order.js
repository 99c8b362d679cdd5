'use strict';
// The peer goes amid a response: 'close' of requests, responses and the socket, by who listened when.
const http = require('http');
const net = require('net');

const head = (method, url) => `${method} ${url} HTTP/1.1\r\nHost: a\r\n`;
const textOf = (url, hasBody) => (url === '/part' && hasBody ?
  `${head('POST', url)}Content-Length: 9\r\n\r\nabc` : `${head('GET', url)}\r\n`);

function listen(request, response, isFirst) {
  const { socket, url } = request;
  const told = (what, detail) => () => console.log(what, url, detail ?? '');
  socket.on('close', told('socket close'));
  if (isFirst) socket.on('end', told('socket end'));
  request.on('end', told('request end'));
  request.on('aborted', told('aborted'));
  request.on('close', told('request close'));
  request.on('error', (error) => told('request error', error.message)());
  response.on('finish', told('finish'));
  response.on('close', told('response close'));
  request.resume();
}

// With `after` the requests follow each other, otherwise they come at once.
async function run(urls, how, { after = false, hasBody = false, isHeard = false } = {}) {
  console.log(`# ${urls} ${how}`, { after, hasBody, isHeard });
  let count = 0;
  const server = http.createServer((request, response) => {
    listen(request, response, count++ === 0);
    if (request.url === '/part') response.write('part');
    else if (request.url !== '/none') response.end('x');
  });
  if (isHeard) server.on('connection', (socket) => socket.on('close', () => console.log('socket close, connection')));
  server.on('clientError', (error, socket) => {
    console.log('clientError', error.code);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, resolve));
  const socket = net.connect(server.address().port);
  const texts = urls.map((url) => textOf(url, hasBody));
  socket.on('error', () => {});
  socket.on('data', (data) => {
    if (String(data).includes('part')) setImmediate(() => socket[how]());
    else if (after && texts.length > 0) socket.write(texts.shift());
  });
  socket.write(after ? texts.shift() : texts.join(''));
  await new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => server.close(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

(async () => {
  for (const how of ['destroy', 'resetAndDestroy', 'end']) {
    for (const isHeard of [false, true]) {
      await run(['/part'], how, { isHeard });
      await run(['/part'], how, { isHeard, hasBody: true });
      await run(['/1', '/part'], how, { isHeard, after: true });
      await run(['/1', '/2', '/part'], how, { isHeard, after: true });
      await run(['/1', '/part'], how, { isHeard });
      await run(['/1', '/part'], how, { isHeard, hasBody: true });
      await run(['/part', '/2'], how, { isHeard });
      await run(['/1', '/part', '/none'], how, { isHeard });
    }
  }
})();
