// What hooks hear of promises, await, thenables, ticks, microtasks, immediates, timers and files: which, when, by whom.
// The end of promises is left out: it comes when they are collected.
'use strict';
const ah = require('node:async_hooks');
const fs = require('node:fs');
const say = (...words) => fs.writeSync(1, words.join(' ') + '\n');
const names = new Map();
const name = (id) => names.get(id) ?? (id === 1 ? 'main' : id === 0 ? 'zero' : '?');
ah.createHook({
  init(id, type, trigger) {
    names.set(id, type + names.size);
    say('init', name(id), 'by', name(trigger), 'in', name(ah.executionAsyncId()));
  },
  before(id) { say('before', name(id)); },
  after(id) { say('after', name(id)); },
  destroy(id) { if (!name(id).startsWith('PROMISE')) say('destroy', name(id)); },
  promiseResolve(id) { say('resolve', name(id)); },
}).enable();
(async function f() {
  say('f1');
  await Promise.resolve(1);
  say('f2');
  await Promise.resolve(2);
  say('f3');
  try { await Promise.reject(1); } catch { }
  say('f4');
  return 5;
})();
queueMicrotask(() => say('microtask'));
process.nextTick(() => say('tick'));
setImmediate(() => {
  say('immediate');
  setTimeout(() => fs.stat('.', () => say('stat')), 100);
});
new Promise((resolve) => resolve({ then(done) { say('thenable'); done(); } })).then(() => say('after thenable'));
new Promise((_, reject) => reject(1)).catch(() => say('caught')).finally(() => say('finally'));
