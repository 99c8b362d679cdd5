'use strict';
// What workers share: connections dealt out by the primary, paths, datagrams, and listening alone.
const cluster = require('cluster');
const dgram = require('dgram');
const fs = require('fs');
const net = require('net');
const path = require('path');

if (cluster.isWorker) {
  const servers = [];
  process.on('message', ({ act, where }) => {
    if (act === 'listen') {
      const server = net.createServer((socket) => socket.end(`${cluster.worker.id}`));
      servers.push(server);
      server.on('error', (error) => process.send({ error: error.code, syscall: error.syscall }));
      server.listen(where, () => process.send({ port: server.address()?.port ?? path.basename(server.address()), wraps: typeof server._handle.fd }));
    } else if (act === 'udp') {
      const socket = dgram.createSocket('udp4');
      socket.on('message', (message, { port }) => socket.send(`${message} to you`, port, '127.0.0.1'));
      socket.bind(where, () => process.send({ port: socket.address().port }));
    } else {
      process.send({ closed: servers.length });
      cluster.worker.disconnect();
    }
  });
  return;
}

const log = (...args) => console.log(...args);
const once = (emitter, event) => new Promise((done) => emitter.once(event, (...args) => done(args)));
const text = (where) => new Promise((done) => {
  let all = '';
  net.connect(where).setEncoding('utf8').on('data', (part) => { all += part; }).on('close', () => done(all));
});
// A port that is free for now: one of 0 would be another for each that asks.
const freePort = async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
};
const ask = async (worker, message) => {
  worker.send(message);
  const [answer] = await once(worker, 'message');
  return answer;
};

(async () => {
  const temporary = fs.mkdtempSync(path.join(require('os').tmpdir(), 'sharing-'));
  const workers = [1, 2, 3].map(() => cluster.fork());
  await Promise.all(workers.map((worker) => once(worker, 'online')));

  log('-- by turns');
  const port = await freePort();
  for (const worker of workers) log((await ask(worker, { act: 'listen', where: { port, host: '127.0.0.1' } })).port === port);
  const seen = [];
  for (let at = 0; at < 6; at++) seen.push(await text({ port, host: '127.0.0.1' }));
  log(seen.sort().join());

  log('-- a path');
  const name = path.join(temporary, 'socket');
  for (const worker of workers.slice(0, 2)) log(await ask(worker, { act: 'listen', where: { path: name } }));
  log([await text(name), await text(name)].sort().join());

  log('-- alone');
  const alone = await ask(workers[0], { act: 'listen', where: { port: 0, host: '127.0.0.1', exclusive: true } });
  log(alone.port > 0, alone.wraps);
  log(await ask(workers[1], { act: 'listen', where: { port: alone.port, host: '127.0.0.1', exclusive: true } }));
  log(await ask(workers[1], { act: 'listen', where: { port: alone.port, host: '127.0.0.1' } }));

  log('-- datagrams');
  const udp = { port: await freePort() };
  log((await ask(workers[0], { act: 'udp', where: { port: udp.port, address: '127.0.0.1' } })).port === udp.port);
  log((await ask(workers[1], { act: 'udp', where: { port: udp.port, address: '127.0.0.1' } })).port === udp.port);
  const socket = dgram.createSocket('udp4');
  socket.send('hello', udp.port, '127.0.0.1');
  log(`${(await once(socket, 'message'))[0]}`);
  socket.close();

  const over = Promise.all(workers.map((worker) => once(worker, 'disconnect')));
  for (const worker of workers.slice(2)) log(await ask(worker, { act: 'close' }));
  for (const worker of workers.slice(0, 2)) worker.kill();
  await over;
  fs.rmSync(temporary, { recursive: true });
})();
