// A request is answered by code that computes for 300 ms: every other request waits.
'use strict';
const http = require('http');

function busy(ms) {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
}

function renderReport(response) {
  response.end(`${busy(300)}`);
}

const server = http.createServer((request, response) => {
  if (request.url === '/report') renderReport(response);
  else response.end('ok');
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  let left = 6;
  for (let i = 0; i < 6; i++) {
    http.get({ port, host: '127.0.0.1', path: i === 2 ? '/report' : '/', agent: false }, (response) => {
      response.resume();
      response.on('end', () => { if (--left === 0) server.close(); });
    });
  }
});
