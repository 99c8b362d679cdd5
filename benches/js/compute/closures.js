'use strict';
// Functions that make functions: array pipelines, a middleware chain, objects with methods from closures, spread and destructuring.
const compose = (steps) => steps.reduceRight((next, step) => (context) => step(context, () => next(context)), () => {});
const chain = compose([
  (context, next) => { context.count++; next(); context.count++; },
  (context, next) => { if (context.count > 0) next(); },
  (context, next) => { context.path = context.path.slice(1); next(); },
  (context) => { context.body = { ...context.head, status: 200 }; },
]);
const counter = (start) => { let value = start; return { add: (by) => (value += by), get value() { return value; } }; };
require('./harness.js')('closures', () => {
  let total = 0;
  for (let at = 0; at < 1000; at++) {
    const context = { count: 0, path: '/index', head: { type: 'text', length: at } };
    chain(context);
    const { status, ...rest } = context.body;
    const one = counter(at);
    one.add(status);
    total += one.value + rest.length;
  }
  const list = Array.from({ length: 1000 }, (_, at) => ({ at, group: at % 10 }));
  const groups = list.filter(({ at }) => at % 3).map((one) => ({ ...one, square: one.at ** 2 }))
    .sort((a, b) => b.group - a.group || a.at - b.at).reduce((all, { group, square }) => {
      all[group] = (all[group] ?? 0) + square;
      return all;
    }, {});
  if (total !== 1199000 || Object.keys(groups).length !== 10) throw new Error(`wrong result: ${total}`);
});
