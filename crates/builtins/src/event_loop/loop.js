'use strict';
// `phasor:loop`: observes the event loop. Node has no such module, hence the scheme.

const { validateBoolean } = require('internal/validators');

// Starts or stops recording the phases of the loop. Starting clears earlier records.
function watch(on = true) {
  validateBoolean(on, 'on');
  native.watch(on);
}

// The recorded phases, oldest first: `{ phase, events, waitedMs }`. `events` counts the callbacks dispatched in the
// phase, `waitedMs` is the time spent waiting. The last entry is the current phase. At most 4096 are kept.
function walked() {
  return native.walked();
}

// What keeps the loop of this thread alive; empty if nothing does. See `types/phasor-loop.d.ts`.
function whyAlive() {
  return require('internal/why').whyAlive();
}

module.exports = { walked, watch, whyAlive };
