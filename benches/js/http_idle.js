// A server that keeps all connections open, to measure the memory of an idle one.
const http = require('http');
const server = http.createServer((request, response) => response.end('hello world'));
server.keepAliveTimeout = 0;
server.listen({ port: +process.argv[2] || 9104, host: '127.0.0.1', backlog: 4096 }, () => console.error('up'));
