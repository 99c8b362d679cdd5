// socket.io: a server and clients by WebSocket, by polling and from one to the other; rooms, namespaces, middleware, bytes.
'use strict';
const { once } = require('events');
const http = require('http');
const { Server } = require('socket.io');
const { io: connect } = require('socket.io-client');

const log = (...words) => console.log(...words);
const server = http.createServer();
// Hears why the server thinks that a client has left.
let leave;
const io = new Server(server, { connectTimeout: 5000 });
io.use((socket, next) => (socket.handshake.auth.token === 'ok' ? next() : next(Object.assign(new Error('refused'), { data: { code: 1 } }))));
io.on('connection', (socket) => {
  socket.join('room');
  socket.on('ask', (number, bytes, answer) => { log('server', number, bytes); answer({ more: number + 1 }, Buffer.from('answer')); });
  socket.on('all', (message) => io.to('room').except('nobody').emit('all', message));
  socket.on('disconnect', (reason) => leave(reason));
});
io.of('/other').on('connection', (socket) => socket.emit('welcome', socket.nsp.name, socket.conn.transport.name));

async function talk(transports) {
  const client = connect(`http://127.0.0.1:${server.address().port}`, { auth: { token: 'ok' }, transports, forceNew: true });
  await new Promise((resolve) => client.on('connect', resolve));
  log(transports, typeof client.id, client.connected);
  log(...await new Promise((resolve) => client.emit('ask', 41, Buffer.from([1, 2]), (...answer) => resolve(answer))));
  const all = new Promise((resolve) => client.on('all', resolve));
  client.emit('all', { list: [1, 'é', null, { bytes: new Uint8Array([7]) }] });
  log(await all);
  await client.timeout(50).emitWithAck('nobody listens').catch((error) => log(error.message));
  while (client.io.engine.transport.name !== transports.at(-1)) await new Promise((resolve) => setTimeout(resolve, 5));
  const left = new Promise((resolve) => { leave = resolve; });
  const gone = new Promise((resolve) => client.on('disconnect', resolve));
  client.disconnect();
  log('client', await gone, 'server', await left);
}

async function main() {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const refused = connect(url, { forceNew: true, reconnection: false });
  await new Promise((resolve) => refused.on('connect_error', (error) => { log(error.message, error.data); resolve(); }));
  refused.close();
  for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']]) await talk(transports);
  const other = connect(`${url}/other`, { forceNew: true, transports: ['websocket'] });
  await new Promise((resolve) => other.on('welcome', (...words) => { log(...words); resolve(); }));
  other.close();
  const none = connect(`${url}/none`, { forceNew: true, transports: ['websocket'] });
  await new Promise((resolve) => none.on('connect_error', (error) => { log(error.message); resolve(); }));
  none.close();
  await io.close();
  log('closed');
}

main();
