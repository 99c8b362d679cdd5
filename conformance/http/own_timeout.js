'use strict';
// Whether a socket has a `timeout` of its own, and which.
const http = require('http');
const net = require('net');

const told = (where, socket) => console.log(where, Object.hasOwn(socket, 'timeout'), socket.timeout);

async function serve(set, ask) {
  const server = http.createServer((request, response) => {
    told('  a request', request.socket);
    response.end();
  });
  set(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await ask(server.address().port);
  await new Promise((resolve) => server.close(resolve));
}

const ask = (port, agent) => new Promise((resolve) => {
  const request = http.get({ port, host: '127.0.0.1', agent }, (response) => {
    told('  an answer', request.socket);
    response.resume().on('end', () => setImmediate(resolve));
  });
  request.on('socket', (socket) => told('  a socket', socket));
});

(async () => {
  const alone = new net.Socket();
  told('new', alone);
  alone.setTimeout(0);
  told('none', alone);
  alone.setTimeout(10);
  told('ten', alone);
  alone.setTimeout(0);
  told('none again', alone);

  console.log('a server that is told of connections');
  await serve((server) => server.on('connection', (socket) => told('  a connection', socket)), async (port) => {
    const agent = new http.Agent({ keepAlive: true });
    await ask(port, agent);
    await ask(port, agent);
    agent.destroy();
  });
  console.log('and that has a timeout');
  await serve((server) => {
    server.timeout = 1000;
    server.on('connection', (socket) => told('  a connection', socket));
  }, async (port) => {
    const agent = new http.Agent({ keepAlive: true });
    await ask(port, agent);
    await ask(port, agent);
    agent.destroy();
  });
  console.log('and that keeps no connection');
  await serve((server) => {
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => told('  a connection', socket));
  }, (port) => ask(port, false));
  console.log('one that is not');
  await serve(() => {}, (port) => ask(port, false));
})();
