'use strict';
// A strict check of the Trace Event Format, for the events that Phasor writes: what Perfetto and chrome://tracing tolerate or drop
// silently is an error here. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

const assert = require('node:assert');

const METADATA = {
  process_name: 'string', process_labels: 'string', process_sort_index: 'number', thread_name: 'string', thread_sort_index: 'number',
};
const ARGUMENT = { process_name: 'name', process_labels: 'labels', process_sort_index: 'sort_index', thread_name: 'name', thread_sort_index: 'sort_index' };

// Times are microseconds with three decimals: compare whole nanoseconds.
const ns = (us) => Math.round(us * 1000);

// Checks a parsed file. Returns the number of events.
function checkChrome({ displayTimeUnit, traceEvents }) {
  assert(['ms', 'ns'].includes(displayTimeUnit));
  assert(Array.isArray(traceEvents) && traceEvents.length > 0);
  const named = new Set();
  const slices = new Map();
  const flows = new Map();
  const open = new Map();
  for (const event of traceEvents) {
    const { ph, pid, tid, name, cat, ts, dur, id, args, s, bp } = event;
    const text = JSON.stringify(event);
    assert(Number.isSafeInteger(pid) && Number.isSafeInteger(tid), text);
    assert(typeof name === 'string' && typeof cat === 'string' && cat !== '', text);
    assert(Number.isFinite(ts) && ts >= 0, text);
    assert(args === undefined || (typeof args === 'object' && args !== null), text);
    const thread = `${pid} ${tid}`;
    switch (ph) {
      case 'M':
        assert.equal(typeof args[ARGUMENT[name]], METADATA[name], text);
        if (name === 'thread_name') named.add(thread);
        break;
      case 'X':
        assert(Number.isFinite(dur) && dur >= 0, text);
        if (!slices.has(thread)) slices.set(thread, []);
        slices.get(thread).push({ begin: ns(ts), end: ns(ts) + ns(dur), name });
        break;
      case 's':
      case 't':
      case 'f':
        assert(typeof id === 'string' && id !== '', text);
        assert.equal(bp, ph === 'f' ? 'e' : undefined, text);
        if (!flows.has(id)) flows.set(id, []);
        flows.get(id).push({ ph, thread, at: ns(ts), name, cat });
        break;
      case 'b':
      case 'e': {
        assert(typeof id === 'string' && id !== '', text);
        const key = `${pid} ${cat} ${id}`;
        if (ph === 'b') {
          assert(!open.has(key), `begun twice: ${text}`);
          open.set(key, ts);
        } else {
          assert(open.get(key) <= ts, `ends before it begins: ${text}`);
          open.delete(key);
        }
        break;
      }
      case 'i':
        assert(['t', 'p', 'g'].includes(s), text);
        break;
      case 'C':
        assert(Object.values(args).length > 0 && Object.values(args).every(Number.isFinite), text);
        break;
      default:
        assert.fail(`unknown type of event: ${text}`);
    }
  }
  assert.equal(open.size, 0, 'asynchronous events that do not end');
  for (const thread of slices.keys()) assert(named.has(thread), `thread ${thread} has no name`);
  for (const [thread, list] of slices) checkNesting(thread, list);
  for (const [id, list] of flows) checkFlow(id, list, slices);
  return traceEvents.length;
}

// Slices of a thread lie within each other or apart: viewers drop those that overlap.
function checkNesting(thread, list) {
  list.sort((a, b) => a.begin - b.begin || b.end - a.end);
  const outer = [];
  for (const slice of list) {
    while (outer.length > 0 && outer[outer.length - 1].end <= slice.begin) outer.pop();
    const around = outer[outer.length - 1];
    assert(!around || slice.end <= around.end, `on ${thread} ${slice.name} at ${slice.begin} overlaps ${around?.name} at ${around?.begin}`);
    outer.push(slice);
  }
}

// A flow has one start, one end, and steps between them in the order of time, each in a slice.
function checkFlow(id, list, slices) {
  const of = (ph) => list.filter((event) => event.ph === ph);
  assert.equal(of('s').length, 1, `flow ${id} has ${of('s').length} starts`);
  assert.equal(of('f').length, 1, `flow ${id} has ${of('f').length} ends`);
  const [start] = of('s');
  const [end] = of('f');
  assert(start.at <= end.at && of('t').every(({ at }) => at >= start.at && at <= end.at), `flow ${id} goes back in time`);
  for (const { ph, thread, at, name, cat } of list) {
    assert(name === start.name && cat === start.cat, `the events of flow ${id} have one name`);
    const sorted = slices.get(thread) ?? [];
    let low = 0;
    for (let high = sorted.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (sorted[middle].begin <= at) low = middle + 1;
      else high = middle;
    }
    const found = sorted.slice(Math.max(0, low - 2000), low).some((slice) => slice.begin <= at && at <= slice.end);
    assert(found, `flow ${id}: no slice at the event ${ph}`);
  }
}

module.exports = { checkChrome };
