'use strict';
// The hint that a flag makes the runtime print more about an error or warning.

const scheduler = require('internal/scheduler');

// Names the program by the last part of its `argv0` (`src/node_errors.cc: ReportFatalException`).
function hintOf(flag, what) {
  const { argv0 } = scheduler.options();
  const name = argv0.slice(argv0.lastIndexOf('/') + 1) || 'phasor';
  return `(Use \`${name} ${flag} ...\` to show where the ${what})`;
}

module.exports = { hintOf };
