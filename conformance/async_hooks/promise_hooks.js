'use strict';
// `v8.promiseHooks`: who hears of promises alone.
const { promiseHooks } = require('v8');

const names = new Map();
const name = (promise, text) => { names.set(promise, text); return promise; };
const named = (promise) => (promise === undefined ? promise : names.get(promise) ?? 'another');
const log = [];
const flush = (title) => { console.log(title, log.splice(0).join(', ')); };

for (const [verb, given] of [['onInit', 1], ['onBefore', async () => {}], ['onAfter', undefined], ['onSettled', {}], ['createHook', { after: 5 }], ['createHook', 5]]) {
  try {
    promiseHooks[verb](given);
  } catch (error) {
    console.log(verb, error.code, error.message);
  }
}

const stop = promiseHooks.createHook({
  init(promise, parent) { names.set(promise, `p${names.size}`); log.push(`init ${named(promise)} of ${named(parent)}`); },
  before(promise) { log.push(`before ${named(promise)}`); },
  after(promise) { log.push(`after ${named(promise)}`); },
  settled(promise) { log.push(`settled ${named(promise)}`); },
});
const first = Promise.resolve(1);
flush('resolve');
const second = first.then(() => flush('in then'));
flush('then');
let settle;
const late = new Promise((resolve) => { settle = resolve; });
flush('constructor');
settle();
flush('its resolve');
Promise.reject(new Error('caught')).catch(() => {});
flush('reject and catch');

// Two of one kind, and one that is gone.
const stopFirst = promiseHooks.onInit(() => log.push('one more'));
promiseHooks.onInit(() => log.push('and more'));
Promise.resolve();
stopFirst();
flush('two more');

setTimeout(() => {
  flush('by then');
  stop();
  Promise.resolve();
  flush('stopped');
  process.once('uncaughtException', (error) => console.log('thrown by a hook:', error.message));
  const stopThrowing = promiseHooks.onSettled(() => { throw new Error('of no promise'); });
  Promise.resolve().then(stopThrowing);
  stopThrowing();
  names.clear();
}, 5);
void second;
void late;
