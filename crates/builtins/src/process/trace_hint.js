'use strict';
// The hint of how to run a program again to see more.

const scheduler = require('internal/scheduler');

// The name by which the program was started, as in Node's `src/node_errors.cc: ReportFatalException`.
function hintOf(flag, what) {
  const { argv0 } = scheduler.options();
  const name = argv0.slice(argv0.lastIndexOf('/') + 1) || 'phasor';
  return `(Use \`${name} ${flag} ...\` to show where the ${what})`;
}

module.exports = { hintOf };
