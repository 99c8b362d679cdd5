'use strict';
// When callbacks of crypto come: never before the call returns, randomInt's on the next tick while there is stock, the pool's in the
// poll phase, what is synchronous now.
const crypto = require('crypto');
const log = (...args) => console.log(...args);
const marks = (name) => {
  process.nextTick(() => log(name, 'tick'));
  Promise.resolve().then(() => log(name, 'microtask'));
};
const steps = [
  (next) => crypto.randomInt(1, (error, value) => next('randomInt, no stock', error, value)),
  (next) => crypto.randomInt(1, (error, value) => next('randomInt', error, value)),
  (next) => crypto.randomBytes(0, (error, value) => next('randomBytes', error, value)),
  (next) => crypto.randomFill(Buffer.alloc(0), (error, value) => next('randomFill of nothing', error, value)),
  (next) => crypto.randomFill(Buffer.alloc(1), (error) => next('randomFill', error)),
  (next) => crypto.pbkdf2('p', 's', 1, 4, 'sha1', (error, value) => next('pbkdf2', error, value)),
  (next) => crypto.hkdf('sha1', 'p', 's', '', 4, (error, value) => next('hkdf', error, value)),
  (next) => crypto.scrypt('p', 's', 4, { N: 2 }, (error, value) => next('scrypt', error, value)),
  (next) => crypto.generateKey('aes', { length: 128 }, (error) => next('generateKey', error)),
];
function run() {
  const step = steps.shift();
  if (step === undefined) return;
  marks('before');
  step((name, ...values) => {
    log(name, ...values);
    marks(name);
    let first;
    setTimeout(() => {
      log(first === undefined ? 'timeout first' : 'immediate first');
      run();
    }, 1);
    setImmediate(() => { first = true; });
    // The timer is late for this turn only if the callback came in the poll phase; give it the time to be due either way.
    const until = Date.now() + 3;
    while (Date.now() < until);
  });
  marks('after');
  log('returned');
}
setImmediate(run);
log('resources', process.getActiveResourcesInfo());
