'use strict';
// What `socket.timeout` is: none before one is set, and the server's between two requests.
const http = require('http');
const net = require('net');

const show = (what, socket) => console.log(what, socket.timeout);

const alone = new net.Socket();
show('new', alone);
for (const ms of [0, 5, 0]) show(`set ${ms}`, alone.setTimeout(ms));
show('destroyed', alone.destroy());

function sockets() {
  const server = net.createServer((socket) => {
    show('accepted', socket);
    for (const ms of [0, 50_000, 0]) show(`set ${ms}`, socket.setTimeout(ms));
    socket.end();
    socket.resume();
  });
  server.listen(0, () => {
    const socket = net.connect(server.address().port);
    show('made', socket);
    socket.resume();
    socket.on('connect', () => show('connected', socket));
    socket.on('close', () => {
      show('closed', socket);
      server.close(() => requests(false));
    });
  });
}

function requests(isHeard) {
  console.log(isHeard ? '# with a listener to connections' : '# requests');
  const server = http.createServer((request, response) => {
    const { socket, url } = request;
    show(url, socket);
    if (url === '/0') socket.setTimeout(0);
    if (url === '/5') socket.setTimeout(5_000);
    if (url === '/both') {
      request.setTimeout(4_000);
      show('of the request', socket);
      response.setTimeout(3_000);
      show('of the response', socket);
    }
    response.on('finish', () => show('finish', socket));
    response.on('close', () => show('close', socket));
    response.end();
  });
  if (isHeard) server.on('connection', (socket) => show('connection', socket));
  server.listen(0, async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const path of ['/', '/again', '/0', '/5', '/plain', '/both', '/last']) {
      await new Promise((resolve) => {
        http.get({ port: server.address().port, path, agent }, (response) => {
          response.resume();
          response.on('close', () => setImmediate(resolve));
        });
      });
    }
    agent.destroy();
    server.close(() => (isHeard ? ofServer() : requests(true)));
  });
}

function ofServer() {
  console.log('# of the server');
  const server = http.createServer((request, response) => {
    show('request', request.socket);
    response.on('close', () => show('close', request.socket));
    response.end();
  });
  server.timeout = 7_000;
  server.listen(0, () => {
    http.get({ port: server.address().port, timeout: 6_000 }, (response) => {
      show('client', response.socket);
      response.resume();
      response.on('close', () => {
        server.close();
        server.closeAllConnections();
      });
    });
  });
}

sockets();
