'use strict';
// `phasor:loop`: what the loop below says of itself. Node has no such module, so it has a scheme of its own.

const { validateBoolean } = require('internal/validators');

// Starts noting which phases the loop walks, or stops it. What was noted before is forgotten when it starts.
function watch(on = true) {
  validateBoolean(on, 'on');
  native.watch(on);
}

// The phases that were walked since, oldest first: `{ phase, events, waitedMs }`, with the number of events that the loop
// handed out in it, its own among them, and how long it waited. The last one is under way. The newest 4096 are kept.
function walked() {
  return native.walked();
}

module.exports = { walked, watch };
