'use strict';
// A program that replaces a method of the classes below a server, or of a message, is called as often as by Node, whatever short way
// the answer would have gone.
const http = require('http');
const net = require('net');
const { Duplex, Readable, Stream } = require('stream');
const EventEmitter = require('events');

const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

// Serves two requests of one connection, by the handler; a client that is left out of all counts.
function serveTwice(handle, then) {
  const server = http.createServer(handle).listen(0, '127.0.0.1', () => {
    let count = 0;
    const client = net.connect(server.address().port, '127.0.0.1', () => client.write(ask));
    client.on('data', () => setTimeout(() => {
      if (++count === 1) client.write(ask);
      else client.destroy();
    }, 2));
    client.on('close', () => setTimeout(() => server.close(then), 2));
  });
  return server;
}

const isOf = (object, server) => object === server || object instanceof http.ServerResponse ||
  object instanceof http.IncomingMessage || (object instanceof net.Socket && object.server === server);
const said = ([first]) => (typeof first === 'string' ? first.slice(0, 12).split('\r')[0] || '-' : typeof first);

// Of a class, as it is replaced before the first request comes.
function patchClass(name, prototype, method) {
  return new Promise((done) => {
    const calls = [];
    const before = Object.getOwnPropertyDescriptor(prototype, method);
    const server = serveTwice((request, response) => response.end('a'), () => {
      Object.defineProperty(prototype, method, before);
      console.log(`${name}.${method}`, ...calls);
      done();
    });
    Object.defineProperty(prototype, method, { ...before, value: function(...args) {
      if (isOf(this, server)) calls.push(said(args));
      return Reflect.apply(before.value, this, args);
    } });
  });
}

const classes = [
  ['OutgoingMessage', http.OutgoingMessage.prototype,
    ['end', '_send', '_writeRaw', '_storeHeader', '_finish', '_flush', '_flushOutput', 'cork', 'uncork', 'write']],
  ['ServerResponse', http.ServerResponse.prototype,
    ['writeHead', '_implicitHeader', '_finish', 'assignSocket', 'detachSocket']],
  ['IncomingMessage', http.IncomingMessage.prototype, ['_addHeaderLines', '_addHeaderLine', '_dump', '_destroy']],
  ['Socket', net.Socket.prototype,
    ['_write', '_writev', '_writeGeneric', '_unrefTimer', 'setTimeout', 'read', 'resume', '_final', '_destroy']],
  ['Duplex', Duplex.prototype, ['write', 'cork', 'uncork', 'end', 'destroy']],
  ['Readable', Readable.prototype, ['push', 'read', 'on', 'resume', 'removeListener']],
  ['Stream', Stream.prototype, ['pipe', 'eventNames']],
  ['EventEmitter', EventEmitter.prototype, ['emit', 'on', 'once', 'removeListener', 'listenerCount']],
  ['Server', http.Server.prototype, ['setTimeout', 'close']],
];

// Of one message, or the socket, by the handler.
const answers = {
  end(response) { response.end('a'); },
  parts(response) {
    response.write('a');
    response.end('b');
  },
  head(response) { response.writeHead(200, { a: 'b' }).end(Buffer.from('a')); },
};
function patchOne(which, method, answer) {
  return new Promise((done) => {
    const calls = [];
    serveTwice((request, response) => {
      const object = { response, request, socket: request.socket }[which];
      const before = object[method];
      if (!Object.hasOwn(object, method)) {
        object[method] = function(...args) {
          calls.push(said(args));
          return Reflect.apply(before, this, args);
        };
      }
      answers[answer](response);
    }, () => {
      console.log(which, method, answer, ...calls);
      done();
    });
  });
}

const ones = {
  response: ['_send', '_writeRaw', '_finish', '_implicitHeader', '_storeHeader', 'writeHead', 'uncork', 'emit', 'detachSocket'],
  request: ['_dump', 'resume', 'read', 'push', 'emit', 'destroy', '_destroy', 'on', 'removeAllListeners'],
  socket: ['write', 'cork', 'uncork', '_writev', '_writeGeneric', 'emit'],
};

// What a request is given by assignments goes to setters.
function watchSets(name) {
  return new Promise((done) => {
    const sets = [];
    const { prototype } = http.IncomingMessage;
    const before = Object.getOwnPropertyDescriptor(prototype, name);
    serveTwice((request, response) => {
      console.log('is', name, request[name]);
      response.end();
    }, () => {
      if (before) Object.defineProperty(prototype, name, before);
      else delete prototype[name];
      console.log('set', name, ...sets);
      done();
    });
    const slot = Symbol(name);
    Object.defineProperty(prototype, name, {
      __proto__: null,
      configurable: true,
      get() { return this[slot]; },
      set(value) {
        sets.push(value);
        this[slot] = value;
      },
    });
  });
}

function watchBeginnings() {
  return new Promise((done) => {
    const begun = [];
    const { init } = EventEmitter;
    const server = serveTwice((request, response) => {
      console.log('marked', request.mark, response.mark, request.socket.mark);
      response.end();
    }, () => {
      EventEmitter.init = init;
      console.log('begun', ...begun);
      done();
    });
    EventEmitter.init = function(...args) {
      this.mark = this.constructor.name;
      if (isOf(this, server)) begun.push(this.mark);
      return Reflect.apply(init, this, args);
    };
  });
}

// A method that Node has not got is nobody's matter.
function addMethod() {
  return new Promise((done) => {
    http.IncomingMessage.prototype.isMine = () => true;
    serveTwice((request, response) => {
      console.log('mine', request.isMine(), request.url);
      response.end();
    }, done);
  });
}

(async () => {
  for (const [name, prototype, methods] of classes) {
    for (const method of methods) await patchClass(name, prototype, method);
  }
  for (const which of Object.keys(ones)) {
    for (const method of ones[which]) {
      for (const answer of Object.keys(answers)) await patchOne(which, method, answer);
    }
  }
  for (const name of ['url', 'method', 'complete', 'aborted', 'upgrade', 'httpVersion', 'httpVersionMajor', '_dumped']) {
    await watchSets(name);
  }
  await watchBeginnings();
  await addMethod();
})();
