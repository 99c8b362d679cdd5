'use strict';
// Handles that go to a fork: sockets, servers, datagram sockets; and messages that wait behind them.
const { fork } = require('child_process');
const dgram = require('dgram');
const net = require('net');

if (process.argv[2] === 'child') {
  process.on('message', (message, handle) => {
    process.send(['got', message, handle === undefined ? 'nothing' : handle.constructor.name]);
    if (message === 'socket') {
      handle.end(`child: ${handle.remoteAddress}`);
    } else if (message === 'kept') {
      handle.write('from the child ', () => process.send('written'));
    } else if (message === 'server') {
      handle.once('connection', (socket) => {
        socket.end('served by the child');
        handle.close(() => process.send('closed'));
      });
      process.send('listening');
    } else if (message === 'datagrams') {
      handle.once('message', (text) => {
        process.send(['datagram', `${text}`]);
        handle.close();
      });
      process.send('bound');
    } else if (message === 'end') {
      process.disconnect();
    }
  });
  return;
}

const child = fork(__filename, ['child']);
const log = (...args) => console.log(...args);
const heard = (what) => new Promise((done) => {
  child.on('message', function listen(message) {
    if (JSON.stringify(message) !== JSON.stringify(what)) return;
    child.removeListener('message', listen);
    log('parent', JSON.stringify(message));
    done();
  });
});
const text = (socket) => new Promise((done) => {
  let all = '';
  socket.setEncoding('utf8').on('data', (part) => { all += part; }).on('end', () => done(all));
});
const connected = (port) => new Promise((done) => { const socket = net.connect(port, '127.0.0.1', () => done(socket)); });
const listening = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));

(async () => {
  log('-- a socket');
  const server = net.createServer();
  const port = await listening(server);
  const accepted = new Promise((done) => server.once('connection', done));
  const client = await connected(port);
  const socket = await accepted;
  const told = heard(['got', 'socket', 'Socket']);
  const behind = heard(['got', 'behind', 'nothing']);
  log(child.send('socket', socket), child.send('behind'), child.send('last'));
  log(socket._handle);
  await Promise.all([told, behind, heard(['got', 'last', 'nothing'])]);
  log(await text(client));
  await new Promise((done) => server.getConnections((error, count) => done(log('connections', error, count === 0 || count === 1))));

  log('-- kept open');
  const acceptedNext = new Promise((done) => server.once('connection', done));
  const other = await connected(port);
  const kept = await acceptedNext;
  const received = text(other);
  const written = heard('written');
  const sent = new Promise((done) => child.send('kept', kept, { keepOpen: true }, done));
  await written;
  log('sent', await sent);
  log(kept._handle !== null);
  kept.end('and the parent');
  // The child has it open: the end is not seen until it goes too.
  const closed = new Promise((done) => server.close(done));

  log('-- a server');
  const shared = net.createServer(() => log('not here'));
  const where = await listening(shared);
  const isListening = heard('listening');
  child.send('server', shared);
  await isListening;
  shared.close();
  const isClosed = heard('closed');
  log(await text(await connected(where)));
  await isClosed;

  log('-- datagrams');
  const udp = dgram.createSocket('udp4');
  await new Promise((done) => udp.bind(0, '127.0.0.1', done));
  const bound = heard('bound');
  const got = heard(['datagram', 'hello']);
  child.send('datagrams', udp);
  await bound;
  const { port: to } = udp.address();
  udp.close();
  const sender = dgram.createSocket('udp4');
  sender.send('hello', to, '127.0.0.1', () => sender.close());
  await got;

  log('-- errors');
  for (const bad of [{}, 1, new (require('events'))()]) {
    try {
      child.send('x', bad);
    } catch (error) {
      log(error.code, error.message);
    }
  }
  child.on('disconnect', () => log('disconnect', child.connected, child.channel));
  child.on('exit', (code, signal) => log('exit', code, signal));
  child.on('close', () => log('close'));
  child.send('end');
  log(await received);
  await closed;
  log('server closed');
})();
