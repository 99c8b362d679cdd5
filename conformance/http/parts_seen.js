'use strict';
// What a program sees of a response that is written in parts, and of its socket, between the parts.
const http = require('http');
const net = require('net');

const seen = (response) => {
  const { headersSent, finished, destroyed, closed, writableLength, writableCorked, writableNeedDrain, writableHighWaterMark } = response;
  const { chunkedEncoding, shouldKeepAlive, _contentLength, _last, _hasBody, statusCode, statusMessage, outputSize } = response;
  return JSON.stringify({
    headersSent, finished, destroyed, closed, writableLength, writableCorked, writableNeedDrain, writableHighWaterMark,
    chunkedEncoding, shouldKeepAlive, _contentLength, _last, _hasBody, statusCode, statusMessage, outputSize,
  }).replace(/"writableLength":1\d\d/, '"writableLength":"more"');
};
const dateless = (text) => text.replace(/Date: .*?\r\n/, '');
const ofSocket = ({ writableLength, writableCorked, writable, writableEnded, bytesWritten, writableNeedDrain, _writableState: state }) => {
  const buffered = state.getBuffer().map(({ chunk, encoding }) => [dateless(`${chunk}`), typeof chunk, encoding]);
  const { length, corked, pendingcb, needDrain, writing, bufferedRequestCount } = state;
  return JSON.stringify([
    writableLength === length, writableCorked, writable, writableEnded, bytesWritten > 0, writableNeedDrain, buffered, corked,
    pendingcb, needDrain, writing, bufferedRequestCount,
  ]);
};

const ways = {
  response(request, response) {
    console.log(seen(response));
    response.write('a');
    console.log(seen(response));
    response.write(Buffer.from('bc'));
    console.log(seen(response));
    response.end('d');
    console.log(seen(response));
    response.on('close', () => console.log(seen(response)));
  },
  'header of it'(request, response) {
    response.setHeader('X-A', ['b', 'c']);
    response.statusCode = 404;
    response.write('a');
    console.log(dateless(response._header), response.getHeaders(), response.headersSent);
    for (const call of [
      () => response.setHeader('a', 'b'), () => response.removeHeader('a'), () => response.writeHead(200),
      () => response.appendHeader('a', 'b'), () => response._renderHeaders(),
    ]) {
      try { call(); } catch (error) { console.log(error.code, error.message); }
    }
    response.end('b');
    console.log(dateless(response._header));
  },
  'with a length'(request, response) {
    response.setHeader('Content-Length', '3');
    response.write('ab');
    console.log(seen(response), ofSocket(request.socket));
    response.end('c');
  },
  'with a length and bytes'(request, response) {
    response.setHeader('Content-Length', '3');
    response.write(Buffer.from('ab'));
    console.log(ofSocket(request.socket));
    response.end('c');
  },
  socket(request, response) {
    response.write('a');
    response.write(Buffer.from('bc'));
    response.write('\u00e4\u20ac\u{1f600}');
    console.log(ofSocket(request.socket));
    response.write('e');
    console.log(ofSocket(request.socket));
    process.nextTick(() => console.log('tick', ofSocket(request.socket)));
    response.end('f');
    console.log(ofSocket(request.socket));
    setImmediate(() => console.log('immediate', ofSocket(request.socket)));
  },
  'socket, later'(request, response) {
    response.write('a');
    process.nextTick(() => {
      console.log('tick', ofSocket(request.socket));
      process.nextTick(() => console.log('tick of tick', ofSocket(request.socket)));
      setImmediate(() => response.end('b'));
    });
  },
  'length of characters'(request, response) {
    for (const part of ['\u00e4', '\u20ac', '\u{1f600}', '\ud800', 'a'.repeat(300)]) {
      const before = response.writableLength;
      response.write('');
      const head = response.writableLength;
      response.write(part);
      console.log(before < head || head === before, response.writableLength - head);
    }
    response.end();
  },
  'writes past it'(request, response) {
    response.write('a');
    request.socket.write('', () => console.log('written'));
    console.log(ofSocket(request.socket));
    response.end('b', () => console.log('end'));
  },
  'uncorks the socket'(request, response) {
    response.write('a');
    request.socket.uncork();
    console.log(request.socket.writableCorked, request.socket.bytesWritten > 0);
    response.write('b');
    console.log(request.socket.writableCorked);
    response.end('c');
  },
  'corks the socket'(request, response) {
    request.socket.cork();
    response.write('a');
    console.log(request.socket.writableCorked);
    process.nextTick(() => {
      console.log(request.socket.writableCorked);
      response.end('c');
      console.log(request.socket.writableCorked);
    });
  },
  'has chunks no more'(request, response) {
    response.write('a');
    response.chunkedEncoding = false;
    response.end('\r\n0\r\n\r\n');
    console.log(response.chunkedEncoding);
  },
  'own methods'(request, response) {
    const { write } = request.socket;
    response.write('a');
    request.socket.write = function(chunk, encoding, callback) {
      console.log('socket.write', `${chunk}`, encoding, typeof callback);
      return write.call(this, chunk, encoding, callback);
    };
    response.write('b');
    response.end('c');
    delete request.socket.write;
  },
  'own method of the response'(request, response) {
    response._send = function(data, encoding, callback) {
      console.log('_send', dateless(`${data}`), encoding, typeof callback);
      return http.OutgoingMessage.prototype._send.call(this, data, encoding, callback);
    };
    response.write('a');
    response.end('b');
  },
};

function serve(way, done) {
  console.log(`-- ${way}`);
  const server = http.createServer(ways[way]);
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let text = '';
    client.on('data', (bytes) => {
      text += bytes;
      if (text.endsWith('0\r\n\r\n') || text.endsWith('\r\n\r\nabc')) setTimeout(() => client.end(), 5);
    });
    client.on('close', () => server.close(() => {
      console.log(JSON.stringify(dateless(text)));
      done();
    }));
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  });
}

const turns = Object.keys(ways);
(function next() {
  const turn = turns.shift();
  if (turn) serve(turn, next);
})();
