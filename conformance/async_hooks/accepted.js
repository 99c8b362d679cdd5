'use strict';
// Which store there is when a socket that a server has accepted hears of something: none of those of who listens or was called.
const http = require('http');
const net = require('net');
const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
const tell = (what) => console.log(what, storage.getStore());

const server = storage.run('make', () => net.createServer());
server.on('connection', (socket) => {
  tell('connection');
  socket.on('data', () => {
    tell('data');
    socket.write('pong', () => tell('written'));
  });
  storage.run('inner', () => socket.on('end', () => tell('end')));
  socket.on('close', () => tell('close'));
  socket.setTimeout(20, () => tell('timeout'));
  storage.enterWith('entered');
});
storage.run('listen', () => server.listen(0, '127.0.0.1', () => {
  tell('listening');
  storage.run('client', () => {
    const client = net.connect(server.address().port, '127.0.0.1', () => {
      tell('connected');
      storage.run('write', () => client.write('ping'));
    });
    client.on('data', () => {
      tell('answered');
      setTimeout(() => storage.run('end', () => client.end()), 40);
    });
    client.on('close', () => {
      tell('closed');
      storage.run('closing', () => server.close(() => {
        tell('server closed');
        storage.exit(serve);
      }));
    });
  });
}));

function serve() {
  const web = http.createServer((request, response) => {
    tell(`request ${request.url}`);
    storage.enterWith(request.url);
    request.on('end', () => tell('request ended'));
    if (request.url === '/b') response.on('finish', () => tell('finish'));
    request.socket.once('close', () => tell('socket closed'));
    if (request.url === '/c') request.resume();
    response.end('a');
  });
  storage.run('web', () => web.listen(0, '127.0.0.1', () => {
    const agent = new http.Agent({ keepAlive: true });
    const get = (path, then) => http.get({ port: web.address().port, host: '127.0.0.1', path, agent }, (response) => {
      response.resume().on('end', () => setTimeout(then, 5));
    });
    get('/a', () => get('/b', () => get('/c', () => {
      agent.destroy();
      web.close();
    })));
  }));
}
