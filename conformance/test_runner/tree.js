'use strict';
// What `node:test` prints of tests, suites and hooks. Run by itself in another process, without what differs from run to run.

const assert = require('assert');
const { spawnSync } = require('child_process');

if (process.argv[2] !== 'inside') {
  const { status, stdout } = spawnSync(process.execPath, [__filename, 'inside'], { encoding: 'utf8' });
  const isSame = (line) => !/duration_ms|node:|^\s+(?:Test|Suite|Immediate\.|process\.|new |Array\.|async |\/)/.test(line);
  const shown = stdout.replaceAll(`${__dirname}/`, '').split('\n').filter(isSame);
  // What tests print themselves comes before or after the reports: first it, then those.
  const [own, reports] = [shown.filter((line) => line.startsWith('>')), shown.filter((line) => !line.startsWith('>'))];
  console.log(own.join('\n'));
  console.log(reports.filter((line) => !/^\s+(?:stack: |tree\.js)/.test(line)).join('\n'));
  console.log('status', status);
} else {
  inside();
}

function inside() {
  const { after, afterEach, before, beforeEach, describe, it, test } = require('node:test');
  const log = (text) => console.log(`> ${text}`);
  const later = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

  test('passes', (t) => { t.diagnostic('a note'); });
  log('the script goes on');
  test('fails', () => { assert.strictEqual(1, 2); });
  test('fails with objects', () => { assert.deepStrictEqual({ a: 1, b: [1, { c: null }] }, { a: 2 }); });
  test('awaits', async () => { await later(1); });
  test('calls back', (t, done) => { setImmediate(done); });
  test('calls back an error', (t, done) => { done(new Error('given back')); });
  test('does both', async (t, done) => { done(); });
  test('throws a string', () => { throw 'text'; });
  test('throws nothing', () => { throw undefined; });
  test('is skipped', { skip: true }, () => { log('never'); });
  test('is skipped for a reason', { skip: 'a reason' }, () => { log('never'); });
  test.skip('is skipped by name', () => { log('never'); });
  test('is to be done', { todo: true }, () => { throw new Error('not yet'); });
  test('has no function');
  test('skips itself', (t) => { t.skip('now'); });
  test('names # \\ and \n', () => {});
  test(function named() {});
  test(() => {});
  test({ name: 'by options', only: true }, () => {});
  test('plans', (t) => { t.plan(1); t.assert.ok(true); });
  test('plans more', (t) => { t.plan(2); t.assert.ok(true); });
  test('is too slow', { timeout: 5 }, async () => { await later(200); });
  test('has others', async (t) => {
    t.beforeEach(() => log('before each'));
    t.afterEach(() => log('after each'));
    t.after(() => log('after'));
    await t.test('one', () => log('one'));
    await t.test('two', () => { throw new Error('two'); });
    log('end');
  });
  test('leaves one behind', (t) => { t.test('left', () => later(50)); });
  test('lets an exception go', async () => {
    setImmediate(() => { throw new Error('gone'); });
    await later(50);
  });
  test('lets a rejection go', async () => {
    Promise.reject(new Error('gone'));
    await later(50);
  });
  test('fails after', (t) => { t.after(() => { throw new Error('after'); }); });

  describe('outer', () => {
    before(() => log('outer before'));
    after(() => log('outer after'));
    beforeEach(() => log('outer before each'));
    afterEach(() => log('outer after each'));
    it('one', () => log('outer one'));
    describe('inner', () => {
      before(() => log('inner before'));
      after(() => log('inner after'));
      beforeEach(() => log('inner before each'));
      afterEach(() => log('inner after each'));
      it('two', () => log('inner two'));
    });
  });
  log('suites are made at once');
  describe('fails before', () => {
    before(() => { throw new Error('before'); });
    it('never runs', () => log('never'));
  });
  describe('is skipped', { skip: 'a reason' }, () => { log('never'); });
  describe('is to be done', { todo: true }, () => { it('fails', () => { throw new Error('not yet'); }); });
  describe('is made later', async () => {
    await later(1);
    it('late', () => log('late'));
  });
  test('never ends', () => new Promise(() => {}));
  test('is never begun', () => { log('never'); });
}
