// When a `return` through `yield*` is over: what the inner iterator returned is not awaited once more.
'use strict';

const log = [];
const clock = (count) => {
  let ticks = 0;
  (function tick() { if (ticks++ < count) queueMicrotask(() => { log.push(ticks); tick(); }); })();
};
const next = () => ({ value: 1, done: false });
const inner = {
  array: () => [1, 2],
  generator: () => (async function* () { yield 1; })(),
  'no return': () => ({ [Symbol.asyncIterator]() { return this; }, next }),
  'no return, not async': () => ({ [Symbol.iterator]() { return this; }, next }),
  'a return': () => ({ [Symbol.asyncIterator]() { return this; }, next, return: (value) => ({ value, done: true }) }),
  'a return that goes on': () => ({ [Symbol.asyncIterator]() { return this; }, next, return: () => ({ value: 3, done: false }) }),
};
const outer = {
  plainly: (make) => (async function* () { yield* make(); })(),
  finally: (make) => (async function* () { try { yield* make(); } finally { log.push('finally'); await 0; log.push('after'); } })(),
  loop: (make) => (async function* () { for await (const one of [1, 2]) { yield* make(); log.push(one); } })(),
};
const thenable = { get then() { log.push('asked'); return undefined; } };

(async () => {
  for (const [name, make] of Object.entries(inner)) {
    for (const [how, wrap] of Object.entries(outer)) {
      for (const value of [5, Promise.resolve(6), thenable]) {
        log.length = 0;
        const generator = wrap(make);
        await generator.next();
        clock(10);
        generator.return(value).then((result) => log.push(result.done), (error) => log.push(error));
        await new Promise(setImmediate);
        console.log(name, how, log.join(' '));
      }
    }
    log.length = 0;
    await (async () => {
      for await (const _ of outer.plainly(make)) {
        clock(10);
        break;
      }
      log.push('left');
    })();
    await new Promise(setImmediate);
    console.log(name, 'left', log.join(' '));
  }
})();
