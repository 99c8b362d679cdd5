'use strict';
// What keeps the process alive, as users know it: `process._getActiveHandles()`.
const { spawn } = require('child_process');
const dgram = require('dgram');
const fs = require('fs');
const net = require('net');

// Standard streams are what the test is run with.
const standard = () => [process.stdin, process.stdout, process.stderr];
const active = () => process._getActiveHandles().filter((one) => !standard().includes(one));
const told = (name, ...ours) => {
  console.log(name, active().map((one) => one.constructor.name).sort(), ours.map((one) => active().includes(one)));
};
const until = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));
const ended = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

(async () => {
  told('nothing');
  const server = net.createServer().listen(0, '127.0.0.1');
  await until(server, 'listening');
  told('a server', server);
  const client = net.connect(server.address().port, '127.0.0.1');
  const accepted = await until(server, 'connection');
  if (client.connecting) await until(client, 'connect');
  told('a connection', server, client, accepted);
  client.unref();
  told('one end let go', client, accepted);
  client.ref();
  told('and taken back', client);
  client.destroy();
  accepted.destroy();
  server.close();
  await until(server, 'close');
  await ended();
  told('closed');

  const socket = dgram.createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await until(socket, 'listening');
  told('a socket of datagrams', socket);
  socket.close();
  await ended();

  const watcher = fs.watch(__dirname);
  const file = fs.watchFile(__filename, () => {});
  told('watchers', watcher, file);
  watcher.close();
  fs.unwatchFile(__filename);
  await ended();

  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  told('a child', child, child.stdin);
  child.stdin.end();
  await until(child, 'close');
  await ended();

  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => {});
  told('a port', port1, port2);
  port1.close();
  await until(port1, 'close');
  await ended();
  const timer = setTimeout(() => {}, 1000);
  told('a timer is none');
  clearTimeout(timer);
})();

// Requests have no more than their names.
const requests = () => process._getActiveRequests().map((one) => one.constructor.name);
fs.stat(__filename, () => {});
console.log('requests', requests());
