'use strict';
// The words of entries, for why.rs.

const { whyAlive } = require('phasor:loop');
const assert = require('assert');
const childProcess = require('child_process');
const fs = require('fs');
const http = require('http');
const net = require('net');
const { Worker } = require('worker_threads');

const captures = process.env.PHASOR_WHY === '1';
const only = (kind) => {
  const found = whyAlive().filter((entry) => entry.kind === kind);
  assert.strictEqual(found.length, 1, `${kind}: ${JSON.stringify(whyAlive())}`);
  return found[0];
};
// The line of a text in this file.
const source = fs.readFileSync(__filename, 'utf8').split('\n');
const lineOf = (text) => source.findIndex((line) => line.includes(text) && !line.includes('checkPlaces')) + 1;

function checkPlaces(entry, made, name) {
  if (captures) assert.deepStrictEqual([entry.createdAt.file, entry.createdAt.line], [__filename, lineOf(made)]);
  else assert.strictEqual(entry.createdAt, undefined);
  if (name === undefined) return;
  assert.deepStrictEqual([entry.callback.function, entry.callback.file, entry.callback.line], [name, __filename, lineOf(`function ${name}`)]);
}

const timer = setTimeout(function onTime() {}, 60000);
checkPlaces(only('timeout'), 'setTimeout(function onTime', 'onTime');
assert.ok(only('timeout').deadlineMs > 50000 && only('timeout').deadlineMs <= 60000);
assert.strictEqual(only('timeout').remedy, 'clearTimeout(timer), or timer.unref()');
clearTimeout(timer);
assert.deepStrictEqual(whyAlive(), []);

const child = childProcess.spawn('sleep', ['1000'], { stdio: 'ignore' });
child.on('exit', function onExit() {});
assert.strictEqual(only('child process').what, `pid ${child.pid}: sleep 1000`);
checkPlaces(only('child process'), "spawn('sleep'", 'onExit');
child.kill();

// The end of the process is not waited for here: another process has the same kind.
child.unref();

fs.rename('/no/old', '/no/new', function renamed() {});
assert.strictEqual(only('file request').what, 'rename /no/old → /no/new');
checkPlaces(only('file request'), "fs.rename('/no/old'", 'renamed');
assert.strictEqual(only('file request').hasRef, false);

const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
assert.match(only('worker').what, /^thread \d+: \[worker eval\]$/);
checkPlaces(only('worker'), 'new Worker(');

const interval = setInterval(() => {
  // Inside of its callback the interval is in no list, and keeps the loop alive all the same.
  assert.strictEqual(only('interval').what, 'of 1 ms');
  clearInterval(interval);
  assert.ok(!whyAlive().some(({ kind }) => kind === 'interval'));
  const order = [setImmediate(inImmediate), setImmediate(() => {}), setImmediate(() => {})];
  order[1].unref();
  assert.strictEqual(whyAlive().filter(({ kind }) => kind === 'immediate').length, 2);
}, 1);

function inImmediate() {
  // One of the round is left: this one runs, and another was unref'd.
  assert.strictEqual(whyAlive().filter(({ kind }) => kind === 'immediate').length, 1);
  startServer();
}

function startServer() {
  const server = http.createServer(function onRequest(request, response) {
    response.write('begun');
    const { what, remedy } = only('http server');
    assert.strictEqual(what, `127.0.0.1:${server.address().port}, 1 connection`);
    assert.strictEqual(remedy, 'server.close(), or server.unref()');
    checkPlaces(only('http server'), "server.listen(0, '127.0.0.1'", 'onRequest');
    const sockets = whyAlive().filter(({ kind }) => kind === 'tcp socket').map((socket) => socket.what);
    assert.ok(sockets.some((text) => /^127\.0\.0\.1:\d+ → 127\.0\.0\.1:\d+, request GET 127\.0\.0\.1\/page$/.test(text)), `${sockets}`);
    server.close();
    server.closeAllConnections();
    worker.terminate().then(checkInput);
  });
  server.listen(0, '127.0.0.1', () => {
    http.get({ port: server.address().port, host: '127.0.0.1', path: '/page' }).on('error', () => {}).on('response', (response) => {
      response.on('error', () => {}).resume();
    });
  });
}

function checkInput() {
  const path = `${require('os').tmpdir()}/phasor-why-${process.pid}.sock`;
  const server = net.createServer().listen(path, () => {
    assert.strictEqual(only('unix socket server').what, `${path}, 0 connections`);
    server.close();
    assert.strictEqual(only('unix socket server').what, 'is being closed');
    assert.strictEqual(only('unix socket server').hasRef, false);
  });
}

process.on('beforeExit', () => {
  assert.deepStrictEqual(whyAlive(), []);
  console.log('checked');
});
