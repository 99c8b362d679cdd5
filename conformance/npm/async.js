// async: flows, queues and limits over real files, timers and children's exits, and the order in which they come back.
'use strict';
const async = require('async');
const fs = require('fs');
const os = require('os');
const path = require('path');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-async-'));
const file = (name) => path.join(folder, name);
const log = (...words) => console.log(...words);

async.series({
  // Files are written four at a time, and read back in the order that was asked for.
  files: (done) => async.eachLimit(['a', 'b', 'c', 'd', 'e'], 2, (name, next) => fs.writeFile(file(name), name.repeat(3), next), (error) => {
    if (error) return done(error);
    async.map(['e', 'a', 'c'], (name, next) => fs.readFile(file(name), 'utf8', next), done);
  }),
  sizes: (done) => async.mapValues({ one: 'a', two: 'b' }, (name, key, next) => fs.stat(file(name), (error, stat) => next(error, `${key}:${stat?.size}`)), done),
  missing: (done) => fs.stat(file('zz'), (error) => done(null, error.code)),
  waterfall: (done) => async.waterfall([
    (next) => setImmediate(next, null, 3, 4),
    (a, b, next) => process.nextTick(next, null, a * b),
    async (product) => product + 1,
    async.asyncify((value) => value * 2),
  ], done),
  auto: (done) => async.auto({
    left: (next) => setTimeout(next, 15, null, 'L'),
    right: (next) => setTimeout(next, 5, null, 'R'),
    both: ['left', 'right', ({ left, right }, next) => next(null, left + right)],
    length: ['both', async ({ both }) => both.length],
  }, done),
  detect: (done) => async.detect(['x', 'b', 'a'], (name, next) => fs.access(file(name), (error) => next(null, !error)), done),
  filtered: (done) => async.filterSeries([1, 2, 3, 4, 5, 6], async (n) => n % 2 === 0, done),
  reduced: (done) => async.reduce([1, 2, 3], 10, (sum, n, next) => setImmediate(next, null, sum + n), done),
  grouped: (done) => async.groupBy(['apple', 'avocado', 'beet'], async (word) => word[0], done),
}, (error, results) => {
  log(error, results);
  queues();
});

function queues() {
  const started = [];
  const queue = async.queue((task, done) => {
    started.push(`${task.name}/${queue.running()}`);
    setTimeout(done, task.ms, task.fails ? new Error(task.name) : null, task.name.toUpperCase());
  }, 2);
  queue.error((error, task) => log('error of', task.name, error.message));
  queue.saturated(() => log('saturated at', queue.length()));
  queue.empty(() => log('empty'));
  queue.drain(() => {
    log('drained', started, queue.idle());
    priorities();
  });
  queue.push([{ name: 'one', ms: 5 }, { name: 'two', ms: 400 }, { name: 'three', ms: 5, fails: true }], (error, name) => log('pushed', error?.message, name));
  queue.unshift({ name: 'first', ms: 5 }, (error, name) => log('unshifted', error, name));
}

function priorities() {
  const queue = async.priorityQueue(async (task) => log('priority', task), 1);
  queue.push('low', 30);
  queue.push('high', 1);
  queue.push('middle', 10);
  queue.drain().then(retries);
}

async function retries() {
  let tries = 0;
  const flaky = (done) => (++tries < 3 ? done(new Error(`try ${tries}`)) : done(null, `came at ${tries}`));
  log(await async.retry({ times: 5, interval: 2 }, flaky));
  log(await async.retry(2, async () => { throw new Error('never'); }).catch((error) => error.message));
  const slow = async.timeout((done) => setTimeout(done, 500).unref(), 10, { why: 'slow' });
  await new Promise((resolve) => slow((error) => resolve(log(error.code, error.message, error.info))));
  log(await async.race([(done) => setTimeout(done, 30, null, 'tortoise'), (done) => setTimeout(done, 3, null, 'hare')]));
  let count = 0;
  await async.whilst(async () => count < 3, async () => { count += 1; });
  await async.until(async () => count === 0, async () => { count -= 1; });
  const memo = async.memoize((n, done) => { log('worked for', n); setImmediate(done, null, n * n); });
  await new Promise((resolve) => memo(4, (error, first) => memo(4, (again, second) => resolve(log('memo', error, again, first, second, Object.keys(memo.memo))))));
  log(await async.parallel(async.reflectAll([async () => 1, async () => { throw new RangeError('two'); }]))
    .then((all) => all.map((one) => one.error?.name ?? one.value)));
  const cargo = async.cargo((tasks, done) => { log('cargo', tasks); done(); }, 2);
  cargo.pushAsync([1, 2, 3, 4, 5]);
  await cargo.drain();
  log(await async.times(4, async (n) => n ** 2), await async.concat(['x', 'y'], async (letter) => [letter, letter]));
  async.each([1, 2, 3], (n, next) => next(n === 2 ? new Error('at 2') : null), (error) => log('each', error.message));
  await async.forever(async () => { if (++count === 4) throw new Error('enough'); }).catch((error) => log(error.message));
  fs.rmSync(folder, { recursive: true });
  process.once('exit', () => log('exit', fs.existsSync(folder)));
}
