// rules: R118, R245
'use strict';
const { AsyncLocalStorage, createHook } = require('node:async_hooks');
const als = new AsyncLocalStorage();
const log = [];
const chain = (name, steps) => {
  let promise = Promise.resolve();
  for (let step = 1; step <= steps; step++) promise = promise.then(() => log.push(`${name}${step}`));
  return promise;
};
async function plain(name, values) {
  for (const value of values) log.push(`${name}:${String(await value)}`);
}
async function fails() {
  try {
    await null;
    throw new Error('after');
  } catch (error) {
    log.push(`caught ${error.message} ${await 1}`);
  } finally {
    await undefined;
    log.push('finally');
  }
}
async function* generates() {
  yield await 1;
  yield 2;
}
async function iterates() {
  for await (const value of generates()) log.push(`gen${value}`);
  for await (const value of [await 3, 4]) log.push(`list${value}`);
}
const object = {
  async method() { return [this === object, await 'of a method', arguments.length]; },
};

async function main() {
  chain('then', 12);
  plain('a', [null, 1, 'x', true, undefined, 10n, Symbol('s'), Promise.resolve('p'), { then: (go) => go('t') }]);
  fails();
  iterates();
  process.nextTick(() => log.push('tick'));
  queueMicrotask(() => log.push('micro'));
  await new Promise((resolve) => setImmediate(resolve));
  console.log(log.join(' '));

  await als.run('one', async () => {
    await 1;
    const inner = als.run('two', async () => { await 2; return als.getStore(); });
    console.log(als.getStore(), await inner, als.getStore());
  });
  console.log((await object.method(1, 2)).join(), als.getStore());

  // A hook that comes in the middle hears of the promises of awaits, of plain values too.
  let made = 0;
  const hook = createHook({ init(id, type) { if (type === 'PROMISE') made++; } });
  const counted = async (value) => {
    hook.enable();
    const before = made;
    await value;
    hook.disable();
    return made - before;
  };
  console.log(await counted(1), await counted(Promise.resolve(1)), await counted('x'));

  // Awaits that are never resumed, and ones in deep and wide calls.
  let deep = 0;
  const dive = async (depth) => { await null; deep++; if (depth > 0) await dive(depth - 1); };
  await Promise.all(Array.from({ length: 50 }, () => dive(50)));
  console.log(deep);
  await plain('last', [1]);
  process.exitCode = await 0;
}
main();
