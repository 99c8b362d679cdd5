'use strict';
// The callback of `end` is added by the methods that the response has then, and by none that come later.
const EventEmitter = require('events');
const http = require('http');
const net = require('net');

const done = () => console.log('callback');
function watch(object, name) {
  const own = object[name];
  object[name] = function(...args) {
    if (this instanceof http.ServerResponse) console.log(name, args[0]);
    return own.apply(this, args);
  };
  return () => { object[name] = own; };
}

const forms = {
  on: (res) => { watch(res, 'on'); res.end('x', done); },
  once: (res) => { watch(res, 'once'); res.end('x', done); },
  everybodys: (res) => { const undo = watch(EventEmitter.prototype, 'once'); res.end('x', done); undo(); },
  later: (res) => { res.end('x', done); watch(res, 'on'); watch(res, 'once'); console.log(res.eventNames()); },
  parts: (res) => { res.write('a'); res.end('x', done); watch(res, 'on'); console.log(res.listenerCount('finish')); },
  seen: (res) => {
    res.end('x', function(...args) { console.log(this === res, args); });
    console.log(res.rawListeners('finish').map(({ listener }) => typeof listener), res.listeners('finish').length);
  },
  removed: (res) => { res.end('x', done); res.removeListener('finish', done); console.log(res.listenerCount('finish')); },
  heard: (res) => { res.end('x', done); res.on('removeListener', (name) => console.log('removed', name)); },
};

const server = http.createServer((req, res) => forms[req.url.slice(1)](res));
async function main() {
  for (const name of Object.keys(forms)) {
    console.log(`--- ${name}`);
    await new Promise((resolve) => {
      const client = net.connect(server.address().port, '127.0.0.1');
      client.write(`GET /${name} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      client.resume().on('close', () => setTimeout(resolve, 5));
    });
  }
  server.close();
}
server.listen(0, '127.0.0.1', main);
