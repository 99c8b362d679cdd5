'use strict';
// The inner scheduler of Node: ticks, microtasks, immediates, timers, rejections. Also exports the native functions of the host.

const shared = require('internal/scheduler/state');
const ticks = require('internal/scheduler/ticks');
const immediates = require('internal/scheduler/immediates');
const timers = require('internal/scheduler/timers');
const rejections = require('internal/scheduler/rejections');

const { flags, IMMEDIATES, REF_IMMEDIATES, REF_TIMERS, asyncState } = shared;

native.setHooks({
  processTicks: ticks.processTicksAndRejections,
  processTimers: timers.processTimers,
  processImmediates: immediates.processImmediates,
  processRejections: rejections.processPromiseRejections,
  rejection: rejections.onRejection,
});
// After an exception has left them open.
native.setLeaveScopes(() => {
  asyncState.hooks?.leaveAll();
  asyncState.context = undefined;
  asyncState.runningId = 0;
});

const { setHooks } = native;

module.exports = {
  ...native,
  ...timers,
  ...immediates,
  nextTick: ticks.nextTick,
  queueMicrotask: ticks.queueMicrotask,
  runNextTicks: ticks.runNextTicks,
  forgetRejection: rejections.forgetRejection,
  asyncState,
  flags,
  asyncId: shared.asyncId,
  triggerId: shared.triggerId,
  kRefed: shared.kRefed,
  // The functions through which the host calls JavaScript, and the reports of unhandled rejections.
  setHooks({ fatal, beforeExit, exit, unhandled, rejectionHandled }) {
    setHooks({ fatal, beforeExit, exit });
    Object.assign(rejections.report, { unhandled, rejectionHandled });
  },
  setExiting() { shared.isExiting = true; },
  // The numbers of timers and immediates that keep the loop alive.
  waiting: () => [flags[REF_TIMERS], flags[REF_IMMEDIATES]],
  // The numbers of queued ticks and immediates.
  queued: () => ({ ticks: ticks.ticksWaiting(), immediates: flags[IMMEDIATES] }),
};
