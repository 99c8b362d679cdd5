'use strict';
// What datagram sockets take, and in which order it is looked at.
const dgram = require('dgram');
const dns = require('dns');
const net = require('net');

const values = [undefined, null, NaN, -1, 0, 1.5, 2 ** 31, 'x', '', true, {}, [], Symbol('s')];
const kept = [];
const tell = (what, call) => {
  try {
    const made = call();
    if (made instanceof dgram.Socket || made instanceof net.Server) kept.push(made);
    console.log(what, 'fine');
  } catch (error) {
    console.log(what, error.name, error.code, error.message);
  }
};

for (const value of values) {
  const shown = typeof value === 'symbol' ? 'symbol' : JSON.stringify(value) ?? 'undefined';
  for (const name of ['receiveBlockList', 'sendBlockList', 'recvBufferSize', 'lookup', 'signal']) {
    tell(`${name} ${shown}`, () => dgram.createSocket({ type: 'udp4', [name]: value }));
  }
  tell(`blockList of a server ${shown}`, () => net.createServer({ blockList: value }));
  const socket = dgram.createSocket('udp4');
  kept.push(socket);
  tell(`connect ${shown}`, () => { if (value !== 1.5 && value !== true) socket.connect(value); });
  tell(`send ${shown}`, () => socket.send('a', 0, 1, value, 'localhost.invalid.', () => {}));
  tell(`setMulticastTTL ${shown}`, () => dgram.createSocket('udp4').setMulticastTTL(value));
  tell(`setTTL ${shown}`, () => dgram.createSocket('udp4').setTTL(value));
}
for (const fd of [0, -1, 1.5, NaN, 2 ** 31]) {
  const socket = dgram.createSocket('udp4');
  socket.bind({ fd, port: 0, address: '127.0.0.1' }, () => {
    console.log('bound', fd, socket.address().address);
    socket.close();
  });
}
tell('bind nul', () => dgram.createSocket('udp4').bind(0, 'a\0b'));
tell('lookup nul', () => dns.lookup('a\0b', () => {}));
try {
  dns.promises.lookup('a\0b');
} catch (error) {
  console.log('promises nul', error.code);
}
for (const one of kept) if (!(one instanceof net.Server)) try { one.close(); } catch {}
