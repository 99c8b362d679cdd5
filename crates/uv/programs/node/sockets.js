// TCP, Unix sockets and UDP without http, and other users of the thread pool (crypto, zlib).
'use strict';
const net = require('net');
const dgram = require('dgram');
const zlib = require('zlib');
const crypto = require('crypto');
const { once } = require('events');
const { promisify } = require('util');

async function echo(where) {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  server.listen(where);
  await once(server, 'listening');
  const target = typeof where === 'string' ? { path: where } : { port: server.address().port, host: where.host };
  const lengths = await Promise.all(Array.from({ length: 60 }, async (_, index) => {
    const socket = net.connect(target);
    socket.end(Buffer.alloc(index * 5000, index));
    let length = 0;
    for await (const data of socket) length += data.length;
    return length;
  }));
  console.log(lengths.length, lengths.every((length, index) => length === index * 5000));
  server.close();
  await once(server, 'close');
}

async function refusals() {
  const server = net.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const second = net.createServer();
  second.listen(server.address().port, '127.0.0.1');
  console.log((await once(second, 'error'))[0].code);
  const { port } = server.address();
  server.on('connection', (socket) => socket.resetAndDestroy());
  const reset = net.connect(port);
  console.log((await once(reset.on('data', () => {}), 'error'))[0].code);
  server.close();
  await once(server, 'close');
  console.log((await once(net.connect(port), 'error'))[0].code);
  console.log((await once(net.connect('/no/such/socket'), 'error'))[0].code);
  const slow = net.connect({ port: 9, host: '127.0.0.1' });
  slow.on('error', () => {});
  slow.destroy();
  await once(slow, 'close');
}

async function datagrams() {
  const [one, other] = [dgram.createSocket('udp4'), dgram.createSocket('udp4')];
  await once(one.bind(0, '127.0.0.1'), 'listening');
  const { port } = one.address();
  const seen = [];
  one.on('message', (message, from) => {
    seen.push(message.toString());
    one.send(`back ${message}`, from.port, from.address);
  });
  for (let turn = 0; turn < 50; turn++) {
    other.send([`turn `, String(turn)], port, '127.0.0.1');
    const [message] = await once(other, 'message');
    if (turn % 25 === 0) console.log(message.toString());
  }
  await new Promise((resolve) => other.connect(port, '127.0.0.1', resolve));
  console.log(other.remoteAddress().port === port, seen.length);
  one.close();
  other.close();
}

(async () => {
  await echo({ port: 0, host: '127.0.0.1' });
  await echo({ port: 0, host: '::1' });
  await echo('./sockets.sock');
  await refusals();
  await datagrams();
  const packed = await promisify(zlib.gzip)(Buffer.alloc(1 << 20, 'z'));
  console.log((await promisify(zlib.gunzip)(packed)).length);
  const keys = Array.from({ length: 16 }, (_, index) => promisify(crypto.pbkdf2)('word', String(index), 500, 8, 'sha256'));
  console.log((await Promise.all(keys)).map((key) => key.toString('hex')).join(' '));
  console.log((await promisify(crypto.randomBytes)(32)).length);
  console.log('done');
})();
