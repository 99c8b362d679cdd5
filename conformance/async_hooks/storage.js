// Stores that are entered, left, restored and thrown out of, and the corners of it.
'use strict';
const { AsyncLocalStorage, AsyncResource, executionAsyncId } = require('node:async_hooks');
const one = new AsyncLocalStorage();
const two = new AsyncLocalStorage();
const both = () => `${one.getStore()} ${two.getStore()}`;
one.run(1, () => {
  two.enterWith('stays');
  console.log('inside', both());
});
console.log('after', both());
one.run(1, () => one.run(1, () => console.log('same', one.getStore())));
console.log(one.exit(() => one.run(2, both)), both());
(async () => {
  one.enterWith('before await');
  await null;
  console.log('async', both());
  one.enterWith('after await');
  await new Promise((resolve) => setTimeout(resolve, 1));
  console.log('later', both());
})();
console.log('caller', both());
one.enterWith(undefined);
let times = 0;
const interval = setInterval(() => {
  console.log('interval', both());
  one.enterWith(`turn ${++times}`);
  if (times === 3) clearInterval(interval);
}, 60);
const resource = one.run('made', () => new AsyncResource('R'));
resource.runInAsyncScope(() => { console.log(both()); one.enterWith('kept'); });
resource.runInAsyncScope(() => console.log(both()));
process.on('uncaughtException', (error) => console.log(error.message, both(), executionAsyncId() > 1));
one.run('thrower', () => setTimeout(() => { throw new Error('thrown'); }, 500));
one.run('ticker', () => process.nextTick(() => { throw new Error('tick'); }));
one.run('microtask', () => queueMicrotask(() => { throw new Error('microtask'); }));
