'use strict';
// A request that nobody reads comes to its end at Node's moment, also among the ticks of a program and with a response that somebody
// listens to: whoever comes in between hears the rest, and sees how far it is.
const http = require('http');
const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
const names = ['readable', 'resume', 'data', 'end', 'close'];

// When somebody looks, or begins to listen.
const moments = {
  'tick before'(response, come) {
    process.nextTick(come);
    response.end('x');
  },
  'tick of a tick'(response, come) {
    process.nextTick(() => process.nextTick(come));
    response.end('x');
  },
  'tick between parts'(response, come) {
    response.write('x');
    process.nextTick(come);
    response.end('y');
  },
  'tick after'(response, come) {
    response.end('x');
    process.nextTick(come);
  },
  'tick after two'(response, come) {
    response.end('x');
    process.nextTick(() => process.nextTick(() => process.nextTick(come)));
  },
  'close'(response, come) {
    response.on('close', come);
    response.end('x');
  },
  'tick of close'(response, come) {
    response.on('close', () => process.nextTick(come));
    response.write('x');
    response.end();
  },
  'tick of tick of close'(response, come) {
    response.on('close', () => process.nextTick(() => process.nextTick(come)));
    response.end('x');
  },
  'close, with ticks'(response, come) {
    process.nextTick(() => {});
    response.on('close', come);
    response.end('x');
    process.nextTick(() => {});
  },
  'tick of finish'(response, come) {
    response.on('finish', () => process.nextTick(come));
    response.on('close', () => {});
    response.write('x');
    response.end();
  },
  'tick of the first to hear of finish'(response, come) {
    response.prependListener('finish', () => process.nextTick(() => process.nextTick(come)));
    response.on('close', () => {});
    response.end('x');
  },
  'close of one that ends later'(response, come) {
    response.on('close', come);
    setImmediate(() => response.end('x'));
  },
  'tick of close of one that ends later'(response, come) {
    process.nextTick(() => {});
    response.on('close', () => process.nextTick(come));
    setImmediate(() => response.end('x'));
  },
  'immediate'(response, come) {
    process.nextTick(() => {});
    response.on('close', () => {});
    response.end('x');
    setImmediate(come);
  },
};

const comings = {
  listens: (request, log) => names.forEach((name) => request.on(name, () => log.push(`${name} ${storage.getStore()}`))),
  ends: (request, log) => request.on('end', () => log.push(`end ${storage.getStore()}`)),
  closes: (request, log) => request.on('close', () => log.push(`close ${storage.getStore()}`)),
  reads: (request, log) => log.push(request.read()),
  looks(request, log) {
    const { _readableState: state } = request;
    const { ended, endEmitted, flowing, resumeScheduled, emittedReadable, needReadable, reading, readingMore, destroyed } = state;
    log.push([ended, endEmitted, flowing, resumeScheduled, emittedReadable, needReadable, reading, readingMore, destroyed].join());
  },
  destroys: (request) => request.destroy(),
};

function serve(moment, coming, done) {
  const log = [];
  const server = http.createServer((request, response) => storage.run('stored', () => {
    moments[moment](response, () => {
      const { complete, readableEnded, destroyed, _dumped, readableFlowing } = request;
      log.push(`${complete} ${readableEnded} ${destroyed} ${_dumped} ${readableFlowing}`);
      comings[coming](request, log);
    });
  }));
  server.listen(0, '127.0.0.1', () => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('close', () => server.close(() => {
        console.log(`${moment}, ${coming}:`, log.join(' | '));
        done();
      }));
    }).on('error', (error) => server.close(() => {
      console.log(`${moment}, ${coming}: ${error.code}`, log.join(' | '));
      done();
    }));
  });
}

const turns = Object.keys(moments).flatMap((moment) => Object.keys(comings).map((coming) => [moment, coming]));
(function next() {
  const turn = turns.shift();
  if (turn) serve(...turn, next);
})();
