// An http server under a bounded load: keep-alive and fresh connections, bodies both ways, a stalled reader, a client that hangs up.
'use strict';
const http = require('http');
const crypto = require('crypto');
const { once } = require('events');

const body = Buffer.alloc(100_000, 'phasor ');

const server = http.createServer((request, response) => {
  if (request.url === '/big') {
    // Larger than any socket buffer: the response has to wait for the reader.
    for (let part = 0; part < 40; part++) response.write(body);
    return response.end();
  }
  const hash = crypto.createHash('sha256');
  request.on('data', (data) => hash.update(data));
  request.on('end', () => response.end(`${request.method} ${request.url} ${hash.digest('hex').slice(0, 8)}`));
});

function ask(port, agent, method, path, data) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, agent, method, path }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (data) => { text += data; });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject).end(data);
  });
}

async function load(port, agent, total, atATime) {
  let next = 0;
  const seen = new Map();
  await Promise.all(Array.from({ length: atATime }, async () => {
    while (next < total) {
      const turn = next++;
      const answer = turn % 3 === 0 ? await ask(port, agent, 'POST', '/post', body.subarray(0, turn))
        : await ask(port, agent, 'GET', `/get${turn % 3}`);
      const key = `${answer.status} ${answer.text.split(' ').slice(0, 2).join(' ')}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  }));
  return [...seen].sort();
}

(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
  console.log('keep-alive', await load(port, agent, 1500, 50));
  console.log('fresh', await load(port, false, 300, 25));

  const big = await ask(port, agent, 'GET', '/big');
  console.log('big', big.status, big.text.length);

  const stalled = await new Promise((resolve) => {
    http.get({ port, path: '/big', agent: false }, (response) => {
      let length = 0;
      response.pause();
      setTimeout(() => response.resume(), 50);
      response.on('data', (data) => { length += data.length; });
      response.on('end', () => resolve(length));
    });
  });
  console.log('stalled', stalled);

  const error = await new Promise((resolve) => {
    const request = http.get({ port, path: '/big', agent: false }, () => request.destroy(new Error('hung up')));
    request.on('error', resolve);
  });
  console.log('hang-up', error.message);

  agent.destroy();
  server.close();
  await once(server, 'close');
  const refused = await ask(port, false, 'GET', '/').catch((error) => error);
  console.log('closed', refused.code, refused.syscall);
  console.log('done');
})();
