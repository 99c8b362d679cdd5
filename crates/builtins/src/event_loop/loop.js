'use strict';
// `phasor:loop`: observes the event loop. Node has no such module, hence the scheme.

const { validateBoolean, validateFunction, validateNumber } = require('internal/validators');

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

// The listeners of `onBlocked`: `{ ms, callback }`.
const blockListeners = [];

function updateBlockListeners() {
  native.setBlockListener(blockListeners.map(({ ms }) => ms), tellOfBlock);
}

function tellOfBlock(ms, stack, nativeCall) {
  for (const listener of [...blockListeners]) {
    if (ms >= listener.ms) listener.callback({ ms, stack, native: nativeCall });
  }
}

// Calls `callback({ ms, stack, native })` after each callback of this thread that ran for `ms` milliseconds or longer. Returns a function that
// ends this.
function onBlocked(ms, callback) {
  validateNumber(ms, 'ms', 1);
  validateFunction(callback, 'callback');
  const listener = { ms, callback };
  blockListeners.push(listener);
  updateBlockListeners();
  return () => {
    const at = blockListeners.indexOf(listener);
    if (at < 0) return;
    blockListeners.splice(at, 1);
    updateBlockListeners();
  };
}

module.exports = { onBlocked, walked, watch, whyAlive };
