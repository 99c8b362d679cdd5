'use strict';
// What a socket reads goes to who listens to 'data', and a small chunk goes out at once, whatever a program has made of the stream.
const net = require('net');
const { AsyncLocalStorage, createHook } = require('async_hooks');

// Handles are told of to hooks from the beginning.
createHook({ init() {} }).enable().disable();

const cases = {
  plain(socket, done) {
    socket.on('data', (chunk) => {
      console.log('data', Buffer.isBuffer(chunk), String(chunk), socket.readableLength, socket.readableFlowing);
      done();
    });
  },
  'two listeners, one of them once'(socket, done) {
    socket.once('data', (chunk) => console.log('once', String(chunk)));
    socket.on('data', (chunk) => {
      console.log('on', String(chunk), socket.listenerCount('data'));
      done();
    });
  },
  'paused by the listener'(socket, done) {
    socket.on('data', (chunk) => {
      console.log('data', String(chunk), socket.isPaused());
      socket.pause();
      socket.removeAllListeners('data');
      console.log('left', socket.isPaused(), socket.readableFlowing);
      done();
    });
  },
  'an encoding'(socket, done) {
    socket.setEncoding('hex');
    socket.on('data', (chunk) => {
      console.log('data', chunk);
      done();
    });
  },
  'an encoding set by the listener'(socket, done) {
    let count = 0;
    socket.on('data', (chunk) => {
      console.log('data', typeof chunk, String(chunk));
      if (++count === 2) return done();
      socket.setEncoding('base64');
      socket.write(Buffer.from('again'));
    });
  },
  'a push of its own'(socket, done) {
    const { push } = socket;
    socket.push = function(chunk) {
      console.log('push', chunk === null ? chunk : String(chunk));
      return push.call(this, chunk);
    };
    socket.on('data', (chunk) => {
      console.log('data', String(chunk));
      done();
    });
  },
  'an emit of its own'(socket, done) {
    const { emit } = socket;
    socket.emit = function(name, ...args) {
      if (name === 'data') console.log('emit', name, args.length);
      return emit.call(this, name, ...args);
    };
    socket.on('data', (chunk) => {
      console.log('data', String(chunk));
      done();
    });
  },
  'a _write of its own'(socket, done) {
    const { _write } = socket;
    socket._write = function(chunk, encoding, callback) {
      console.log('_write', String(chunk), encoding);
      return _write.call(this, chunk, encoding, callback);
    };
    socket.on('data', (chunk) => {
      console.log('data', String(chunk));
      done();
    });
  },
  'readable, and data'(socket, done) {
    socket.on('readable', () => console.log('readable', socket.readableLength, String(socket.read())));
    socket.on('data', (chunk) => {
      console.log('data', String(chunk));
      done();
    });
  },
  'a timeout'(socket, done) {
    socket.setTimeout(50000);
    socket.on('data', (chunk) => {
      console.log('data', String(chunk), socket.timeout);
      done();
    });
  },
  'more than it takes, by the listener'(socket, done) {
    socket.once('data', (chunk) => {
      socket.on('readable', () => {
        const { length } = socket.read();
        console.log('readable', length > 20000);
        done();
      });
      socket.unshift(Buffer.alloc(socket.readableHighWaterMark));
      console.log('data', String(chunk), socket.readableLength >= socket.readableHighWaterMark);
    });
  },
  'a throw'(socket, done) {
    process.once('uncaughtException', (error) => {
      console.log('thrown', error.message, socket.destroyed);
      done();
    });
    socket.on('data', () => { throw new Error('by the listener'); });
  },
  'destroyed by the listener'(socket, done) {
    socket.on('data', (chunk) => {
      console.log('data', String(chunk));
      socket.destroy();
      console.log('write', socket.write(Buffer.from('late')));
    });
    socket.on('error', (error) => console.log('error', error.code));
    socket.on('close', (hadError) => {
      console.log('close', hadError);
      done();
    });
  },
  'paused by a hook'(socket, done) {
    let isUsed = false;
    const hook = createHook({
      before() {
        if (isUsed || socket.bytesRead === 0) return;
        isUsed = true;
        socket.pause();
      },
    }).enable();
    socket.on('data', (chunk) => {
      console.log('data', isUsed, String(chunk));
      hook.disable();
      done();
    });
    setTimeout(() => {
      console.log('paused', isUsed, socket.isPaused(), socket.readableLength);
      socket.resume();
    }, 50);
  },
  'a store'(socket, done) {
    const storage = new AsyncLocalStorage();
    storage.run('inside', () => {
      socket.on('data', (chunk) => {
        console.log('data', String(chunk), storage.getStore());
        done();
      });
    });
  },
};

// What `write` says of chunks, as they come.
function writes(socket) {
  console.log('buffer', socket.write(Buffer.from('a')));
  console.log('array', socket.write(new Uint8Array([98])));
  console.log('empty', socket.write(Buffer.alloc(0)));
  console.log('text', socket.write('c'));
  console.log('view', socket.write(new DataView(new ArrayBuffer(1))));
  for (const wrong of [1, undefined, null, {}, [1]]) {
    try {
      socket.write(wrong);
    } catch (error) {
      console.log(error.code, error.message);
    }
  }
  socket.cork();
  console.log('corked', socket.write(Buffer.from('d')), socket.writableLength, socket.bytesWritten);
  socket.uncork();
  console.log('more', socket.write(Buffer.alloc(socket.writableHighWaterMark)), socket.writableNeedDrain);
  console.log('then', socket.write(Buffer.from('e')));
}

const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1', () => next(Object.keys(cases)));

function next([name, ...rest]) {
  const socket = net.connect(server.address().port, '127.0.0.1');
  socket.on('connect', () => {
    if (name === undefined) {
      console.log('--', 'writes');
      writes(socket);
      socket.end();
      socket.resume();
      socket.on('close', () => {
        console.log('read', socket.bytesRead, 'written', socket.bytesWritten);
        server.close();
      });
      return;
    }
    console.log('--', name);
    cases[name](socket, () => {
      console.log('read', socket.bytesRead, 'written', socket.bytesWritten);
      socket.destroy();
      setImmediate(next, rest);
    });
    socket.write(Buffer.from('hello'));
  });
}
