'use strict';
// Which requests share a socket, which wait, and what agents list.
const http = require('http');

const sockets = new Map();
const nameOf = (socket) => {
  if (!sockets.has(socket)) sockets.set(socket, `socket ${sockets.size + 1}`);
  return sockets.get(socket);
};
const server = http.createServer((request, response) => {
  console.log('server', request.url, nameOf(request.socket), request.headers.connection);
  setImmediate(() => response.end(request.url));
});
const port = () => server.address().port;
const shape = (agent) => JSON.stringify([agent.sockets, agent.freeSockets, agent.requests].map((set) =>
  Object.keys(set).map((key) => `${key.replace(`${port()}`, 'port')} ${set[key].length}`)));

const ask = (agent, path) => new Promise((done) => {
  const request = http.get({ agent, path, port: port(), host: '127.0.0.1' }, (response) => {
    response.resume();
    response.on('end', () => console.log('end', path, request.reusedSocket));
  });
  request.on('error', (error) => console.log(path, error.code, error.message));
  request.on('close', () => done());
});
const turn = () => new Promise((done) => setTimeout(done, 20));

server.listen(0, '127.0.0.1', async () => {
  const kept = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const asked = [ask(kept, '/1'), ask(kept, '/2'), ask(kept, '/3')];
  console.log('waiting', shape(kept));
  await Promise.all(asked);
  await turn();
  console.log('kept', shape(kept));
  await ask(kept, '/4');
  kept.destroy();
  await turn();
  console.log('destroyed', shape(kept));

  const closing = new http.Agent();
  await ask(closing, '/5');
  await ask(closing, '/6');
  console.log('closing', shape(closing));

  const few = new http.Agent({ keepAlive: true, maxFreeSockets: 1 });
  await Promise.all([ask(few, '/7'), ask(few, '/8')]);
  await turn();
  console.log('few', shape(few), few.totalSocketCount);
  few.destroy();
  console.log(kept.getName({ host: 'h', port: 1, localAddress: 'l', family: 6 }), kept.getName());
  for (const options of [{ scheduling: 'x' }, { maxTotalSockets: 'x' }, { maxTotalSockets: 0 }]) {
    try {
      new http.Agent(options);
    } catch (error) {
      console.log(error.code, error.message);
    }
  }
  for (const options of [
    { agent: {} }, { protocol: 'https:' }, { path: '/a b' }, { method: 'a b' }, { hostname: 5 }, { timeout: -1 }, { method: 5 },
    { insecureHTTPParser: 1 }, { headers: { 'a b': 1 } }, { maxHeaderSize: -1 },
  ]) {
    try {
      http.request(options);
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
  }
  server.close(() => console.log('closed'));
});
