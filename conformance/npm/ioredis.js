// ioredis: commands, pipelines, subscriptions and a server that is not there, with a Redis of a few commands on loopback.
'use strict';
const { createServer } = require('net');
const { once } = require('events');
const Redis = require('ioredis').default;

const bulk = (text) => (text === undefined ? '$-1\r\n' : `$${Buffer.byteLength(text)}\r\n${text}\r\n`);
const list = (parts) => `*${parts.length}\r\n${parts.join('')}`;
const values = new Map();
const listeners = [];

const commands = {
  ping: () => '+PONG\r\n',
  info: () => bulk('redis_version:7.0.0\r\nloading:0\r\n'),
  client: () => '+OK\r\n',
  set: (socket, key, value) => (values.set(key, value), '+OK\r\n'),
  get: (socket, key) => bulk(values.get(key)),
  incr(socket, key) {
    values.set(key, `${+(values.get(key) ?? 0) + 1}`);
    return `:${values.get(key)}\r\n`;
  },
  hgetall: () => list(['a', '1', 'b', 'ü'].map(bulk)),
  subscribe(socket, channel) {
    listeners.push([socket, channel]);
    return list([bulk('subscribe'), bulk(channel), ':1\r\n']);
  },
  publish(socket, channel, text) {
    const told = listeners.filter(([, name]) => name === channel);
    for (const [one] of told) one.write(list([bulk('message'), bulk(channel), bulk(text)]));
    return `:${told.length}\r\n`;
  },
  quit(socket) {
    setImmediate(() => socket.end());
    return '+OK\r\n';
  },
};

// One command at the beginning of some bytes, if it is all there: its words, and where it ends.
function parse(bytes) {
  let at = bytes.indexOf('\r\n');
  if (at === -1) return undefined;
  const words = [];
  const count = +bytes.subarray(1, at);
  let from = at + 2;
  while (words.length < count) {
    at = bytes.indexOf('\r\n', from);
    const end = at + 2 + +bytes.subarray(from + 1, at);
    if (at === -1 || bytes.length < end + 2) return undefined;
    words.push(bytes.subarray(at + 2, end).toString());
    from = end + 2;
  }
  return { words, end: from };
}

const server = createServer((socket) => {
  let bytes = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let command = parse(bytes); command !== undefined; command = parse(bytes)) {
      bytes = bytes.subarray(command.end);
      const [name, ...words] = command.words;
      const run = commands[name.toLowerCase()];
      socket.write(run ? run(socket, ...words) : `-ERR unknown command '${name}'\r\n`);
    }
  });
});

(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  const redis = new Redis({ port, host: '127.0.0.1', protocol: 2 });
  for (const event of ['connect', 'ready', 'close', 'end']) redis.on(event, () => console.log(event));
  console.log(await redis.set('a', 'ä'), await redis.get('a'), await redis.getBuffer('a'), await redis.get('none'));
  console.log(await redis.hgetall('h'));
  await redis.call('nothing').catch((error) => console.log(error.name, error.message));
  const results = await redis.pipeline().incr('n').get('n').call('nothing').exec();
  console.log(results.map(([error, value]) => error?.message ?? value));
  console.log((await Promise.all(Array.from({ length: 300 }, () => redis.incr('n')))).at(-1));
  const other = redis.duplicate();
  await other.subscribe('news');
  const message = once(other, 'message');
  console.log(await redis.publish('news', 'hello'), await message);
  other.disconnect();
  await once(other, 'end');
  console.log(await redis.quit());
  await once(redis, 'end');
  const nowhere = new Redis({ port: 1, host: '127.0.0.1', lazyConnect: true, retryStrategy: (times) => (times > 2 ? null : 1) });
  nowhere.on('error', (error) => console.log(error.code, error.syscall));
  const end = new Promise((done) => nowhere.once('end', done));
  await nowhere.connect().catch((error) => console.log(error.message));
  await end;
  server.close(() => console.log('closed'));
})();
