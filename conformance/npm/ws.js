// ws: servers and clients over loopback: text, bytes, fragments, compression, pings, closing codes, limits, upgrades by hand.
'use strict';
const { WebSocket, WebSocketServer, createWebSocketStream } = require('ws');
const { createHash } = require('crypto');
const { once } = require('events');
const http = require('http');
const net = require('net');

const log = (...words) => console.log(...words);
// What the server sees is told at the end: which side hears first of a close is nobody's promise.
const seen = [];
const note = (...words) => seen.push(words.join(' '));
const server = http.createServer((request, response) => response.end('plain http'));
const echo = new WebSocketServer({ noServer: true, maxPayload: 200_000, handleProtocols: (protocols) => (protocols.has('chat') ? 'chat' : false) });
const packed = new WebSocketServer({ noServer: true, perMessageDeflate: { threshold: 0, zlibDeflateOptions: { level: 9 } } });
server.on('upgrade', (request, socket, head) => {
  if (request.url === '/echo') echo.handleUpgrade(request, socket, head, (client) => echo.emit('connection', client, request));
  else if (request.url === '/packed') packed.handleUpgrade(request, socket, head, (client) => packed.emit('connection', client, request));
  else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno\n');
});
for (const wss of [echo, packed]) {
  wss.on('connection', (client, request) => {
    note('connection', request.url, request.headers['x-from'] ?? 'nobody', JSON.stringify(client.protocol), client.extensions || 'no extensions');
    client.on('message', (data, isBinary) => {
      if (String(data) === 'close me') client.close(4001, 'as you wish');
      else if (String(data) === 'drop me') client.terminate();
      else client.send(data, { binary: isBinary });
    });
    client.on('close', (code, reason) => note('close', code, String(reason)));
    client.on('error', (error) => note('error', error.code, error.message));
    client.on('ping', (data) => note('ping', String(data)));
  });
}

const summary = (data, isBinary) => (data.length > 60 ? `${data.length} bytes ${createHash('md5').update(data).digest('hex')}`  : data.toString(isBinary ? 'hex' : 'utf8'));

async function main(port) {
  const open = async (path, protocols, options) => {
    const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, options);
    client.on('error', (error) => log('client: error', error.code ?? '', error.message));
    await once(client, 'open');
    return client;
  };
  const answer = async (client, ...words) => {
    client.send(...words);
    const [data, isBinary] = await once(client, 'message');
    log('answer', isBinary, summary(data, isBinary));
  };

  const client = await open('/echo', ['other', 'chat'], { headers: { 'X-From': 'test' } });
  log('open', client.protocol, client.readyState === WebSocket.OPEN, client.url.replace(/\d+\/echo/, 'N/echo'), echo.clients.size);
  await answer(client, 'text with ü and 🙂');
  await answer(client, Buffer.from([0, 1, 2, 255]));
  await answer(client, new Uint16Array([258, 772]));
  await answer(client, 'x'.repeat(126));
  await answer(client, Buffer.alloc(70_000, 'big'));
  await answer(client, '');
  client.send('frag', { fin: false });
  client.send('ment', { fin: false });
  await answer(client, 'ed', { fin: true });
  const pong = once(client, 'pong');
  client.ping('are you there');
  log('pong', String((await pong)[0]));
  const all = Array.from({ length: 50 }, (_, at) => `message ${at}`);
  const got = [];
  const done = new Promise((resolve) => client.on('message', (data) => { got.push(String(data)); if (got.length === all.length) resolve(); }));
  for (const text of all) client.send(text);
  await done;
  client.removeAllListeners('message');
  log('in order', got.join() === all.join(), 'buffered', client.bufferedAmount);
  client.send('close me');
  log('closed', ...(await once(client, 'close')).map(String), client.readyState === WebSocket.CLOSED);
  client.send('too late', (error) => log('late', error.message));

  const small = await open('/packed', undefined, { perMessageDeflate: { threshold: 0 } });
  log('extensions', small.extensions);
  await answer(small, 'compress '.repeat(5000));
  await answer(small, Buffer.alloc(100_000, 'aaab'));
  small.close(1000, 'bye');
  log('closed', ...(await once(small, 'close')).map(String));

  // The interface of browsers, and what goes wrong.
  const browser = new WebSocket(`ws://127.0.0.1:${port}/echo`);
  browser.binaryType = 'arraybuffer';
  await new Promise((resolve) => {
    browser.addEventListener('open', (event) => { log(event.type, event.target === browser); browser.send(new Uint8Array([7, 8])); });
    browser.onmessage = ({ data }) => { log('message', data); browser.close(); };
    browser.onclose = ({ code, reason, wasClean }) => { log('close', code, reason, wasClean); resolve(); };
  });
  const large = await open('/echo');
  large.send(Buffer.alloc(300_000));
  log('too large', ...(await once(large, 'close')).map(String));
  const dropped = await open('/echo');
  dropped.send('drop me');
  log('dropped', ...(await once(dropped, 'close')).map(String));
  const forbidden = `ws://127.0.0.1:${port}/forbidden`;
  log('refused', await once(new WebSocket(forbidden), 'open').catch((error) => error.message));
  const [request, response] = await once(new WebSocket(forbidden), 'unexpected-response');
  log('unexpected', response.statusCode, response.headers['content-length']);
  request.destroy();
  log('protocol', await once(new WebSocket(`ws://127.0.0.1:${port}/echo`, 'other'), 'open').catch((error) => error.message));
  try { new WebSocket('http//nonsense'); } catch (error) { log(error.name, error.message); }
  const nobody = new WebSocket('ws://127.0.0.1:1');
  log('nobody', await once(nobody, 'open').catch((error) => error.code));

  // As a stream; and a frame that no client may send: one that is not masked.
  const stream = createWebSocketStream(await open('/echo'), { encoding: 'utf8' });
  stream.write('through a stream');
  log(String((await once(stream, 'data'))[0]));
  stream.end();
  await once(stream.resume(), 'close');
  const raw = net.connect(port, '127.0.0.1');
  const key = Buffer.from('0123456789abcdef').toString('base64');
  raw.write(`GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
  const [head] = await once(raw, 'data');
  log(String(head).trim().split('\r\n'));
  raw.write(Buffer.from([0x81, 0x02, 0x68, 0x69]));
  const [frame] = await once(raw, 'data');
  log('close frame', frame[0].toString(16), frame.readUInt16BE(2));
  await once(raw, 'close');
  const [bad] = await once(http.get({ port, host: '127.0.0.1', path: '/echo', headers: { Connection: 'Upgrade', Upgrade: 'websocket' } }), 'response');
  log('without a key', bad.statusCode, bad.headers['sec-websocket-version'] ?? null);
  bad.resume();
  await once(bad, 'close');

  const alone = new WebSocketServer({ port: 0, host: '127.0.0.1', verifyClient: ({ req }, done) => done(req.url === '/in', 401, 'not you') });
  await once(alone, 'listening');
  const { port: second } = alone.address();
  log('verify', await once(new WebSocket(`ws://127.0.0.1:${second}/out`), 'open').catch((error) => error.message));
  const inside = new WebSocket(`ws://127.0.0.1:${second}/in`);
  await once(inside, 'open');
  for (const one of alone.clients) one.send('to all');
  log(String((await once(inside, 'message'))[0]));
  const closed = new Promise((resolve) => alone.close(resolve));
  for (const one of alone.clients) one.close(1001);
  log('gone', ...(await once(inside, 'close')).map(String));
  await closed;
  server.close(() => log('closed', seen));
}

server.listen(0, '127.0.0.1', () => main(server.address().port));
