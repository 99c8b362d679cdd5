'use strict';
// What a WeakRef is made for or gives is there until the microtasks have run, also if nobody else holds it, and goes afterwards.
const vm = require('vm');
const { Worker, isMainThread } = require('worker_threads');

const kLimitMs = 20_000;

// V8 has to be asked to look for garbage; where its flags are unknown, memory is used until somebody looks.
let collect = () => {
  for (let count = 0; count < 20; count++) new Array(10_000).fill({ count });
};
try {
  require('v8').setFlagsFromString('--expose-gc');
  collect = vm.runInNewContext('gc');
} catch {
  // Not V8.
}

async function until(isSo) {
  const began = Date.now();
  while (!isSo() && Date.now() - began < kLimitMs) {
    collect();
    await new Promise(setImmediate);
  }
  return isSo();
}

const where = isMainThread ? 'main' : 'worker';
const gone = [];
const registry = new FinalizationRegistry((held) => gone.push(held));

function made() {
  console.log(where, 'at once', new WeakRef({ a: 1 }).deref());
  console.log(where, 'a symbol', new WeakRef(Symbol('s')).deref());
  console.log(where, 'a class of its own', new (class extends WeakRef {})([1]).deref());
  console.log(where, 'another realm', vm.runInNewContext('new WeakRef({ b: 1 }).deref()'));
  const ref = new WeakRef({ c: 1 });
  registry.register(ref.deref(), 'c');
  process.nextTick(() => console.log(where, 'in a tick', ref.deref()));
  (async () => {
    for (let turn = 0; turn < 3; turn++) {
      await null;
      console.log(where, 'in a microtask', ref.deref());
    }
  })();
  return ref;
}

const ref = made();

// Looking at it keeps it once more, and many times is as once.
setImmediate(async () => {
  const kept = { d: 1 };
  const held = new WeakRef(kept);
  const before = process.memoryUsage().rss;
  for (let count = 0; count < 1e6; count++) held.deref();
  console.log(where, 'a million looks take no room', process.memoryUsage().rss - before < 16 << 20, held.deref() === kept);

  console.log(where, 'goes', await until(() => gone.length > 0), gone, ref.deref());
  const waiting = [];
  for (let count = 0; count < 1000; count++) {
    const one = new WeakRef({ count });
    registry.register(one.deref(), count);
    waiting.push(one);
  }
  console.log(where, 'all are there', waiting.every((one, count) => one.deref().count === count));
  await new Promise(setImmediate);
  console.log(where, 'all go', await until(() => gone.length > 1000), waiting.every((one) => one.deref() === undefined));
  if (isMainThread) new Worker(__filename);
});
