'use strict';
// What a server's socket says and does in the middle of things: bytes read, timeouts of others, an upgrade behind a response,
// handlers that throw.
const http = require('http');
const net = require('net');
const { once } = require('events');

const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

async function serve(options, handler, use) {
  const server = http.createServer(options, handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = net.connect(server.address().port, '127.0.0.1').on('error', () => {});
  client.text = '';
  client.on('data', (bytes) => client.text += bytes);
  await use(client, server);
  client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function until(client, end) {
  while (!client.text.endsWith(end)) await once(client, 'data');
}

async function bytesRead() {
  await serve({}, (request, response) => {
    const { socket } = request;
    console.log(request.url, 'in the handler', socket.bytesRead);
    request.on('data', () => console.log(request.url, 'with data', socket.bytesRead));
    request.on('end', () => response.end(request.url));
  }, async (client) => {
    client.write(get('/1'));
    await until(client, '/1');
    client.write('POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
    await until(client, '/2');
  });
}

// The time between two requests gives way to what somebody sets on the socket then.
async function idleTime() {
  for (const [name, set] of [['none', (socket) => socket.setTimeout(0)], ['long', (socket) => socket.setTimeout(60_000)]]) {
    const options = { keepAliveTimeout: 20, keepAliveTimeoutBuffer: 0 };
    await serve(options, (request, response) => {
      response.on('finish', () => set(request.socket));
      response.end(request.url);
    }, async (client, server) => {
      client.write(get('/1'));
      await until(client, '/1');
      // Another connection's time is over meanwhile.
      const other = net.connect(server.address().port, '127.0.0.1');
      server.prependOnceListener('request', (request, response) => response.on('close', () => request.socket.setTimeout(100)));
      other.write(get('/other'));
      other.resume();
      await once(other, 'close');
      console.log(name, client.readableEnded, client.destroyed);
    });
  }
}

// A response that is not over when its connection becomes another protocol's hears of the end.
async function upgrade() {
  await serve({}, (request, response) => {
    response.on('close', () => console.log('closed', request.url, response.writableFinished));
  }, async (client, server) => {
    client.write(get('/slow') + get('/up', 'Connection: upgrade\r\nUpgrade: a\r\n'));
    const [request, socket] = await once(server, 'upgrade');
    console.log(request.url, socket.listenerCount('close'));
    socket.destroy();
    await once(socket, 'close');
  });
}

// Whoever throws has no more requests.
async function thrown() {
  const said = [];
  process.on('uncaughtException', (error) => said.push(error.message));
  const post = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
  for (const [where, text] of [['head', get('/1')], ['head', post + get('/2')], ['body', post + get('/2')]]) {
    await serve({}, (request, response) => {
      said.push(request.url);
      response.end(request.url);
      if (where === 'head') throw new Error(where);
      request.on('data', () => { throw new Error(where); });
    }, async (client, server) => {
      server.on('clientError', (error, socket) => {
        said.push(error.code, error.message, String(error.rawPacket).slice(0, 6));
        socket.end('bad');
      });
      client.write(text);
      await until(client, '/1');
      client.write(get('/3'));
      await until(client, 'bad');
    });
    console.log(where, said.splice(0));
  }
  process.removeAllListeners('uncaughtException');
}

(async () => {
  await bytesRead();
  await idleTime();
  await upgrade();
  await thrown();
})();
