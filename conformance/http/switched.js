'use strict';
// What a client hears of a 101, with and without the headers that say what follows.
const http = require('http');
const net = require('net');

const head = (...lines) => ['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n');
const both = ['Connection: Upgrade', 'Upgrade: x'];
const answers = {
  'nothing': head(),
  'only Upgrade': head('Upgrade: x'),
  'only Connection': head('Connection: upgrade'),
  'nothing, and more': `${head()}Hello`,
  'nothing, and another answer': `${head()}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`,
  'a length': `${head('Content-Length: 3')}abc`,
  'a length of none': head('Content-Length: 0'),
  'chunks': `${head('Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`,
  'both': `${head(...both)}rest`,
  'both and a length': `${head(...both, 'Content-Length: 3')}abcdef`,
  'both and chunks': `${head(...both, 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\nrest`,
  'close': head('Connection: close'),
  'keep-alive': head('Connection: keep-alive'),
  'both, but 200': 'HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nabcdef',
};

async function ask(name, agent) {
  const server = net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answers[name])));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const heard = [];
  const request = http.request({ port: server.address().port, host: '127.0.0.1', agent });
  request.on('upgrade', ({ statusCode, upgrade }, socket, rest) => {
    heard.push(`upgrade ${statusCode} ${upgrade} ${JSON.stringify(`${rest}`)}`);
    socket.destroy();
  });
  request.on('response', (response) => {
    const { complete, statusCode, upgrade } = response;
    heard.push(`response ${statusCode} ${upgrade} ${complete}`);
    response.on('data', (bytes) => heard.push(`data ${bytes}`));
    response.on('end', () => heard.push(`end ${response.complete}`));
  });
  request.on('error', ({ bytesParsed, code }) => heard.push(`${code} ${bytesParsed}`));
  request.end();
  await new Promise((resolve) => request.on('close', resolve));
  heard.push(`close ${request.shouldKeepAlive}`);
  await new Promise((resolve) => server.close(resolve));
  console.log(`${name}${agent ? '' : ', alone'}: ${heard.join(' | ')}`);
}

(async () => {
  const agent = new http.Agent({ keepAlive: true });
  for (const name of Object.keys(answers)) {
    await ask(name, agent);
    await ask(name, false);
  }
  agent.destroy();
})();
