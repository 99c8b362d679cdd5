'use strict';
// What `phasor doctor` reports and only JavaScript can notice: events that come before their listener, and writes that ignore backpressure.
// These functions are called only while `flags[FINDINGS]` is set, which is while a recording with findings is made.

const { traceFinding, traceFindingAt } = native;

// The numbers of `FindingKind` in `crates/lens/src/record.rs`.
const EVENT_BEFORE_LISTENER = 1, BACKPRESSURE_IGNORED = 2, UNSETTLED_AWAIT = 3, EVENT_UNHEARD = 4, EVENT_HEARD = 5;

// Events that are normally emitted without a listener: a listener that is added later misses nothing that matters.
const usuallyUnheard = new SafeSet([
  'newListener', 'removeListener', 'drain', 'pause', 'resume', 'readable', 'pipe', 'unpipe', 'prefinish', 'timeout', 'lookup', 'socket', 'keylog',
  'session', 'connectionAttempt', 'connectionAttemptFailed', 'connectionAttemptTimeout', 'warning', 'worker', 'multipleResolves',
  'unhandledRejection', 'rejectionHandled', 'uncaughtException', 'uncaughtExceptionMonitor', 'beforeExit', 'error',
]);

// How many events are followed, and how many late listeners of each are reported.
const MOST_EVENTS = 100_000;
const MOST_LISTENERS = 8;

// A queue of this size is no burst: backpressure was ignored for long.
const QUEUE_LIMIT = 16 * 1024 * 1024;

// An event that no listener has heard.
class Unheard {
  constructor(subject) {
    this.subject = subject;
    this.count = 1;
    this.lateListeners = 0;
  }
}

// The unheard events of each emitter, by name.
const unheardOf = new SafeWeakMap();
let followed = 0;

function nameOf(object) {
  try {
    const { name } = object.constructor;
    return typeof name === 'string' ? name : '';
  } catch {
    return '';
  }
}

function emitted(emitter, type, isHeard) {
  if (typeof type !== 'string' || usuallyUnheard.has(type)) return;
  let events = unheardOf.get(emitter);
  const unheard = events?.get(type);
  if (isHeard) {
    if (unheard === undefined) return;
    if (unheard.lateListeners > 0) traceFinding(EVENT_HEARD, type, unheard.subject, 0);
    events.delete(type);
  } else if (unheard !== undefined) {
    unheard.count++;
  } else if (followed < MOST_EVENTS) {
    followed++;
    if (events === undefined) unheardOf.set(emitter, events = new SafeMap());
    events.set(type, new Unheard(traceFinding(EVENT_UNHEARD, type, 0, 1)));
  }
}

function listened(emitter, type) {
  const unheard = unheardOf.get(emitter)?.get(type);
  if (unheard === undefined || unheard.lateListeners === MOST_LISTENERS) return;
  unheard.lateListeners++;
  traceFinding(EVENT_BEFORE_LISTENER, `'${type}' of ${nameOf(emitter) || 'an emitter'}`, unheard.subject, unheard.count);
}

// The queue of each stream when it was reported last, and the stream's number.
const reportedQueues = new SafeWeakMap();

// Called when the program writes to a stream that has asked it to wait for 'drain'.
function ignoredBackpressure(stream, bytes) {
  if (bytes < QUEUE_LIMIT) return;
  let reported = reportedQueues.get(stream);
  if (reported === undefined) reportedQueues.set(stream, reported = { subject: 0, bytes: 0 });
  // The largest queue is of interest, not each write.
  if (bytes < reported.bytes * 2) return;
  reported.bytes = bytes;
  reported.subject = traceFinding(BACKPRESSURE_IGNORED, nameOf(stream), reported.subject, Math.floor(bytes / 1024));
}

function unsettledAwait(file, line, column) {
  traceFindingAt(UNSETTLED_AWAIT, file, line, column);
}

module.exports = { emitted, listened, ignoredBackpressure, unsettledAwait };
