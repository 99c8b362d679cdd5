'use strict';
// `for await` whose iterator fails by itself does not close it.
const make = (next) => ({
  [Symbol.asyncIterator]: () => ({ next, return() { console.log('  return called'); return {}; } }),
});
const failing = {
  'next rejects': make(() => Promise.reject(new Error('rejected'))),
  'next throws': make(() => { throw new Error('thrown'); }),
  'next gives a number': make(() => 5),
  'done throws': make(() => ({ get done() { throw new Error('done'); } })),
  'value throws': make(() => ({ done: false, get value() { throw new Error('value'); } })),
};
const endless = make(async () => ({ value: 1, done: false }));

async function loop(name, run) {
  console.log(name);
  try {
    await run();
  } catch (error) {
    console.log('  caught', error.name);
  }
}

(async () => {
  for (const [name, iterable] of Object.entries(failing)) {
    await loop(name, async () => { for await (const each of iterable) console.log('body', each); });
    // One that is around it is closed, whatever kind it is of.
    await loop(`${name}, inside`, async () => { for await (const outer of endless) for await (const each of iterable) console.log(outer, each); });
    await loop(`${name}, below`, async () => {
      for (const outer of { *[Symbol.iterator]() { try { yield 1; } finally { console.log('  sync return'); } } }) {
        for await (const each of iterable) console.log(outer, each);
      }
    });
    await loop(`${name}, generated`, async () => {
      async function* generated() { for await (const each of iterable) yield each; }
      for await (const each of generated()) console.log(each);
    });
    await loop(`${name}, caught`, async () => {
      for await (const outer of endless) {
        try { for await (const each of iterable) console.log(outer, each); } catch { console.log('  inner'); }
        break;
      }
    });
  }
  await loop('the body awaits a rejection', async () => { for await (const each of endless) await Promise.reject(new Error(`${each}`)); });
  await loop('the body calls next', async () => { for await (const each of endless) await { next() { throw new Error(`${each}`); } }.next(); });
  for (const [name, next] of [['sync next throws', () => { throw new Error('next'); }], ['sync next gives a number', () => 5]]) {
    await loop(name, async () => {
      for (const each of { [Symbol.iterator]: () => ({ next, return() { console.log('  return called'); return {}; } }) }) console.log(each);
    });
  }
})();
