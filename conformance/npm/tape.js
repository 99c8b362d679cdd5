// tape: TAP from nested, asynchronous, planned, skipped and failing tests, and its stream of results as objects.
'use strict';
const tape = require('tape');
const { EventEmitter } = require('events');
const fs = require('fs');
const net = require('net');

// Where a failing assertion stands, and its stack, are of this folder and engine.
const harness = tape.createHarness();
const out = harness.createStream();
let skipping = false;
let text = '';
out.on('data', (chunk) => { text += chunk; });
out.on('end', () => {
  const lines = text.split('\n').filter((line) => {
    if (/^ {4}(stack|at):/.test(line)) { skipping = /stack/.test(line); return false; }
    if (skipping && /^ {6}/.test(line)) return false;
    skipping = false;
    return true;
  });
  console.log(lines.join('\n'));
  objects();
});

harness('assertions', (t) => {
  t.plan(11);
  t.ok(1, 'truthy');
  t.notOk(0);
  t.equal('a', 'a', 'equal');
  t.notEqual('a', 'b');
  t.deepEqual({ a: [1, { b: new Date(0) }] }, { a: [1, { b: new Date(0) }] }, 'deep');
  t.deepLooseEqual([1, '2'], ['1', 2]);
  t.throws(() => { throw new RangeError('far'); }, /far/, 'throws');
  t.doesNotThrow(() => {});
  t.match('haystack', /st.c/);
  t.error(null, 'no error');
  setTimeout(() => t.pass('late'), 5);
});

harness('nested', (t) => {
  const order = [];
  t.teardown(() => { order.push('teardown'); t.comment(order.join()); });
  t.test('first', (inner) => { order.push('first'); setImmediate(() => inner.end()); });
  t.test('second', async (inner) => { order.push('second'); await null; inner.equal(order.length, 2); });
  t.end();
});

harness('sockets and files', (t) => {
  const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1', () => {
    const socket = net.connect(server.address().port, '127.0.0.1', () => socket.end('echo'));
    socket.setEncoding('utf8').on('data', (data) => t.equal(data, 'echo')).on('close', () => {
      server.close(() => fs.readFile(__filename, 'utf8', (error, source) => { t.error(error); t.ok(source.includes('tape')); t.end(); }));
    });
  });
});

harness('failures', (t) => {
  t.equal(1, 2, 'numbers');
  t.deepEqual({ a: 1 }, { a: 2 }, 'objects');
  t.fail('plainly');
  t.throws(() => {}, 'nothing thrown');
  t.error(new TypeError('given'));
  t.end();
});
harness('plan not kept', (t) => { t.plan(2); t.pass('one'); t.end(); });
harness('end twice', (t) => { t.end(); t.end(); });
harness('too late', { timeout: 20 }, () => {});
harness('skipped', { skip: true }, (t) => t.fail());
harness('partly skipped', (t) => { t.skip('not today'); t.pass('but this', { todo: true }); t.end(); });
harness('to do', { todo: true }, (t) => { t.fail('known'); t.end(); });
harness('captures', (t) => {
  const object = { twice: (n) => n * 2 };
  const seen = t.capture(object, 'twice', (n) => n * 3);
  t.equal(object.twice(2), 6);
  t.deepEqual(seen().map(({ args, returned }) => [args, returned]), [[[2], 6]]);
  const results = t.intercept(object, 'field', { value: 1 });
  object.field;
  t.equal(results()[0].type, 'get');
  t.end();
});
harness('events', (t) => {
  const emitter = new EventEmitter();
  t.plan(2);
  emitter.once('x', (value) => t.equal(value, 1));
  emitter.once('x', () => t.pass('again'));
  process.nextTick(() => emitter.emit('x', 1));
});
harness.onFinish(() => console.log('finished'));
harness.onFailure(() => console.log('failed'));

function objects() {
  const inner = tape.createHarness();
  inner.createStream({ objectMode: true }).on('data', (row) => console.log(row.type, row.name ?? '', row.ok ?? '', row.operator ?? '')).on('end', () => console.log('end', process.exitCode));
  inner('as objects', (t) => { t.equal(2, 2, 'two'); t.end(); });
}
