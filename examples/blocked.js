// A program that blocks its loop now and then, and what the instruments of `perf_hooks` say about it. docs/blocked-loop.md
// explains the lines that it prints.
//
//   cargo run --release -p phasor-cli -- examples/blocked.js

const { monitorEventLoopDelay, performance, PerformanceObserver } = require('node:perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 5 });
const ms = (ns) => `${(ns / 1e6).toFixed(0)} ms`;

// What is suspected is measured call by call.
const parse = performance.timerify(function parse(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
});
const calls = new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries()) {
    if (duration > 50) console.log(`slow call: ${name}, ${duration.toFixed(0)} ms`);
  }
});

function watch(name, work, then) {
  delay.reset();
  const before = performance.eventLoopUtilization();
  const done = () => {
    const { utilization } = performance.eventLoopUtilization(before);
    const [p50, max] = [delay.percentile(50), delay.max];
    console.log(`${name}: utilization ${utilization.toFixed(2)}, delay p50 ${ms(p50)}, longest ${ms(max)}`);
    then();
  };
  work(done);
}

// Waits, as a loop should.
const idle = (done) => setTimeout(done, 200);

// A tenth of a second at a time, twice, with time to breathe between.
function blocking(done) {
  setTimeout(parse, 20, 100);
  setTimeout(parse, 160, 100);
  setTimeout(done, 300);
}

// As much work, in pieces of a few milliseconds: the loop is as busy, and never late by more than one of them.
function inPieces(done, left = 40) {
  parse(5);
  if (left > 1) setImmediate(inPieces, done, left - 1);
  else done();
}

delay.enable();
calls.observe({ entryTypes: ['function'] });
watch('idle', idle, () => watch('blocking', blocking, () => watch('in pieces', inPieces, () => {
  delay.disable();
  calls.disconnect();
})));
