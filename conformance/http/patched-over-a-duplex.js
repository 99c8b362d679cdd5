// A server takes any Duplex for a connection, also if the program has patched a method of its messages: the Duplex has no timer to restart.
const http = require('http');
const { duplexPair } = require('stream');

const { writeHead } = http.ServerResponse.prototype;
http.ServerResponse.prototype.writeHead = function(...args) {
  console.log('writeHead', args[0]);
  return writeHead.apply(this, args);
};
const server = http.createServer((request, response) => {
  console.log(request.method, request.url);
  request.on('data', (chunk) => console.log(String(chunk))).on('end', () => response.end('done'));
});
const [client, connection] = duplexPair();
server.emit('connection', connection);

const request = http.request({ createConnection: () => client, method: 'POST', path: '/a', headers: { Connection: 'close' } });
request.on('response', (response) => {
  console.log(response.statusCode);
  response.on('data', (chunk) => console.log(String(chunk))).on('end', () => console.log('end'));
});
request.end('body');
