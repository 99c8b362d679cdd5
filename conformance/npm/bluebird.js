// bluebird: promises with a scheduler of their own beside the engine's, coroutines, cancellation, promisified modules.
'use strict';
const Promise = require('bluebird');
const fs = Promise.promisifyAll(require('fs'));
const os = require('os');
const path = require('path');

Promise.config({ cancellation: true, longStackTraces: false, warnings: false, monitoring: true });
const log = (...words) => console.log(...words);

// Whose callbacks come first, seen from the poll phase: ticks, the engine's promises, bluebird's, timers, immediates.
fs.stat('.', () => {
  setTimeout(() => log('order: timeout'), 0);
  setImmediate(() => log('order: immediate'));
  process.nextTick(() => log('order: tick'));
  globalThis.Promise.resolve().then(() => log('order: native'));
  Promise.resolve().then(() => log('order: bluebird')).then(() => log('order: bluebird, second'));
  log('order: poll');
});

class Wrong extends Error {}

async function main() {
  await Promise.delay(20);
  const folder = await fs.mkdtempAsync(path.join(os.tmpdir(), 'npm-bluebird-'));
  const names = ['c', 'a', 'b'];
  await Promise.map(names, (name) => fs.writeFileAsync(path.join(folder, name), name.repeat(4)), { concurrency: 2 });
  log(await fs.readdirAsync(folder));
  log(await Promise.mapSeries(names, (name) => fs.readFileAsync(path.join(folder, name), 'utf8')));
  log(await fs.readFileAsync(path.join(folder, 'none')).catch({ code: 'ENOENT' }, (error) => [error.name, error.code, error.isOperational]));
  log(await Promise.props({ size: fs.statAsync(path.join(folder, 'a')).get('size'), seven: 7, later: Promise.delay(2, 'late') }));
  log(await Promise.join(Promise.delay(2, 'x'), 'y', (x, y) => x + y));
  log(await Promise.some([Promise.delay(9, 'slow'), Promise.delay(1, 'fast'), Promise.reject(new Error('none'))], 1));
  log(await Promise.any([Promise.reject(new Error('one')), Promise.delay(1, 'any')]));
  log(await Promise.any([Promise.reject(new Error('one'))]).catch(Promise.AggregateError, (error) => `${error.length} failed`));
  log(await Promise.reduce([1, 2, 3, 4], (sum, n) => Promise.delay(1).return(sum + n), 0));
  log(await Promise.filter([1, 2, 3, 4], (n) => n > 2), await Promise.resolve([3, 1, 2]).call('sort').then(String));
  log(await Promise.reject(new Wrong('typed')).catch(TypeError, () => 'no').catch(Wrong, (error) => `caught ${error.message}`));
  log(await Promise.delay(500).timeout(5, 'too slow').catch(Promise.TimeoutError, (error) => error.message));
  log((await Promise.resolve(1).reflect()).isFulfilled(), Promise.pending?.name);

  const work = Promise.coroutine(function* (n) {
    let sum = 0;
    for (let at = 1; at <= n; at++) sum += yield Promise.delay(1, at);
    try {
      yield Promise.reject(new RangeError('inside'));
    } catch (error) {
      return `${sum} ${error.name}`;
    }
  });
  log(await work(4));

  // A resource is given back whether its user fails or not.
  const lent = () => fs.openAsync(path.join(folder, 'a'), 'r').disposer((fd) => fs.closeAsync(fd).then(() => log('closed')));
  log(await Promise.using(lent(), lent(), (one, two) => [typeof one, one !== two]));
  log(await Promise.using(lent(), () => { throw new Error('user failed'); }).catch((error) => error.message));

  let stopped = false;
  const cancelled = new Promise((resolve, reject, onCancel) => {
    const timer = setTimeout(resolve, 1000);
    onCancel(() => { stopped = true; clearTimeout(timer); });
  }).finally(() => log('finally of the cancelled'));
  cancelled.cancel();
  await Promise.delay(1);
  log('cancelled', cancelled.isCancelled(), stopped);

  class Old {
    constructor(by) { this.by = by; }
    twice(n, done) { setImmediate(() => (n < 0 ? done(new Error('negative')) : done(null, n * 2 * this.by))); }
  }
  const old = Promise.promisifyAll(new Old(10));
  log(await old.twiceAsync(4), await old.twiceAsync(-1).catch((error) => [error.constructor.name, error.message]));
  old.twiceAsync(1).asCallback((error, value) => log('asCallback', error, value));
  log(await Promise.fromCallback((done) => old.twice(2, done)), await Promise.method((a, b) => a + b)(1, 2), Promise.try(() => 1).value());
  log(await Promise.each([5, 6], (n, index, length) => log('each', n, index, length)));
  fs.rmSync(folder, { recursive: true });
}

process.on('unhandledRejection', (reason) => log('unhandled:', reason.message));
process.on('rejectionHandled', () => log('handled after all'));
main().then(() => {
  const late = Promise.reject(new Error('nobody'));
  setTimeout(() => late.catch(() => log('late catch')), 10);
});
