'use strict';
// Deprecated timers API (enroll, unenroll, active): any object can be a timer; a Timeout calls its `_onTimeout`.

const process = require('process');
const { setTimeout, clearTimeout, Timeout } = require('internal/scheduler');
const { deprecate } = require('internal/util');
const { ERR_OUT_OF_RANGE } = require('internal/errors');
const { validateNumber } = require('internal/validators');

const MOST_MS = 2 ** 31 - 1;

// Timer object -> its Timeout.
const running = new SafeWeakMap();

function stop(item) {
  const timeout = running.get(item);
  if (timeout === undefined) return;
  clearTimeout(timeout);
  running.delete(item);
}

function start(item, isRef) {
  const milliseconds = item._idleTimeout;
  if (milliseconds === undefined || milliseconds < 0) return;
  stop(item);
  const timeout = setTimeout(() => {
    running.delete(item);
    item._onTimeout?.();
  }, milliseconds);
  if (!isRef) timeout.unref();
  running.set(item, timeout);
}

function enroll(item, msecs) {
  validateNumber(msecs, 'msecs');
  if (msecs < 0 || !Number.isFinite(msecs)) throw new ERR_OUT_OF_RANGE('msecs', 'a non-negative finite number', msecs);
  if (msecs > MOST_MS) {
    process.emitWarning(
      `${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${MOST_MS}.`,
      'TimeoutOverflowWarning');
    msecs = MOST_MS;
  }
  stop(item);
  item._idleTimeout = msecs;
}

function unenroll(item) {
  stop(item);
  // A real Timeout: its list is in Rust.
  if (Object.getPrototypeOf(item) === Timeout) clearTimeout(item);
  else item._idleTimeout = -1;
}

module.exports = {
  _unrefActive: deprecate((item) => start(item, false),
    'timers._unrefActive() is deprecated. Please use timeout.refresh() instead.', 'DEP0127'),
  active: deprecate((item) => start(item, true),
    'timers.active() is deprecated. Please use timeout.refresh() instead.', 'DEP0126'),
  unenroll: deprecate(unenroll, 'timers.unenroll() is deprecated. Please use clearTimeout instead.', 'DEP0096'),
  enroll: deprecate(enroll, 'timers.enroll() is deprecated. Please use setTimeout instead.', 'DEP0095'),
};
