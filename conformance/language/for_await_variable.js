'use strict';
// `for await` whose variable cannot take the value closes the iterator, waits for it, and throws on.
const log = (...all) => console.log(' ', ...all);
const make = (value, result) => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => ({ value, done: false }),
    return() { log('return called'); return result(); },
  }),
});
const slowly = (value) => () => new Promise((fulfil) => setTimeout(() => { log('returned'); fulfil(value); }, 5));
const results = {
  object: () => ({}),
  number: () => 5,
  promise: slowly({}),
  'promise of a number': slowly(5),
  rejection: () => Promise.reject(new Error('rejected')),
  throw: () => { throw new Error('thrown'); },
};
const fixed = Object.freeze({ a: 1 });
const loops = {
  declared: async (iterable) => { for await (const { a } of iterable) log(a); },
  assigned: async (iterable) => { let a; for await ([a] of iterable) log(a); },
  property: async (iterable) => { for await (fixed.a of iterable) log('no'); },
  'in a generator': async (iterable) => {
    async function* generated() { for await (const { a } of iterable) yield a; }
    for await (const each of generated()) log(each);
  },
  'finally': async (iterable) => { try { for await (const { a } of iterable) log(a); } finally { log('finally'); await null; } },
  'inside of another': async (iterable) => {
    for await (const outer of make(1, slowly({}))) for await (const { a } of iterable) log(outer, a);
  },
  'a second time': async (iterable) => {
    for (let i = 0; i < 2; i++) {
      try { for await (const { a } of iterable) log(a); } catch (error) { log('inner', error.name); }
    }
  },
};

(async () => {
  for (const [name, loop] of Object.entries(loops)) {
    for (const [kind, result] of Object.entries(results)) {
      console.log(name, kind);
      await loop(make(null, result)).then((value) => log('gave', value), (error) => log('caught', error.name));
    }
  }
  // How many turns of the microtasks it takes.
  for (const result of [() => ({}), async () => ({}), () => Promise.reject(new Error('rejected')), undefined]) {
    const order = [];
    const iterable = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: null, done: false }), return: result }) };
    (async () => { try { for await (const { a } of iterable) order.push(a); } catch { order.push('caught'); } })();
    (async () => { for (let i = 0; i < 8; i++) { await 0; order.push(i); } })();
    await new Promise((fulfil) => setTimeout(fulfil, 5));
    console.log(order.join());
  }
})();
