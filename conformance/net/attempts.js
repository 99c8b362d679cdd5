'use strict';
// What a socket tells of its attempts to connect, also if there is one address, or none.
const net = require('net');

const events = [
  'lookup', 'connectionAttempt', 'connectionAttemptFailed', 'connectionAttemptTimeout', 'connect', 'ready', 'error', 'close',
];

async function connect(what, options) {
  console.log(`# ${what}`);
  const shown = (value) => {
    if (value instanceof Error) return `${value.code} ${value.message.replace(/:\d+/, ':port')} ${Object.keys(value)}`;
    return value === options.port && value !== undefined ? 'port' : JSON.stringify(value);
  };
  const socket = net.connect(options);
  for (const event of events) socket.on(event, (...args) => console.log(event, ...args.map(shown)));
  socket.on('connect', () => socket.destroy());
  await new Promise((resolve) => socket.on('close', resolve));
}

const server = net.createServer((socket) => socket.on('error', () => {}).resume());
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const found = (address) => (host, options, callback) => {
    if (options.all) setImmediate(callback, null, [{ address, family: 4 }]);
    else setImmediate(callback, null, address, 4);
  };
  const blockList = new net.BlockList();
  blockList.addAddress('127.0.0.1');

  await connect('an address', { port, host: '127.0.0.1' });
  await connect('a name of one address', { port, host: 'a', lookup: found('127.0.0.1') });
  await connect('one family', { port, host: 'a', lookup: found('127.0.0.1'), autoSelectFamily: false });
  await connect('blocked', { port, host: '127.0.0.1', blockList });
  await connect('a path without anybody', { path: 'nobody' });
  await connect('a path that is none', { path: 'a\0b' });

  await new Promise((resolve) => server.close(resolve));
  await connect('nobody there', { port, host: '127.0.0.1' });
  await connect('nobody there, from an address', { port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  await connect('from an address that is not here', { port, host: '127.0.0.1', localAddress: '192.0.2.1' });
  await connect('from an address of the other family', { port, host: '127.0.0.1', localAddress: '::1' });
  await connect('nobody there, by name', { port, host: 'a', lookup: found('127.0.0.1'), autoSelectFamily: false });

  const socket = new net.Socket();
  try {
    socket.setTimeout(1, 'no function');
  } catch (error) {
    console.log(error.code, socket.timeout);
  }
  const limit = setTimeout(() => console.log('no timeout'), 10_000);
  socket.on('timeout', () => {
    console.log('timeout all the same');
    clearTimeout(limit);
  });
});
