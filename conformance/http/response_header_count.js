// How many header fields of a response a client keeps: `maxHeadersCount` (2000 names and values by default) and `maxHeaderSize`.
const http = require('http');
const net = require('net');

const head = (count) => {
  const fields = Array.from({ length: count }, (_, at) => `h${at}: v`);
  return `HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`;
};

const cases = [
  [10], [31], [32], [999], [1000], [1500],
  [10, 5], [31, 5], [32, 5], [40, 5], [40, 35], [10, 0], [1500, 0], [1500, 1200], [10, -1], [10, 'x'],
  [10, undefined, 30], [1500, undefined, 100], [3000, 0, 100_000], [3000, 2500, 100_000],
];

(function next() {
  if (cases.length === 0) return;
  const [count, limit, maxHeaderSize] = cases.shift();
  const label = `${count} fields, limit ${limit}, size ${maxHeaderSize}:`;
  const server = net.createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(head(count)));
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const request = http.get({ host: '127.0.0.1', port, agent: false, maxHeaderSize }, (response) => {
      const { headers, headersDistinct, rawHeaders } = response;
      const last = Object.keys(headers).at(-1);
      console.log(label, Object.keys(headers).length, last, Object.keys(headersDistinct).length, rawHeaders.length);
      response.resume().on('end', () => server.close(next));
    });
    request.on('error', (error) => {
      console.log(label, error.code, error.reason);
      server.close(next);
    });
    if (limit !== undefined) request.maxHeadersCount = limit;
  });
})();
