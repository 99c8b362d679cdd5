'use strict';
// Responses that have something of their own, or whose class has: what goes out is the same however it goes there.

const http = require('http');
const net = require('net');

const { prototype } = http.ServerResponse;
const { statusCode } = prototype;
const many = (count) => Array.from({ length: count }, (_, at) => [`X-${at}`, `${at}`]);

const cases = {
  plain: (response) => response.end('plain'),
  status: (response) => { response.statusCode = 404; response.end('own'); },
  classStatus: (response) => { prototype.statusCode = 203; response.end('of the class'); },
  classStatusLater: (response) => { response.end('of the class'); },
  classStatusGone: (response) => { prototype.statusCode = statusCode; response.end('as before'); },
  added: (response) => { prototype.extra = 1; response.end(`${response.extra}`); },
  addedLater: (response) => { delete prototype.extra; response.end(`${response.extra}`); },
  message: (response) => { response.statusMessage = 'Well'; response.end('message'); },
  undated: (response) => { response.sendDate = false; response.end('undated'); },
  strict: (response) => { response.strictContentLength = true; response.end('strict'); },
  extra: (response) => { response.mine = { its: 'own' }; response.end(response.mine.its); },
  corked: (response) => { response.cork(); response.uncork(); response.end('corked'); },
  between: (response) => {
    const between = Object.create(Object.getPrototypeOf(response), { statusCode: { value: 202, writable: true } });
    Object.setPrototypeOf(response, between).end('between');
  },
  getter: (response) => {
    Object.defineProperty(response, 'statusCode', { get: () => 299, set() {}, configurable: true });
    response.end('getter');
  },
  deleted: (response) => {
    response.statusCode = 500;
    delete response.statusCode;
    response.end('deleted');
  },
  lines: (response) => {
    response.setHeader('X-Upper', 'One').setHeader('x-lower', 'two').setHeader('X-Number', 3).setHeader('X-None', '');
    response.end('lines');
  },
  replaced: (response) => response.setHeader('X-A', '1').setHeader('X-B', '2').setHeader('x-a', '3').end('replaced'),
  removed: (response) => {
    response.setHeader('X-A', '1').setHeader('X-B', '2').setHeader('X-C', '3').removeHeader('x-b');
    response.setHeader('X-B', '4').end('removed');
  },
  indexed: (response) => response.setHeader('X-A', '1').setHeader('7', 'seven').setHeader('2', 'two').end('indexed'),
  lists: (response) => response.setHeader('Set-Cookie', ['a=1', 'b=2']).setHeader('X-A', ['1']).end('lists'),
  latin1: (response) => response.setHeader('X-A', 'caf\xe9').setHeader('X-B', 'b').end('text'),
  latin1Bytes: (response) => response.setHeader('X-B', 'b').setHeader('X-A', 'caf\xe9').end(Buffer.from('bytes')),
  joined: (response) => response.setHeader('X-A', `${'long '.repeat(400)}${response.req.url}`).end('joined'),
  cut: (response) => response.setHeader('X-A', 'x'.repeat(9000).slice(7, 8010)).end('y'.repeat(9000).slice(5, 10)),
  thirtyTwo: (response) => { for (const line of many(32)) response.setHeader(...line); response.end('32'); },
  thirtyThree: (response) => { for (const line of many(33)) response.setHeader(...line); response.end('33'); },
  notPlain: (response) => response.setHeader('Trailer', 'X-A').setHeader('Transfer-Encoding', 'chunked').end('trailer'),
  length: (response) => response.setHeader('Content-Length', '6').end('length'),
  wrongNames: (response) => {
    for (const [name, value] of [['X A', '1'], ['X-A', 'a\nb'], ['', '1'], ['X-A', undefined], ['X-A', '\u20ac']]) {
      try {
        response.setHeader(name, value);
      } catch (error) {
        console.log(error.code);
      }
    }
    response.end('wrong names');
  },
  lone: (response) => response.end('half \ud83d'),
  view: (response) => response.end(new Uint8Array(new ArrayBuffer(9, { maxByteLength: 12 }), 2).fill(0x61)),
  part: (response) => response.end(Buffer.from('a part of it').subarray(2, 6)),
  empty: (response) => response.end(new Uint8Array(0)),
  plainAgain: (response) => response.end('plain'),
};

const server = http.createServer((request, response) => cases[request.url.slice(1)](response));
server.listen(0, '127.0.0.1', () => {
  const socket = net.connect(server.address().port, '127.0.0.1');
  const names = Object.keys(cases);
  const ask = () => {
    if (names.length === 0) {
      socket.destroy();
      server.close();
    } else {
      socket.write(`GET /${names[0]} HTTP/1.1\r\nHost: here\r\n\r\n`);
    }
  };
  let got = '';
  socket.setEncoding('latin1').on('data', (text) => {
    got += text;
    const end = got.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(got);
    const isWhole = end > 0 && (length ? got.length >= end + 4 + +length[1] : got.endsWith('0\r\n\r\n'));
    if (!isWhole) return;
    const told = got.replace(/Date: .*\r\n/, '').replace(/(long |x{4})+/g, (run) => `(${run.length})`);
    console.log(`-- ${names.shift()}\n${told.replaceAll('\r\n', '\n')}`);
    got = '';
    // Its 'finish' is over by then.
    setImmediate(ask);
  });
  ask();
});
