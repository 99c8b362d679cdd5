'use strict';
// `gc()` for `--expose-gc`, and the setting whether new `vm` contexts have it as a global.

const scheduler = require('internal/scheduler');

let isInContexts = false;

// Runs a garbage collection. Only these collections create performance entries of type 'gc': the engine does not report other collections.
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
  // Sets whether contexts that are created later have `gc`.
  exposeInContexts(value) { isInContexts = value; },
  inContexts: () => (isInContexts ? gc : undefined),
};
