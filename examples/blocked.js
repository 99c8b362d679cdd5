// Blocks its event loop now and then, and prints what the tools of `perf_hooks` measure. docs/blocked-loop.md explains the output.
//
//   cargo run --release -p phasor-cli -- examples/blocked.js

const { monitorEventLoopDelay, performance, PerformanceObserver } = require('node:perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 5 });
const ms = (ns) => `${(ns / 1e6).toFixed(0)} ms`;

// `timerify` measures every call of the suspected function.
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

// Waits without using the processor.
const idle = (done) => setTimeout(done, 200);

// Blocks for 100 ms, twice, with a pause in between.
function blocking(done) {
  setTimeout(parse, 20, 100);
  setTimeout(parse, 160, 100);
  setTimeout(done, 300);
}

// The same amount of work in steps of 5 ms: the utilization is the same, but the delay is never more than one step.
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
