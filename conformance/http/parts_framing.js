'use strict';
// What of a response in parts goes over the wire, and what of it is refused.
const http = require('http');
const net = require('net');

const ways = {
  'plain'(request, response) {
    response.write('hello ');
    response.end('world');
  },
  'bytes'(request, response) {
    response.write(Buffer.from('hello '));
    response.write(new Uint8Array([97, 98]));
    response.end(Buffer.from('world'));
  },
  'text of many bytes'(request, response) {
    response.write('\u00e4\u20ac\u{1f600}\ud800');
    response.write('ae', 'hex');
    response.write('\u00e4', 'latin1');
    response.end('\u00e4', 'utf8');
  },
  'heads that are not of ASCII'(request, response) {
    response.setHeader('X-A', '\u00e4');
    response.write('\u00e4');
    response.end();
  },
  'such heads, with a length and text'(request, response) {
    response.setHeader('X-A', '\u00e4');
    response.setHeader('Content-Length', 4);
    response.write('\u00e4');
    response.end('\u00e4');
  },
  'such heads, with a length and bytes'(request, response) {
    response.setHeader('X-A', '\u00e4');
    response.setHeader('Content-Length', 2);
    response.write(Buffer.from('a'));
    response.end('b');
  },
  'such heads, written'(request, response) {
    response.writeHead(200, 'd\u00e4', { 'X-A': '\u00e4' });
    response.write('a');
    response.end('b');
  },
  'empty parts'(request, response) {
    response.write('');
    response.write('a');
    response.write(Buffer.alloc(0));
    response.write('b');
    response.end('');
  },
  'large parts'(request, response) {
    response.write('a'.repeat(15));
    response.write('b'.repeat(16));
    response.write('c'.repeat(255));
    response.end('d'.repeat(256));
  },
  'trailers'(request, response) {
    try { response.writeHead(200, { Trailer: 'X-T' }); } catch (error) { console.log(error.code); }
    response.write('a');
    response.addTrailers({ 'X-T': 'b' });
    response.end('c');
  },
  'trailers after parts'(request, response) {
    response.write('a');
    response.addTrailers({ 'X-T': 'b' });
    response.end('c');
  },
  'status of no body'(request, response) {
    response.statusCode = 204;
    console.log(response.write('a', () => console.log('written')));
    response.end('b');
  },
  'status of no change'(request, response) {
    response.writeHead(304);
    console.log(response.write('a'));
    response.end();
  },
  'closes'(request, response) {
    response.setHeader('Connection', 'close');
    response.write('a');
    response.end('b');
  },
  'without date'(request, response) {
    response.sendDate = false;
    response.removeHeader('Transfer-Encoding');
    response.write('a');
    response.end('b');
  },
  'removed'(request, response) {
    response.removeHeader('Connection');
    response.write('a');
    response.end('b');
  },
  'keep-alive of its own'(request, response) {
    response.setHeader('Keep-Alive', 'timeout=9');
    response.write('a');
    response.end('b');
  },
  'own encoding'(request, response) {
    response.setHeader('Transfer-Encoding', 'chunked');
    response.write('a');
    response.end('b');
  },
  'odd status'(request, response) {
    response.statusCode = 299;
    response.write('a');
    response.end('b');
  },
  'own words'(request, response) {
    response.statusMessage = 'Well';
    response.write('a');
    response.end('b');
  },
  'bad status'(request, response) {
    response.statusCode = 99;
    try { response.write('a'); } catch (error) { console.log(error.code, error.message); }
    response.statusCode = 200;
    response.end('b');
  },
  'many of a name'(request, response) {
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.setHeader('X-N', 5);
    response.write('a');
    response.end('b');
  },
  'wrong chunks'(request, response) {
    for (const chunk of [null, undefined, 1, {}, [], true, new Uint16Array(1)]) {
      try { response.write(chunk); } catch (error) { console.log(error.code, error.message); }
    }
    response.write('a');
    for (const chunk of [null, undefined, 1]) {
      try { response.write(chunk); } catch (error) { console.log(error.code, error.message); }
    }
    try { response.end(1); } catch (error) { console.log(error.code, error.message); }
    response.end('b');
  },
  'unknown encoding'(request, response) {
    response.write('a');
    try { response.write('b', 'nothing'); } catch (error) { console.log(error.code, error.message); }
    response.destroy();
  },
  'write after end'(request, response) {
    response.on('error', (error) => console.log('error', error.code));
    response.write('a');
    response.end('b');
    console.log(response.write('c', (error) => console.log('write', error.code)));
    response.end('d', (error) => console.log('end', error?.code));
    response.end((error) => console.log('empty end', error?.code));
    response.on('close', () => response.end((error) => console.log('late end', error?.code)));
  },
  'too little'(request, response) {
    response.strictContentLength = true;
    response.setHeader('Content-Length', 3);
    response.write('a');
    try { response.end('b'); } catch (error) { console.log(error.code, error.message); }
    response.destroy();
  },
  'too much'(request, response) {
    response.strictContentLength = true;
    response.setHeader('Content-Length', 1);
    response.write('a');
    try { response.write('b'); } catch (error) { console.log(error.code, error.message); }
    response.end();
  },
  'strict from the second on'(request, response) {
    response.setHeader('Content-Length', 2);
    response.write('a');
    response.strictContentLength = true;
    try { response.end('b'); } catch (error) { console.log(error.code, error.message); }
    response.destroy();
  },
  'not strict'(request, response) {
    response.setHeader('Content-Length', 1);
    response.write('a');
    response.end('bc');
    setImmediate(() => request.socket.end());
  },
  'processing'(request, response) {
    response.writeProcessing();
    response.write('a');
    response.end('b');
  },
  'processing after a part'(request, response) {
    response.write('a');
    response.writeProcessing();
    setImmediate(() => response.end('b'));
  },
};

const asks = {
  'GET 1.1': 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'HEAD': 'HEAD / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET 1.0': 'GET / HTTP/1.0\r\n\r\n',
  'GET 1.0 kept': 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'close': 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'POST': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab',
  'expects': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab',
  'many': 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
};

function serve(way, ask, done) {
  console.log(`-- ${way}, ${ask}`);
  const server = http.createServer(ways[way]);
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    const all = [];
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => client.end(), 15);
    };
    client.on('data', (bytes) => {
      all.push(bytes);
      wait();
    });
    client.on('close', () => {
      clearTimeout(timer);
      server.close(() => {
        console.log(JSON.stringify(Buffer.concat(all).toString('latin1').replace(/Date: .*?\r\n/g, '')));
        done();
      });
    });
    client.write(asks[ask]);
    wait();
  });
}

const turns = [
  ...Object.keys(ways).map((way) => [way, 'GET 1.1']),
  ...Object.keys(asks).flatMap((ask) => ['plain', 'trailers', 'closes', 'such heads, written'].map((way) => [way, ask])),
];
(function next() {
  const turn = turns.shift();
  if (turn) serve(...turn, next);
})();
