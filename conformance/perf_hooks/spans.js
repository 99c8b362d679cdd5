// Entries of what the runtime does: lookups, connections, requests on both sides; nothing of what fails, of what began
// before somebody looked, and nothing to those who have gone.
'use strict';
const { PerformanceObserver } = require('node:perf_hooks');
const { once } = require('node:events');
const dns = require('node:dns');
const http = require('node:http');
const net = require('node:net');
const dgram = require('node:dgram');

const hide = (text) => text.replace(/\d{5}/g, 'PORT').replace(/\w+, \d+ \w+ \d+ [\d:]+ GMT/, 'DATE');
const tell = (list) => {
  for (const entry of list.getEntries()) {
    console.log(entry.constructor.name, entry.entryType, entry.name, hide(JSON.stringify(entry.detail)));
    console.log(Object.keys(entry).length, entry.startTime > 0, entry.duration >= 0, Object.keys(entry.toJSON()).join());
  }
};
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function connections() {
  const observer = new PerformanceObserver(tell);
  const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const early = net.connect(port, '127.0.0.1');
  // An address is connected to in a tick.
  await new Promise(process.nextTick);
  observer.observe({ type: 'net' });
  early.resume();
  await once(early, 'close');
  await turn();
  console.log('nothing of what began before');
  const seen = net.connect(port, '127.0.0.1');
  await once(seen, 'connect');
  console.log('taken', observer.takeRecords().length);
  seen.resume();
  await once(seen, 'close');
  const told = net.connect(port, '127.0.0.1', () => console.log('listeners first', observer.takeRecords().length));
  told.resume();
  await once(told, 'close');
  await turn();
  server.close();
  await once(server, 'close');
  const refused = net.connect(port, '127.0.0.1');
  const [{ code }] = await once(refused, 'error');
  console.log(code);
  observer.disconnect();
}

async function requests() {
  const observer = new PerformanceObserver(tell);
  observer.observe({ entryTypes: ['http'] });
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/plain') return response.end('plain');
      response.writeHead(404, { 'X-Kind': 'late' });
      response.write('a');
      response.end('b');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  for (const [method, path, body] of [['GET', '/plain'], ['POST', '/chunks?x=1', 'body']]) {
    const request = http.request({ port, host: '127.0.0.1', method, path, agent: false, headers: { 'X-Given': 'yes' } });
    request.end(body);
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    await turn();
  }
  observer.disconnect();
  http.get({ port, host: '127.0.0.1', path: '/plain', agent: false }, (response) => {
    response.resume().on('end', () => server.close());
  });
  await once(server, 'close');
}

// Says that every name is 1.2.3.4.
async function nameServer() {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 6);
    head.fill(0, 8);
    let end = 12;
    while (question[end] !== 0) end += question[end] + 1;
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 1, 2, 3, 4]);
    socket.send(Buffer.concat([head, question.subarray(12, end + 5), answer]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function names() {
  const observer = new PerformanceObserver(tell);
  observer.observe({ entryTypes: ['dns'] });
  await dns.promises.lookup('localhost', 4);
  await dns.promises.lookup('localhost', { all: true, family: 4, verbatim: false });
  await dns.promises.lookup('127.0.0.1');
  await new Promise((resolve) => dns.lookup('localhost', { family: 'IPv4', hints: dns.ADDRCONFIG }, resolve));
  await turn();
  const server = await nameServer();
  for (const { Resolver } of [dns, dns.promises]) {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    if (Resolver === dns.Resolver) await new Promise((resolve) => resolver.resolve4('a.test', { ttl: true }, resolve));
    else await resolver.resolve4('b.test');
    await turn();
  }
  server.close();
  observer.disconnect();
}

(async () => {
  await connections();
  await requests();
  await names();
})();
