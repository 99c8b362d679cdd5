// Observers are told in an immediate, in the order of the entries' start; what they refuse; timerify; names and shapes.
'use strict';
const perf = require('node:perf_hooks');
const { performance, PerformanceObserver, PerformanceObserverEntryList, createHistogram, constants } = perf;
const t = (f) => { try { console.log(f()); } catch (e) { console.log(e.name, e.code, e.message); } };
console.log(Object.keys(perf).join(), JSON.stringify(constants));
console.log(PerformanceObserver.supportedEntryTypes.join());
t(() => new PerformanceObserver());
t(() => new PerformanceObserverEntryList());
t(() => new perf.PerformanceResourceTiming());
t(() => new PerformanceObserver(() => {}).observe());
t(() => new PerformanceObserver(() => {}).observe({ entryTypes: 'mark' }));
t(() => new PerformanceObserver(() => {}).observe({ entryTypes: ['mark'], type: 'mark' }));
t(() => { const o = new PerformanceObserver(() => {}); o.observe({ type: 'mark' }); o.observe({ entryTypes: ['mark'] }); });
t(() => { const o = new PerformanceObserver(() => {}); o.observe({ entryTypes: ['mark'] }); o.observe({ type: 'mark' }); });

const seen = new PerformanceObserver((list, self) => {
  console.log('told', self === seen, list.getEntries().map((e) => `${e.entryType}:${e.name}`).join());
  console.log(list.getEntriesByType('mark').length, list.getEntriesByName('b').length, list.getEntriesByName('b', 'gc').length);
});
seen.observe({ entryTypes: ['mark', 'measure', 'nonsense'] });
performance.mark('b', { startTime: 0.2 });
performance.mark('a', { startTime: 0.1, detail: { x: 1 } });
performance.measure('m', 'a', 'b');
console.log('not yet');
setImmediate(() => {
  console.log('records', seen.takeRecords().length);
  performance.mark('c');
  console.log('records', seen.takeRecords().map((e) => e.name).join());
  seen.disconnect();
  performance.mark('d');
  const late = new PerformanceObserver((list) => {
    console.log('buffered', list.getEntries().map((e) => e.name).join());
    late.disconnect();
    timed();
  });
  late.observe({ type: 'mark', buffered: true });
});

function timed() {
  const histogram = createHistogram();
  const add = performance.timerify(function add(a, b) { return this === undefined ? 0 : a + b; }, { histogram });
  console.log(add.name, add.length, performance.timerify(class Made {}).name);
  const calls = new PerformanceObserver((list) => {
    for (const e of list.getEntries()) console.log(e.name, e.entryType, e[0], e[1], JSON.stringify(e.detail), e.duration >= 0);
    console.log(histogram.count, Object.keys(list.getEntries()[0].toJSON()).join());
    calls.disconnect();
  });
  calls.observe({ entryTypes: ['function'] });
  console.log(add.call({}, 1, 2));
  performance.timerify(async function later() {})(7);
  t(() => performance.timerify(1));
  t(() => performance.timerify(() => {}, { histogram: {} }));
}
