'use strict';
// Deprecated timers API (enroll, unenroll, active): any object can be a timer, whose `_onTimeout` is called
// (`lib/timers.js`, `lib/internal/timers.js`).

const process = require('process');
const { active, unenroll, unrefActive } = require('internal/scheduler');
const { deprecate } = require('internal/util');
const { ERR_OUT_OF_RANGE } = require('internal/errors');
const { validateNumber } = require('internal/validators');

const kMaxDelay = 2 ** 31 - 1;

function enroll(item, msecs) {
  validateNumber(msecs, 'msecs');
  if (msecs < 0 || !Number.isFinite(msecs)) throw new ERR_OUT_OF_RANGE('msecs', 'a non-negative finite number', msecs);
  if (msecs > kMaxDelay) {
    process.emitWarning(
      `${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${kMaxDelay}.`,
      'TimeoutOverflowWarning');
    msecs = kMaxDelay;
  }
  if (item._idleNext) unenroll(item);
  item._idleNext = item;
  item._idlePrev = item;
  item._idleTimeout = msecs;
}

module.exports = {
  _unrefActive: deprecate((item) => unrefActive(item),
    'timers._unrefActive() is deprecated. Please use timeout.refresh() instead.', 'DEP0127'),
  active: deprecate((item) => active(item),
    'timers.active() is deprecated. Please use timeout.refresh() instead.', 'DEP0126'),
  unenroll: deprecate(unenroll, 'timers.unenroll() is deprecated. Please use clearTimeout instead.', 'DEP0096'),
  enroll: deprecate(enroll, 'timers.enroll() is deprecated. Please use setTimeout instead.', 'DEP0095'),
};
