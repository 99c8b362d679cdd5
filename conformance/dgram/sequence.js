'use strict';
// Events of UDP sockets, one situation after the other.
const dgram = require('node:dgram');

const seen = (name, socket) => {
  for (const event of ['listening', 'connect', 'message', 'error', 'close']) {
    socket.on(event, (...args) => console.log(' ', name, event,
      ...args.map((arg) => (arg instanceof Error ? arg.code : Buffer.isBuffer(arg) ? String(arg) : `${arg.address} ${arg.family} ${arg.size}`))));
  }
  return socket;
};

const situations = {
  'to itself'(done) {
    const socket = seen('socket', dgram.createSocket('udp4'));
    console.log(socket.bind(0, '127.0.0.1', () => {
      const { port, address, family } = socket.address();
      console.log(address, family, port > 0);
      socket.on('message', () => socket.close(done));
      socket.send('hello', port, '127.0.0.1');
    }) === socket);
  },
  'several parts'(done) {
    const socket = seen('socket', dgram.createSocket('udp4'));
    socket.bind(0, '127.0.0.1', () => {
      socket.on('message', () => socket.close(done));
      socket.send([Buffer.from('a'), 'b', new Uint8Array([99])], socket.address().port, '127.0.0.1');
    });
  },
  'a part of a buffer, and nothing'(done) {
    const socket = seen('socket', dgram.createSocket('udp4'));
    let count = 0;
    socket.bind(0, '127.0.0.1', () => {
      socket.on('message', () => { if (++count === 2) socket.close(done); });
      socket.send(Buffer.from('abcdef'), 2, 3, socket.address().port, '127.0.0.1');
      socket.send([], socket.address().port, '127.0.0.1');
    });
  },
  'sending binds'(done) {
    const receiver = dgram.createSocket('udp4').bind(0, '127.0.0.1', () => {
      const sender = seen('sender', dgram.createSocket('udp4'));
      sender.send('one', receiver.address().port, '127.0.0.1', (error, bytes) => {
        console.log('sent', error, bytes);
        sender.close(() => receiver.close(done));
      });
      console.log('after send');
    });
  },
  'connected'(done) {
    const receiver = seen('receiver', dgram.createSocket('udp4')).bind(0, '127.0.0.1', () => {
      const sender = seen('sender', dgram.createSocket('udp4'));
      sender.connect(receiver.address().port, '127.0.0.1', () => {
        const { address, family, port } = sender.remoteAddress();
        console.log(address, family, port === receiver.address().port);
        for (const call of [() => sender.connect(1), () => sender.send('x', 1, '127.0.0.1')]) {
          try {
            call();
          } catch (error) {
            console.log(error.code, error.message);
          }
        }
        sender.send('to whom it concerns', (error, bytes) => {
          console.log(error, bytes);
          sender.disconnect();
          sender.close();
        });
      });
      receiver.on('message', () => receiver.close(done));
    });
  },
  'in use'(done) {
    const one = dgram.createSocket('udp4').bind(0, '127.0.0.1', () => {
      const { port } = one.address();
      const other = seen('other', dgram.createSocket('udp4'));
      other.on('error', (error) => {
        console.log(error.syscall, error.address, error.port === port, error.message.replace(port, 'PORT'));
        other.close(() => one.close(done));
      });
      other.bind(port, '127.0.0.1');
      try {
        other.bind(port);
      } catch (error) {
        console.log(error.code, error.message);
      }
    });
  },
  'shared'(done) {
    const one = dgram.createSocket({ type: 'udp4', reuseAddr: true }).bind(0, '127.0.0.1', () => {
      const other = seen('other', dgram.createSocket({ type: 'udp4', reuseAddr: true }));
      other.bind(one.address().port, '127.0.0.1', () => other.close(() => one.close(done)));
    });
  },
  'too long'(done) {
    const socket = seen('socket', dgram.createSocket('udp4'));
    socket.send(Buffer.alloc(70000), 9, '127.0.0.1', (error) => {
      console.log(error.code, error.syscall, error.message);
      socket.close(done);
    });
  },
  'aborted'(done) {
    const control = new AbortController();
    const socket = seen('socket', dgram.createSocket({ type: 'udp4', signal: control.signal }));
    socket.bind(0, '127.0.0.1', () => control.abort());
    socket.on('close', done);
  },
  'options'(done) {
    const socket = dgram.createSocket({ type: 'udp4', recvBufferSize: 8192 });
    socket.bind(0, '127.0.0.1', () => {
      console.log(socket.setTTL(64), socket.setMulticastTTL(3), socket.setMulticastLoopback(true), socket.setBroadcast(true));
      console.log(socket.getRecvBufferSize(), socket.getSendQueueSize(), socket.getSendQueueCount());
      console.log(socket.ref() === socket, socket.unref() === socket);
      socket.ref().close(done);
    });
  },
};

(async () => {
  for (const [name, run] of Object.entries(situations)) {
    console.log(name);
    await new Promise((resolve) => run(() => setImmediate(resolve)));
  }
})();
