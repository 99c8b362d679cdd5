'use strict';
// Arguments of net and dns that Node refuses, with its words.
const net = require('node:net');
const dns = require('node:dns');
const dgram = require('node:dgram');

const calls = {
  'connect()': () => net.connect(),
  'connect(port)': () => net.connect({ port: 70000 }),
  'connect(port type)': () => net.connect({ port: true }),
  'connect(localAddress)': () => net.connect({ port: 1, localAddress: 'x' }),
  'connect(localPort)': () => net.connect({ port: 1, localPort: 'x' }),
  'connect(lookup)': () => net.connect({ port: 1, host: 'a', lookup: 1 }),
  'connect(path)': () => net.connect({ path: {} }),
  'connect(host)': () => net.connect({ port: 1, host: 'a\0b' }),
  'connect(autoSelectFamily)': () => net.connect({ port: 1, host: 'a', autoSelectFamily: 1 }),
  'connect(attemptTimeout)': () => net.connect({ port: 1, host: 'a', autoSelectFamilyAttemptTimeout: 0 }),
  'listen(port)': () => net.createServer().listen(70000),
  'listen(options)': () => net.createServer().listen({}),
  'listen(true)': () => net.createServer().listen(true),
  'listen(path)': () => net.createServer().listen({ path: '' }),
  'listen(signal)': () => net.createServer().listen({ port: 0, signal: 'x' }),
  'createServer(1)': () => net.createServer(1),
  'keepAliveInitialDelay': () => net.createServer({ keepAliveInitialDelay: 'x' }),
  'highWaterMark': () => net.createServer({ highWaterMark: 'x' }),
  'objectMode': () => new net.Socket({ objectMode: true }),
  'Socket(fd)': () => new net.Socket({ fd: -1 }),
  'setTimeout(x)': () => new net.Socket().setTimeout('x'),
  'setTimeout(-1)': () => new net.Socket().setTimeout(-1),
  'setTimeout(Infinity)': () => new net.Socket().setTimeout(Infinity),
  'setTimeout(callback)': () => new net.Socket().setTimeout(1, 'x'),
  'setDefaultAutoSelectFamily': () => net.setDefaultAutoSelectFamily(1),
  'setDefaultAutoSelectFamilyAttemptTimeout': () => net.setDefaultAutoSelectFamilyAttemptTimeout(0),
  'write()': () => new net.Socket().write(1),
  'write(null)': () => new net.Socket().write(null),
  'BlockList.addAddress': () => new net.BlockList().addAddress(1),
  'BlockList.addAddress(x)': () => new net.BlockList().addAddress('x'),
  'BlockList.addAddress(family)': () => new net.BlockList().addAddress('1.1.1.1', 'x'),
  'BlockList.addRange': () => new net.BlockList().addRange('1.1.1.2', '1.1.1.1'),
  'BlockList.addSubnet': () => new net.BlockList().addSubnet('1.1.1.1', 33),
  'SocketAddress(port)': () => new net.SocketAddress({ port: -1 }),
  'SocketAddress(family)': () => new net.SocketAddress({ family: 'x' }),
  'SocketAddress(address)': () => new net.SocketAddress({ address: 'x' }),
  'SocketAddress(1)': () => new net.SocketAddress(1),
  'lookup(1)': () => dns.lookup(1, () => {}),
  'lookup()': () => dns.lookup('a'),
  'lookup(family)': () => dns.lookup('a', 5, () => {}),
  'lookup(options.family)': () => dns.lookup('a', { family: 5 }, () => {}),
  'lookup(hints)': () => dns.lookup('a', { hints: 1 }, () => {}),
  'lookup(all)': () => dns.lookup('a', { all: 1 }, () => {}),
  'lookup(verbatim)': () => dns.lookup('a', { verbatim: 1 }, () => {}),
  'lookup(order)': () => dns.lookup('a', { order: 'x' }, () => {}),
  'lookup(text)': () => dns.lookup('a', 'x', () => {}),
  'lookupService()': () => dns.lookupService('a'),
  'lookupService(a)': () => dns.lookupService('a', 1, () => {}),
  'lookupService(port)': () => dns.lookupService('127.0.0.1', -1, () => {}),
  'setDefaultResultOrder': () => dns.setDefaultResultOrder('x'),
  'createSocket(x)': () => dgram.createSocket('x'),
  'send()': () => dgram.createSocket('udp4').send(),
  'send(port)': () => dgram.createSocket('udp4').send('x', 'a'),
  'send(0)': () => dgram.createSocket('udp4').send('x', 0),
  'send(offset)': () => dgram.createSocket('udp4').send(Buffer.from('abc'), 5, 6, 1),
  'send(length)': () => dgram.createSocket('udp4').send(Buffer.from('abc'), 1, 6, 1),
  'send(list)': () => dgram.createSocket('udp4').send([1], 1),
  'close twice': () => dgram.createSocket('udp4').close().close(),
  'address()': () => dgram.createSocket('udp4').address(),
  'setTTL(x)': () => dgram.createSocket('udp4').setTTL('x'),
  'setTTL(300)': () => dgram.createSocket('udp4').setTTL(300),
  'setBroadcast': () => dgram.createSocket('udp4').setBroadcast(true),
  'addMembership()': () => dgram.createSocket('udp4').addMembership(),
  'addMembership(x)': () => dgram.createSocket('udp4').addMembership('x'),
  'remoteAddress()': () => dgram.createSocket('udp4').remoteAddress(),
  'disconnect()': () => dgram.createSocket('udp4').disconnect(),
  'getRecvBufferSize()': () => dgram.createSocket('udp4').getRecvBufferSize(),
  'setRecvBufferSize(x)': () => dgram.createSocket('udp4').setRecvBufferSize('x'),
  'setMulticastInterface(x)': () => dgram.createSocket('udp4').setMulticastInterface('x'),
};
process.on('uncaughtException', (error) => console.log('later', error.code, error.message));
for (const [name, call] of Object.entries(calls)) {
  try {
    call();
    console.log(name, 'is fine');
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}
process.exit(0);
