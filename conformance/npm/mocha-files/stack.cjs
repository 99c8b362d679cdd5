// A test file as a project has it: hooks, nesting, asynchronous tests of each kind, retries, and some that fail.
'use strict';
const assert = require('assert');
const { EventEmitter, once } = require('events');
const fs = require('fs/promises');
const net = require('net');
const os = require('os');
const path = require('path');

describe('a stack', function () {
  let stack;
  before('once', () => { stack = undefined; });
  beforeEach(function () { stack = []; this.title = this.currentTest.title; });

  it('starts empty', function () {
    assert.strictEqual(stack.length, 0);
    assert.strictEqual(this.title, 'starts empty');
  });
  it('gives back what was last', () => {
    stack.push(1, 2);
    assert.strictEqual(stack.pop(), 2);
  });
  it('is not written yet');
  it.skip('is skipped', () => assert.fail());
  it('skips itself', function () { this.skip(); });

  describe('when asynchronous', function () {
    this.timeout(2000);
    it('takes a callback', (done) => setTimeout(done, 5));
    it('takes a promise', async () => {
      const emitter = new EventEmitter();
      setImmediate(() => emitter.emit('ready', 7));
      assert.deepStrictEqual(await once(emitter, 'ready'), [7]);
    });
    it('writes files', async () => {
      const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'npm-mocha-'));
      await fs.writeFile(path.join(folder, 'x'), 'text');
      assert.strictEqual(await fs.readFile(path.join(folder, 'x'), 'utf8'), 'text');
      await fs.rm(folder, { recursive: true });
    });
    it('serves sockets', (done) => {
      const server = net.createServer((socket) => socket.end('bye')).listen(0, '127.0.0.1', () => {
        net.connect(server.address().port, '127.0.0.1').setEncoding('utf8').on('data', (text) => {
          assert.strictEqual(text, 'bye');
          server.close(done);
        });
      });
    });
    let tries = 0;
    it('is tried again', function () {
      this.retries(3);
      assert.strictEqual(++tries, 3);
    });
  });

  for (const [input, wanted] of [[[1, 2], 3], [[4, 5], 9]]) {
    it(`sums ${input}`, () => assert.strictEqual(input.reduce((a, b) => a + b), wanted));
  }
});

describe('failures', () => {
  it('of equality', () => assert.deepStrictEqual({ a: 1, list: [1, 2, 3] }, { a: 1, list: [1, 3] }));
  it('of text', () => assert.strictEqual('first\nsecond', 'first\nthird'));
  it('thrown', () => { throw new TypeError('of a test'); });
  it('rejected', async () => { await null; throw Object.assign(new Error('later'), { code: 'E_LATER' }); });
  it('of time', function (done) { this.timeout(20); this.keep = done; });
  it('told twice', (done) => { done(); setImmediate(done); });
  it('uncaught', (done) => { setImmediate(() => { throw new Error('out of the loop'); }); void done; });
  it('not an error', (done) => done('just text'));
  describe('of a hook', () => {
    before(() => { throw new Error('in before'); });
    it('is never run', () => {});
  });
  after(() => { process.exitCode = 3; });
});
