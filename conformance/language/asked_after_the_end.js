// An async generator that is asked many times at once answers each, also after its end.
'use strict';

async function* counts() { yield 1; return 2; }
async function* fails() { yield 1; throw new Error('no'); }
async function* never() {}

const shown = (settled) => settled.map(({ status, value, reason }) =>
  `${status} ${reason === undefined ? JSON.stringify(value) : reason.message ?? reason}`);
const ask = async (make, asks) => console.log(make.name, shown(await Promise.allSettled(asks(make()))));
const next = (generator, count) => Array.from({ length: count }, () => generator.next());

(async () => {
  await ask(counts, (g) => next(g, 5));
  await ask(fails, (g) => next(g, 4));
  await ask(never, (g) => next(g, 3));
  await ask(counts, (g) => [g.next(), g.return(7), g.next(), g.next()]);
  await ask(counts, (g) => [g.return(Promise.resolve(7)), g.return(8), g.next()]);
  await ask(counts, (g) => [g.throw(new Error('given')), g.throw(new Error('again')), g.next(), g.return(9)]);
  await ask(counts, (g) => [g.next(), g.next(), g.return(Promise.reject(new Error('later'))), g.next(), g.throw('last')]);
  const order = [];
  const generator = counts();
  for (let i = 0; i < 5; i++) generator.next().then(({ value }) => order.push(`${i}:${value}`));
  Promise.resolve().then(() => order.push('job'));
  await new Promise(setImmediate);
  console.log(order.join(' '));
})();
