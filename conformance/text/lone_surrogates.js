'use strict';
// Half a character is text like any other: whoever takes it from JavaScript gets U+FFFD in its place.
const { spawnSync } = require('child_process');
const dgram = require('dgram');
const dns = require('dns');
const net = require('net');
const { BroadcastChannel, Worker } = require('worker_threads');

const half = 'a\ud800';
const tell = (what, call) => {
  let outcome;
  try {
    outcome = call();
  } catch (error) {
    outcome = `${error.name} ${error.code} ${error.message}`;
  }
  console.log(what, JSON.stringify(outcome));
};

tell('isIP', () => net.isIP(half));
tell('BlockList', () => new net.BlockList().addAddress(half));
tell('SocketAddress', () => new net.SocketAddress({ address: half }));
tell('localAddress', () => net.connect({ port: 1, host: '127.0.0.1', localAddress: half }));
tell('setServers', () => new dns.Resolver().setServers([half]));
tell('lookupService', () => dns.lookupService(half, 80, () => {}));
const socket = dgram.createSocket('udp4');
tell('addMembership', () => socket.addMembership(half));
tell('setMulticastInterface', () => socket.setMulticastInterface(half));
socket.close();
tell('BroadcastChannel', () => {
  const channel = new BroadcastChannel(half);
  channel.close();
  return channel.name;
});
tell('env', () => {
  process.env.HALF = half;
  return process.env.HALF;
});
tell('title', () => { process.title = half; });
tell('setuid', () => process.setuid(half));
tell('chdir', () => {
  try {
    return process.chdir(`/${half}`);
  } catch (error) {
    return error.code;
  }
});
tell('spawnSync', () => spawnSync('echo', [half]).stdout.toString('hex'));
dns.lookup(`${half}.invalid.`, (error) => {
  console.log('lookup', error.syscall, error.hostname === `${half}.invalid.`);
  const worker = new Worker(`require('worker_threads').parentPort.postMessage(process.env.HALF === 'a\ufffd')`, {
    eval: true, name: half, env: { HALF: half },
  });
  worker.on('message', (message) => console.log('worker', message));
});
