// A server with responses of a megabyte.
const http = require('http');
const body = Buffer.alloc(1 << 20, 'x');
http.createServer((request, response) => {
  response.setHeader('content-type', 'application/octet-stream');
  response.end(body);
}).listen(+process.argv[2] || 9103, '127.0.0.1', () => console.error('up'));
