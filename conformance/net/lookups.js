'use strict';
// What a socket does with what a `lookup` of one's own answers.
const net = require('net');

const good = { address: '127.0.0.1', family: 4 };
const answers = {
  'an empty list': [[]], 'undefined': [undefined], 'null': [null], 'an address': ['127.0.0.1'], 'an empty one': ['', 4],
  'one and its family': ['127.0.0.1', 4], 'one and the other family': ['127.0.0.1', 6], 'one and no family': ['127.0.0.1', 5],
  'one and a family in words': ['127.0.0.1', 'IPv4'], 'no address': ['x', 4], 'a number': [1, 4], 'an object': [good],
  'a list of addresses': [['127.0.0.1']], 'a list of null': [[null]], 'a list of numbers': [[1]], 'a list': [[good]],
  'a list with no family': [[{ address: '127.0.0.1', family: 5 }]], "a list with '4'": [[{ address: '127.0.0.1', family: '4' }]],
  'a list without family': [[{ address: '127.0.0.1' }]], 'a list with the other family': [[{ address: '127.0.0.1', family: 6 }]],
  'a list with the other address': [[{ address: '::1', family: 4 }]], 'a list with no address': [[{ address: 'x', family: 4 }]],
  'bad and good': [[{ address: 'x', family: 4 }, good]],
  'no family and good': [[{ address: '127.0.0.1', family: 5 }, good]],
  'two bad': [[{ address: '127.0.0.1', family: 5 }, { address: 'x', family: 4 }]], 'an empty object': [[{}]],
  'two good': [[good, good]], 'a set': [new Set([good])], 'true': [true], 'like a list': [{ length: 1, 0: good }],
};

let heard;
process.on('uncaughtException', ({ name }) => {
  heard.push(`uncaught ${name}`);
  process.emit('thrown');
});

async function connect(name, options) {
  const server = net.createServer((socket) => socket.end());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  heard = [];
  const hide = (text) => `${text}`.replaceAll(port, 'PORT');
  const lookup = (host, asked, callback) => setImmediate(() => callback(null, ...answers[name]));
  const socket = net.connect({ port, host: 'some.name', lookup, ...options }).resume();
  socket.on('lookup', (error, address, family, host) => heard.push(`lookup ${JSON.stringify([error, address, family, host])}`));
  socket.on('connectionAttempt', (address, _, family) => heard.push(`attempt ${address} ${family}`));
  socket.on('connectionAttemptFailed', (address, _, family, { code }) => heard.push(`failed ${address} ${family} ${code}`));
  socket.on('connect', () => heard.push('connect'));
  socket.on('error', ({ address, code, host, message, port: at }) => heard.push(hide([code, message, address, at, host].join(', '))));
  await Promise.race([
    new Promise((resolve) => socket.on('close', resolve)), new Promise((resolve) => process.once('thrown', resolve)),
  ]);
  process.removeAllListeners('thrown');
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  console.log(`${name} ${JSON.stringify(options)}: ${heard.join(' | ')}`);
}

function family(options) {
  const { promise, resolve } = Promise.withResolvers();
  const lookup = (host, { all }, callback) => callback(null, ...(all ? [[{ address: '127.0.0.1', family: 5 }]] : ['127.0.0.1', 5]));
  net.connect({ port: 80, ...options, lookup }).on('error', ({ code, host, message, port }) => {
    console.log(options, code, message, [host, port]);
    resolve();
  });
  return promise;
}

(async () => {
  for (const name of Object.keys(answers)) {
    await connect(name, {});
    await connect(name, { family: 4 });
    await connect(name, { autoSelectFamily: false });
  }
  for (const options of [{}, { port: '80' }, { host: '' }, { host: 'some.name', port: '81' }]) {
    await family({ ...options, autoSelectFamily: true });
    await family({ ...options, autoSelectFamily: false });
  }
})();
