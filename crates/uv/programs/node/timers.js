// Timers, immediates and ticks, and the order that the event loop guarantees.
'use strict';
const { performance, monitorEventLoopDelay } = require('perf_hooks');
const log = [];

setTimeout(() => log.push('30'), 30);
setTimeout(() => log.push('10'), 10);
setTimeout(() => log.push('20'), 20);
const gone = setTimeout(() => log.push('never'), 15);
clearTimeout(gone);
setTimeout(() => log.push('unref'), 100_000).unref();

let ticks = 0;
const interval = setInterval(() => {
  if (++ticks === 5) clearInterval(interval);
}, 5);

setTimeout(() => {
  const order = [];
  setImmediate(() => order.push('immediate'));
  process.nextTick(() => order.push('tick'));
  Promise.resolve().then(() => order.push('microtask'));
  require('fs').stat('.', () => {
    // From the poll phase an immediate always comes before a timer.
    setTimeout(() => order.push('timer'), 0);
    setImmediate(() => order.push('immediate in poll'));
    setTimeout(() => console.log(order.join(', ')), 50);
  });
}, 200);

const refreshed = setTimeout(() => log.push('refreshed'), 60);
setTimeout(() => refreshed.refresh(), 40);

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const began = performance.now();
setTimeout(() => {
  delay.disable();
  const took = performance.now() - began;
  console.log(log.join(' '), ticks, took >= 299 && took < 5000, delay.min > 0);
  console.log(performance.eventLoopUtilization().utilization < 1);
}, 300);

let chain = 0;
(function immediates() {
  if (++chain < 1000) setImmediate(immediates);
  else console.log('chain', chain);
})();

process.on('beforeExit', () => {
  console.log('before exit');
  process.removeAllListeners('beforeExit');
  setTimeout(() => console.log('once more'), 1);
});
process.on('exit', (code) => console.log(`exit ${code}\ndone`));
