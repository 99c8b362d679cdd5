'use strict';
// The function `gc` of `--expose-gc`, and whether new contexts of `vm` have it.

const scheduler = require('internal/scheduler');

let isInContexts = false;

// Only these collections create PerformanceEntries of type 'gc': the engine reports no others.
function gc() {
  const isObserved = require('internal/performance/timeline').hasObserver('gc');
  if (!isObserved) {
    scheduler.collectGarbage();
    return;
  }
  const { performance } = require('internal/performance');
  const start = performance.now();
  scheduler.collectGarbage();
  const { NODE_PERFORMANCE_GC_MAJOR: kind, NODE_PERFORMANCE_GC_FLAGS_FORCED: flags } = require('perf_hooks').constants;
  require('internal/performance/observer').tellOf('gc', 'gc', start, performance.now() - start, { kind, flags });
}

module.exports = {
  gc,
  // For contexts that are made from now on.
  exposeInContexts(value) { isInContexts = value; },
  inContexts: () => (isInContexts ? gc : undefined),
};
