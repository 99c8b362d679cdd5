'use strict';
// A response in parts that are more than the socket takes: what `write` says, when 'drain' comes, and what is left to be written.
const http = require('http');
const { PassThrough, Readable, pipeline } = require('stream');

const kMark = 65536;

const ways = {
  'up to the mark'(request, response, log) {
    log.push(response.write('a'.repeat(kMark - 400)), response.writableNeedDrain);
    log.push(response.write('b'.repeat(400)), response.writableNeedDrain);
    log.push(response.write('c'), response.writableNeedDrain);
    process.nextTick(() => log.push('tick'));
    response.on('drain', () => {
      log.push('drain', response.writableNeedDrain, response.writableLength);
      response.end();
    });
    log.push('written');
  },
  'ends without waiting'(request, response, log) {
    response.on('drain', () => log.push('drain'));
    request.socket.on('drain', () => log.push('socket drain'));
    log.push(response.write('a'.repeat(kMark)));
    response.end('b', () => log.push('end'));
    log.push(response.writableNeedDrain);
  },
  'writes on'(request, response, log) {
    let left = 5;
    response.on('drain', () => {
      log.push(`drain ${left}`);
      if (--left > 0) log.push(response.write(Buffer.alloc(kMark, 97)), response.writableNeedDrain);
      else response.end();
    });
    log.push(response.write(Buffer.alloc(kMark, 97)), response.writableNeedDrain);
    process.nextTick(() => {
      log.push('tick');
      process.nextTick(() => log.push('tick of tick'));
    });
  },
  'much at once'(request, response, log) {
    response.on('drain', () => {
      log.push('drain', response.writableLength);
      response.end(() => log.push('end'));
    });
    log.push(response.write(Buffer.alloc(8 << 20, 97)));
    log.push(response.writableNeedDrain);
  },
  'many parts, much in all'(request, response, log) {
    let falses = 0;
    for (let count = 0; count < 400; count++) if (!response.write(Buffer.alloc(20000, 97))) falses++;
    log.push(falses);
    response.on('drain', () => log.push('drain', response.writableLength));
    response.end(() => log.push('end'));
  },
  'many parts, much in all, with a length'(request, response, log) {
    response.setHeader('Content-Length', 400 * 20000 + 1);
    let falses = 0;
    for (let count = 0; count < 400; count++) if (!response.write('a'.repeat(20000))) falses++;
    log.push(falses);
    response.end('a', () => log.push('end'));
  },
  'much in a tick, and an end'(request, response, log) {
    response.write('a');
    setImmediate(() => {
      log.push(response.write(Buffer.alloc(900000, 97)), response.write(Buffer.alloc(900000, 97)));
      log.push(response.write(Buffer.alloc(900000, 97)), response.write(Buffer.alloc(900000, 97)));
      log.push(response.write(Buffer.alloc(900000, 97)), response.write(Buffer.alloc(900000, 97)));
      setImmediate(() => {
        log.push(response.writableLength > 0, response.write('a'));
        response.on('drain', () => log.push('drain'));
        response.end('b', () => log.push('end'));
      });
    });
  },
  'pipe'(request, response, log) {
    const source = new PassThrough();
    source.pipe(response);
    source.write(Buffer.alloc(100000, 97));
    source.write(Buffer.alloc(100, 97));
    source.end();
    response.on('finish', () => log.push('finish'));
    source.on('end', () => log.push('source end'));
    response.on('drain', () => log.push('drain'));
  },
  'pipe of small ones'(request, response, log) {
    const source = Readable.from(['a', 'b', Buffer.from('c')], { objectMode: false });
    response.on('pipe', () => log.push('pipe'));
    response.on('unpipe', () => log.push('unpipe'));
    response.on('finish', () => log.push('finish'));
    response.on('close', () => log.push('close'));
    source.on('end', () => log.push('source end'));
    source.pipe(response);
  },
  'pipeline'(request, response, log) {
    const source = Readable.from([Buffer.from('a'), Buffer.alloc(70000, 97), Buffer.from('c')]);
    pipeline(source, response, (error) => log.push(`pipeline ${error}`));
    response.on('finish', () => log.push('finish'));
    response.on('close', () => log.push('close'));
  },
};

function serve(way, done) {
  const log = [];
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer((request, response) => {
    // The second is on a connection that has seen the first.
    if (request.url === '/2') {
      log.push('second', response.write('a'));
      process.nextTick(() => log.push('tick'));
      response.end('b', () => log.push('end'));
      return;
    }
    ways[way](request, response, log);
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const get = (path, then) => http.get({ port, path, agent, host: '127.0.0.1' }, (response) => {
      let count = 0;
      response.on('data', (bytes) => { count += bytes.length; });
      response.on('end', () => setTimeout(then, 10, count));
    });
    get('/1', (first) => get('/2', (second) => {
      agent.destroy();
      server.close(() => {
        console.log(`${way}: ${first} ${second}:`, log.join(' | '));
        done();
      });
    }));
  });
}

const turns = Object.keys(ways);
(function next() {
  const turn = turns.shift();
  if (turn) serve(turn, next);
})();
