'use strict';
// Events of sockets and servers, one situation after the other; each ends when its server is closed.
const net = require('node:net');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const seen = (name, emitter, events) => {
  for (const event of events) {
    emitter.on(event, (...args) => console.log(' ', name, event,
      ...args.map((arg) => (arg instanceof Error ? arg.code ?? arg.message : arg instanceof net.Socket ? 'socket' : String(arg)))));
  }
  return emitter;
};
const socketEvents = ['lookup', 'connect', 'ready', 'data', 'end', 'finish', 'drain', 'timeout', 'error', 'close'];

const situations = {
  async 'both end'(done) {
    const server = net.createServer((peer) => peer.end('bye'));
    server.listen(0, '127.0.0.1', () => {
      const socket = seen('client', net.connect(server.address().port, '127.0.0.1'), socketEvents);
      console.log(socket.readyState, socket.pending, socket.connecting);
      socket.on('connect', () => console.log(socket.readyState, socket.pending, socket.connecting, socket.remoteFamily));
      socket.on('end', () => console.log(socket.readyState, socket.bytesRead));
      socket.on('close', () => {
        console.log(socket.readyState, socket.bytesRead, socket.bytesWritten, socket.destroyed, socket.remoteAddress);
        server.close(done);
      });
    });
  },
  async 'half open'(done) {
    const server = net.createServer({ allowHalfOpen: true }, (peer) => {
      peer.on('end', () => setImmediate(() => peer.end('after your end')));
      peer.resume();
    });
    server.listen(0, '127.0.0.1', () => {
      const socket = seen('client', net.connect({ port: server.address().port, host: '127.0.0.1', allowHalfOpen: true }), socketEvents);
      socket.end('mine');
      socket.on('close', () => server.close(done));
    });
  },
  async 'write after the other end'(done) {
    const server = net.createServer((peer) => peer.resume().on('error', () => {}).end());
    server.listen(0, '127.0.0.1', () => {
      const socket = seen('client', net.connect(server.address().port, '127.0.0.1'), socketEvents);
      socket.resume();
      socket.on('end', () => process.nextTick(() => socket.write('x', (error) => console.log('  written', error?.code, error?.message))));
      socket.on('close', () => server.close(done));
    });
  },
  async 'reset'(done) {
    const server = net.createServer((peer) => {
      seen('peer', peer, ['error', 'close']);
      peer.resume();
      peer.on('close', () => server.close(done));
    });
    server.listen(0, '127.0.0.1', () => {
      const socket = net.connect(server.address().port, '127.0.0.1', () => console.log(socket.resetAndDestroy() === socket));
    });
  },
  async 'nothing to connect to'(done) {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => {
        const socket = seen('client', net.connect(port, '127.0.0.1'), socketEvents);
        socket.on('error', (error) => console.log(error.syscall, error.address, error.port === port, error.errno, error.message.replace(port, 'PORT')));
        socket.write('x', (error) => console.log('  written', error?.code));
        socket.on('close', done);
      });
    });
  },
  async 'no such path'(done) {
    const socket = seen('client', net.connect('/nowhere/at/all'), socketEvents);
    socket.on('error', (error) => console.log(error.message, Object.keys(error)));
    socket.on('close', done);
  },
  async 'a path'(done) {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'net-')), 'socket');
    const server = net.createServer((peer) => peer.pipe(peer));
    server.listen(file, () => {
      console.log(server.address() === file, fs.statSync(file).isSocket());
      const socket = seen('client', net.connect(file), socketEvents);
      console.log(socket.remoteAddress, socket.address());
      socket.end('echo');
      socket.on('close', () => server.close(() => {
        console.log(fs.existsSync(file));
        fs.rmdirSync(path.dirname(file));
        done();
      }));
    });
  },
  async 'path in use'(done) {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'net-')), 'socket');
    const server = net.createServer().listen(file, () => {
      const other = seen('other', net.createServer(), ['listening', 'error', 'close']);
      other.on('error', (error) => {
        console.log(error.syscall, error.address === file, error.port, error.message.replace(file, 'FILE'));
        server.close(() => { fs.rmdirSync(path.dirname(file)); done(); });
      });
      other.listen(file);
    });
  },
  async 'port in use'(done) {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      const other = seen('other', net.createServer(), ['listening', 'error', 'close']);
      other.on('error', (error) => {
        console.log(Object.keys(error), error.message.replace(port, 'PORT'));
        server.close(done);
      });
      other.listen(port, '127.0.0.1');
    });
  },
  async 'server closed twice'(done) {
    const server = seen('server', net.createServer(), ['listening', 'close', 'error']);
    server.close((error) => console.log(error.code, error.message));
    server.listen(0, '127.0.0.1', () => {
      try {
        server.listen(0);
      } catch (error) {
        console.log(error.code);
      }
      server.close((error) => {
        console.log(error, server.address(), server.listening);
        server.close((again) => { console.log(again.code); done(); });
      });
    });
  },
  async 'close waits for connections'(done) {
    const server = seen('server', net.createServer(), ['close']);
    server.on('connection', (peer) => {
      server.getConnections((error, count) => console.log(error, count));
      server.close(() => done());
      console.log(server.listening);
      setImmediate(() => { console.log('now'); peer.destroy(); });
    });
    server.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1').on('error', () => {}).resume());
  },
  async 'too many connections'(done) {
    const server = seen('server', net.createServer((peer) => peer.resume()), ['connection']);
    server.maxConnections = 1;
    server.on('drop', (about) => console.log('drop', Object.keys(about).join()));
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      const one = net.connect(port, '127.0.0.1', () => {
        const other = net.connect(port, '127.0.0.1');
        other.on('error', () => {}).resume().on('close', () => { one.destroy(); server.close(done); });
      });
    });
  },
  async 'paused'(done) {
    const server = net.createServer({ pauseOnConnect: true }, (peer) => {
      peer.on('data', (data) => { console.log('data', String(data)); peer.end(); });
      console.log(peer.isPaused(), peer.readableFlowing);
      setTimeout(() => { console.log('resume'); peer.resume(); }, 20);
    });
    server.listen(0, '127.0.0.1', () => {
      const socket = net.connect(server.address().port, '127.0.0.1');
      socket.end('waiting');
      socket.resume().on('close', () => server.close(done));
    });
  },
  async 'corked'(done) {
    const server = net.createServer((peer) => {
      peer.on('data', (data) => console.log('chunk', String(data)));
      peer.on('end', () => server.close(done));
    });
    server.listen(0, '127.0.0.1', () => {
      const socket = net.connect(server.address().port, '127.0.0.1', () => {
        socket.cork();
        socket.write('one ');
        socket.write(Buffer.from('two '));
        socket.write('74687265652e', 'hex');
        socket.write('\xe9', 'latin1', () => console.log('all', socket.bytesWritten));
        console.log(socket.bytesWritten, socket.writableLength);
        socket.uncork();
        console.log(socket.bytesWritten, socket.writableLength);
        socket.end();
      });
    });
  },
  async 'into a buffer of mine'(done) {
    const server = net.createServer((peer) => peer.end('abcdefgh'));
    server.listen(0, '127.0.0.1', () => {
      const socket = net.connect({
        port: server.address().port,
        host: '127.0.0.1',
        onread: { buffer: Buffer.alloc(3), callback(count, buffer) { console.log(count, buffer.toString('latin1', 0, count)); return true; } },
      });
      socket.on('data', () => console.log('never'));
      socket.on('end', () => console.log('end', socket.bytesRead));
      socket.on('close', () => server.close(done));
    });
  },
  async 'destroyed before it is connected'(done) {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const socket = seen('client', net.connect(server.address().port, '127.0.0.1'), socketEvents);
      socket.write('x', (error) => console.log('  written', error?.code));
      socket.destroy();
      socket.on('close', () => server.close(done));
    });
  },
  async 'aborted'(done) {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const control = new AbortController();
      const socket = seen('client', net.connect({ port: server.address().port, host: '127.0.0.1', signal: control.signal }), socketEvents);
      control.abort();
      socket.on('close', () => server.close(done));
    });
  },
  async 'a server that is aborted'(done) {
    const control = new AbortController();
    const server = seen('server', net.createServer(), ['listening', 'close']);
    server.listen({ port: 0, host: '127.0.0.1', signal: control.signal }, () => control.abort());
    server.on('close', done);
  },
  async 'names'(done) {
    const server = net.createServer((peer) => peer.end()).listen(0, '127.0.0.1', () => {
      const lookup = (host, options, callback) => {
        console.log(host, JSON.stringify(options));
        callback(null, options.all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4);
      };
      const socket = seen('client', net.connect({ port: server.address().port, host: 'some.name', lookup }), socketEvents);
      socket.resume().on('close', () => {
        const next = seen('next', net.connect({ port: 1, host: 'other', lookup: (host, options, callback) => callback(new Error('no such name')) }), socketEvents);
        next.on('close', () => {
          const bad = seen('bad', net.connect({ port: 1, host: 'other', lookup: (host, options, callback) => callback(null, 'x', 4), autoSelectFamily: false }), socketEvents);
          bad.on('close', () => server.close(done));
        });
      });
    });
  },
  async 'silence'(done) {
    const server = net.createServer((peer) => peer.resume()).listen(0, '127.0.0.1', () => {
      const socket = seen('client', net.connect(server.address().port, '127.0.0.1'), ['timeout', 'close']);
      console.log(socket.setTimeout(20) === socket, socket.timeout);
      socket.on('timeout', () => { socket.setTimeout(0); console.log(socket.timeout); socket.destroy(); });
      socket.on('close', () => server.close(done));
    });
  },
};

(async () => {
  for (const [name, run] of Object.entries(situations)) {
    console.log(name);
    await new Promise((resolve) => run(resolve));
  }
  console.log('all');
})();
