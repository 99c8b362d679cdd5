'use strict';
// When ticks and microtasks run among the events of requests with trailers or many headers, and of those behind them.
const http = require('http');
const net = require('net');

function tell(what) {
  console.log(what);
  process.nextTick(() => console.log(`  tick of ${what}`));
  Promise.resolve().then(() => console.log(`  microtask of ${what}`));
}

async function send(name, text) {
  console.log(`# ${name}`);
  const server = http.createServer((request, response) => {
    const { headers, url } = request;
    tell(`request ${url}, headers ${Object.keys(headers).length}`);
    request.on('data', (data) => tell(`data ${data}`));
    request.on('end', () => {
      tell(`end ${url}, trailers ${Object.keys(request.trailers).length}`);
      response.end();
    });
    request.on('close', () => tell(`request close ${url}`));
    response.on('finish', () => tell(`finish ${url}`));
    response.on('close', () => tell(`response close ${url}`));
  });
  await new Promise((resolve) => server.listen(0, resolve));
  const socket = net.connect(server.address().port);
  socket.resume();
  socket.write(text, () => socket.end());
  await new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => server.close(resolve));
}

const lines = (count) => Array.from({ length: count }, (_, at) => `h${at}: ${at}\r\n`).join('');
const get = (url, count = 0) => `GET ${url} HTTP/1.1\r\nHost: a\r\n${lines(count)}\r\n`;
const post = (url, count, trailers) => `POST ${url} HTTP/1.1\r\nHost: a\r\n${lines(count)}Transfer-Encoding: chunked\r\n\r\n` +
  `1\r\na\r\n1\r\nb\r\n0\r\n${lines(trailers)}\r\n`;

(async () => {
  await send('plain', get('/1') + get('/2') + get('/3'));
  for (const count of [30, 31, 32, 33, 64]) await send(`${count + 1} headers`, get('/1', count) + get('/2') + get('/3'));
  await send('many behind few', get('/1') + get('/2', 40) + get('/3'));
  await send('chunks', post('/1', 0, 0) + get('/2'));
  await send('a trailer', post('/1', 0, 1) + get('/2') + get('/3'));
  await send('many trailers', post('/1', 0, 40) + get('/2'));
  await send('many of both', get('/0') + post('/1', 40, 40) + get('/2'));
})();
