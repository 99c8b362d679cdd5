'use strict';
// A program that replaces a method of a socket, of its classes or of a class of its own is called as often as by Node, whatever short
// way the bytes would have gone.
const net = require('net');
const { Duplex, Readable, Stream } = require('stream');
const EventEmitter = require('events');

const said = ([first]) => (Buffer.isBuffer(first) ? String(first) : typeof first === 'object' ? String(first) : first);

// Writes twice to a server that sends back what it gets; `patch(socket)` is called before that, and `unpatch` after.
function echo(label, Class, patch, unpatch = () => {}) {
  return new Promise((done) => {
    const server = net.createServer((other) => other.on('data', (chunk) => other.write(chunk))).listen(0, '127.0.0.1', () => {
      const socket = new Class();
      const calls = [];
      let count = 0;
      socket.on('data', () => {
        if (++count === 1) return setTimeout(() => socket.write(Buffer.from('b')), 2);
        setTimeout(() => socket.destroy(), 2);
      });
      socket.on('close', () => {
        unpatch();
        console.log(label, ...calls);
        server.close(done);
      });
      socket.connect(server.address().port, '127.0.0.1', () => {
        patch(socket, calls);
        socket.write(Buffer.from('a'));
      });
    });
  });
}

function wrap(object, method, before, isOne, calls) {
  const value = function(...args) {
    if (isOne(this)) calls.push(said(args));
    return Reflect.apply(before, this, args);
  };
  Object.defineProperty(object, method, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
}

const classes = [
  ['Socket', net.Socket.prototype, ['_write', '_writeGeneric', '_unrefTimer', '_read', 'read', '_destroy']],
  ['Duplex', Duplex.prototype, ['write', 'cork', '_write']],
  ['Readable', Readable.prototype, ['push', 'read', 'on', 'emit']],
  ['Stream', Stream.prototype, ['pipe', 'push', 'emit']],
  ['EventEmitter', EventEmitter.prototype, ['emit', 'on']],
];

(async () => {
  for (const [name, prototype, methods] of classes) {
    for (const method of methods) {
      const own = Object.getOwnPropertyDescriptor(prototype, method);
      const before = prototype[method];
      if (before === undefined) continue;
      await echo(`${name}.${method}`, net.Socket,
        (socket, calls) => wrap(prototype, method, before, (object) => object === socket, calls),
        () => (own ? Object.defineProperty(prototype, method, own) : delete prototype[method]));
    }
  }
  for (const method of ['_write', '_writeGeneric', '_unrefTimer', 'push', 'read', '_read', 'emit', 'write']) {
    await echo(`one ${method}`, net.Socket, (socket, calls) => wrap(socket, method, socket[method], () => true, calls));
    const log = [];
    class Own extends net.Socket {
      [method](...args) {
        log.push(said(args));
        return super[method](...args);
      }
    }
    await echo(`class ${method}`, Own, (socket, calls) => {
      log.length = 0;
      log.push = (call) => calls.push(call);
    });
  }
})();
