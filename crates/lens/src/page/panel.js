// The side panel: what is selected, sums of the trace or of a part of it, and the longest callbacks in view as text.

// Makes an element. Attributes that are functions are listeners; children are elements or texts.
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function colorChip(color) {
  return h('span', { class: 'chip', style: `background: ${timeline.theme.fills[color]}`, 'aria-hidden': 'true' });
}

function colorOf(thread, index) {
  return KIND_COLORS[thread.callbacks.kind[index]] ?? COLOR.other;
}

// A button that shows a callback.
function callbackLink(thread, index, text) {
  const { begin, duration } = thread.callbacks;
  return h('button', {
    class: 'link', type: 'button',
    title: `Show it: ${formatDuration(duration[index])} at ${formatTime(begin[index])}`,
    click: () => timeline.select({ type: 'callback', thread, index }, { shows: true }),
  }, colorChip(colorOf(thread, index)), text ?? callbackName(thread, index));
}

function facts(...pairs) {
  const list = h('dl', { class: 'facts' });
  for (const [name, ...value] of pairs.filter(Boolean)) list.append(h('dt', null, name), h('dd', null, value));
  return list;
}

function placeText(location) {
  return location ? h('code', { class: 'place' }, longPlace(location)) : h('span', { class: 'muted' }, 'unknown');
}

// The line of source text at a location, if the page has it.
function sourceLine(location) {
  const text = trace.sources.get(location);
  if (!text) return null;
  return h('pre', { class: 'source' }, h('span', { class: 'muted' }, `${trace.locations[location][2]} `), text);
}

function stackList(stack) {
  const frames = trace.stacks[stack] ?? [];
  if (frames.length === 0) return null;
  // The source line of the first frame of the program says what it asked for.
  const own = programPlace(stack);
  const isInternal = (frame) => trace.locations[frame][4] === 1;
  const item = (frame) => h('li', { class: isInternal(frame) ? 'muted' : null },
    h('span', { class: 'frame' }, trace.locations[frame][0] || '(anonymous)'), ' ', h('code', null, longPlace(frame)),
    frame === own ? sourceLine(frame) : null);
  const items = [];
  for (let i = 0; i < frames.length;) {
    let next = i;
    while (next < frames.length && isInternal(frames[next])) next++;
    // Calls within the runtime are rarely of interest, unless there are no others.
    if (next - i > 1 && frames.some((frame) => !isInternal(frame))) {
      items.push(h('li', null, h('details', null, h('summary', null, h('span', { class: 'muted' }, `${next - i} calls of the runtime`)),
        h('ol', { class: 'stack' }, frames.slice(i, next).map(item)))));
      i = next;
    } else {
      items.push(item(frames[i++]));
    }
  }
  return h('ol', { class: 'stack', 'aria-label': 'Stack, the innermost call first' }, items);
}

// The place of the program in a stack: its innermost call that is not of the runtime.
function programPlace(stack) {
  const frames = trace.stacks[stack] ?? [];
  return frames.find((frame) => !trace.locations[frame][4]) ?? frames[0] ?? 0;
}

// The time parts of something, as a bar: [name, ns, colour].
function partsBar(parts) {
  const whole = parts.reduce((sum, [, ns]) => sum + ns, 0);
  if (whole <= 0) return null;
  return h('div', { class: 'parts' },
    h('div', { class: 'parts-bar', 'aria-hidden': 'true' }, parts.map(([, ns, color]) =>
      h('span', { style: `flex: ${ns / whole}; background: ${timeline.theme.fills[color]}` }))),
    h('ul', null, parts.map(([name, ns, color]) => h('li', null, colorChip(color), `${name} `, h('b', null, formatDuration(ns))))));
}

// `3 ticks`; empty for none.
function countOf(number, name) {
  return number === 0 ? '' : `${formatCount(number)} ${name}${number === 1 ? '' : 's'}`;
}

// The selection.

const DETAILS = {
  callback({ thread, index }) {
    const c = thread.callbacks;
    const begin = c.begin[index];
    const duration = c.duration[index];
    const cause = causeOf(thread, index);
    const fire = thread.fireOf.get(index);
    const request = thread.requestOf.get(index);
    const badges = [
      h('span', { class: 'badge' }, colorChip(colorOf(thread, index)), kindName(c.kind[index])),
      c.flags[index] & THREW ? h('span', { class: 'badge bad' }, 'threw an exception') : null,
      c.flags[index] & CUT ? h('span', { class: 'badge warn', title: 'Records were lost, or the recording ends here' }, 'end not recorded') : null,
    ];
    const parent = c.parent[index];
    const pairs = [
      ['Duration', h('b', null, formatDuration(duration)), c.own[index] < duration ? ` · own time ${formatDuration(c.own[index])}` : ''],
      ['Began', formatTime(begin), ` · ${thread.name}`],
      ['Function', placeText(c.location[index])],
      parent >= 0 ? ['Within', callbackLink(thread, parent)] : null,
      fire !== undefined ? lateness(thread, fire, begin) : null,
      c.ticks[index] || c.microtasks[index]
        ? ['Ran in it', [countOf(c.ticks[index], 'tick'), countOf(c.microtasks[index], 'microtask')].filter(Boolean).join(', ')]
        : null,
      c.resource[index] ? ['Resource', resourceName(thread, c.resource[index])] : null,
    ];
    return [
      h('h2', null, callbackName(thread, index)), h('p', { class: 'badges' }, badges), facts(...pairs), sourceLine(c.location[index]),
      request !== undefined ? requestDetails(thread, request, begin) : null,
      messageDetails(thread, index),
      causeDetails(thread, index, cause),
      effectDetails(thread, index),
      resourceDetails(thread, c.resource[index]),
    ];
  },
  poll({ thread, index }) {
    const { begin, duration, timeout, ready } = thread.polls;
    const limit = timeout[index] === 0 ? 'none' : `${formatCount(timeout[index] - 1)}\u202fms`;
    return [h('h2', null, timeout[index] === 1 ? 'Poll' : 'Waiting in poll'), facts(
      ['Duration', h('b', null, formatDuration(duration[index]))], ['Began', formatTime(begin[index])], ['Timeout', limit],
      ['Found', ready[index] === 1 ? '1 ready descriptor or wake' : `${formatCount(ready[index])} ready descriptors and wakes`])];
  },
  phase({ thread, index }) {
    const { begin, duration, phase } = thread.phases;
    const { turns } = thread;
    const turn = upperBound(turns.begin, begin[index]) - 1;
    return [h('h2', null, `Phase ${trace.phaseNames[phase[index]]}`), facts(
      ['Duration', h('b', null, formatDuration(duration[index]))], ['Began', formatTime(begin[index])],
      turn >= 0 ? ['Turn', formatCount(turns.number[turn])] : null)];
  },
  span({ thread, index }) {
    const { begin, duration, kind, status, bytes, isOpen, owner, callback } = thread.spans;
    return [
      h('h2', null, spanName(thread, index)),
      h('p', { class: 'badges' }, h('span', { class: 'badge' }, colorChip(SPAN_COLORS[kind[index]] ?? COLOR.other), trace.spanNames[kind[index]] ?? 'span')),
      facts(
        ['Duration', h('b', null, formatDuration(duration[index])), isOpen[index] ? ' · not ended in the recording' : ''],
        ['Began', formatTime(begin[index])],
        status[index] ? ['Status', String(status[index])] : null,
        bytes[index] ? ['Size', formatBytes(bytes[index])] : null,
        owner[index] ? ['Resource', resourceName(thread, owner[index])] : null,
        callback[index] ? ['Began in', callbackLink(thread, callback[index] - 1)] : null),
    ];
  },
  task({ pool, index }) {
    const { begin, duration, wait, thread: threads, request } = pool.tasks;
    const thread = trace.threads[threads[index]];
    const of = request[index] - 1;
    const stack = of >= 0 ? thread.requests.stack[of] : 0;
    const by = of >= 0 ? thread.requests.begunBy[of] - 1 : -1;
    const to = of >= 0 ? thread.requests.callback[of] - 1 : -1;
    return [
      h('h2', null, taskName(pool, index)),
      partsBar([['waited for a thread', wait[index], COLOR.timer], ['ran', duration[index], COLOR.request]]),
      facts(
        ['Ran on', `pool thread ${pool.number}`], ['Began', formatTime(begin[index])],
        by >= 0 ? ['Asked for by', callbackLink(thread, by)] : null,
        to >= 0 ? ['Result went to', callbackLink(thread, to)] : null),
      stackList(stack),
    ];
  },
  collection({ thread, index }) {
    const { begin, duration, isFull } = thread.collections;
    return [h('h2', null, isFull[index] ? 'Garbage collection of the whole heap' : 'Garbage collection of the nursery'),
      facts(['Duration', h('b', null, formatDuration(duration[index]))], ['Began', formatTime(begin[index])])];
  },
  mark({ thread, index }) {
    const { at, label, callback } = thread.marks;
    return [h('h2', null, trace.labels[label[index]] || 'mark'),
      facts(['At', formatTime(at[index])], callback[index] ? ['Set in', callbackLink(thread, callback[index] - 1)] : null)];
  },
  finding({ thread, index }) {
    const { at, kind, label, stack, number, callback } = thread.findings;
    return [h('h2', null, trace.findingNames[kind[index]] ?? 'finding'), facts(
      ['At', formatTime(at[index])],
      label[index] ? ['About', trace.labels[label[index]]] : null,
      number[index] ? ['Number', formatCount(number[index])] : null,
      callback[index] ? ['Noticed in', callbackLink(thread, callback[index] - 1)] : null), stackList(stack[index])];
  },
};

function lateness(thread, fire, begin) {
  const { due, delay, repeats } = thread.fires;
  const late = Math.max(0, begin - due[fire]);
  const isLate = late > 5e6;
  return ['Timer', h('b', { class: isLate ? 'is-bad' : null }, late < 1e3 ? 'on time' : `${formatDuration(late)} late`),
    ` · ${repeats[fire] ? 'every' : 'after'} ${formatCount(delay[fire])}\u202fms · due at ${formatTime(due[fire])}`];
}

function requestDetails(thread, index, callbackBegin) {
  const { begin, kind, resource, handle, poolBegin, poolEnd, poolThread } = thread.requests;
  const name = trace.resourceNames[kind[index]] ?? 'request';
  const about = resource[index] ? thread.resources.description[resource[index] - 1] : '';
  const parts = poolThread[index]
    ? [['in the queue of the pool', Math.max(0, poolBegin[index] - begin[index]), COLOR.timer],
      [`on pool thread ${poolThread[index]}`, Math.max(0, poolEnd[index] - poolBegin[index]), COLOR.request],
      ['until its callback', Math.max(0, callbackBegin - poolEnd[index]), COLOR.sleep]]
    : [['until its callback', Math.max(0, callbackBegin - begin[index]), COLOR.request]];
  return h('section', null, h('h3', null, `Request: ${name}${about ? ` ${about}` : ''}`), partsBar(parts),
    handle[index] ? facts(['Handle', resourceName(thread, handle[index])]) : null);
}

function messageDetails(thread, index) {
  const message = trace.messageOf.get(`${thread.number}:${index}`);
  if (message === undefined) return null;
  const { bytes, sentThread, sentAt, receivedAt } = trace.messages;
  const from = trace.threads[sentThread[message] - 1];
  return h('section', null, h('h3', null, 'Message'), facts(
    from ? ['From', from.name, ` · ${formatBytes(bytes[message])}`] : ['Size', formatBytes(bytes[message])],
    from ? ['On its way', formatDuration(Math.max(0, receivedAt[message] - sentAt[message]))] : null));
}

function causeDetails(thread, index, cause) {
  if (!cause) return null;
  const section = h('section', null, h('h3', null, 'Asked for by'));
  if (cause.callback >= 0) section.append(h('p', null, callbackLink(cause.thread, cause.callback),
    cause.thread !== thread ? h('span', { class: 'muted' }, ` on ${cause.thread.name}`) : ''));
  section.append(h('p', { class: 'muted' }, `${cause.kind}, ${formatDuration(thread.callbacks.begin[index] - cause.at)} before`));
  const stack = stackList(cause.stack);
  if (stack) section.append(stack);
  const chain = timeline.chain.slice(1);
  if (chain.length > 0) {
    section.append(h('details', null, h('summary', null, `And that by (${chain.length}${chain.length === 31 ? ' or more' : ''})`),
      h('ol', { class: 'chain' }, chain.map(({ from }) => h('li', null, callbackLink(from.thread, from.callback))))));
  }
  return section;
}

function effectDetails(thread, index) {
  const { effects } = timeline;
  if (effects.length === 0) return null;
  return h('section', null, h('h3', null, `Asked for ${effects.length === 200 ? '200 or more' : effects.length} callback${effects.length === 1 ? '' : 's'}`),
    h('ol', { class: 'chain' }, effects.slice(0, 12).map(([other, i]) => h('li', null, callbackLink(other, i),
      h('span', { class: 'muted' }, ` after ${formatDuration(other.callbacks.begin[i] - thread.callbacks.begin[index])}`)))),
    effects.length > 12 ? h('p', { class: 'muted' }, `and ${effects.length - 12} more`) : null);
}

function resourceDetails(thread, index) {
  if (!index) return null;
  const { created, closed, stack, createdBy, owner, starts, callbacks } = thread.resources;
  const at = index - 1;
  if (!created[at] && !stack[at] && !createdBy[at]) return null;
  return h('section', null, h('h3', null, `Resource: ${resourceName(thread, index)}`), facts(
    created[at] ? ['Created', formatTime(created[at] - 1)] : null,
    createdBy[at] ? ['In', callbackLink(thread, createdBy[at] - 1)] : null,
    closed[at] ? ['Closed', formatTime(closed[at] - 1)] : null,
    owner[at] ? ['Belongs to', resourceName(thread, owner[at])] : null,
    starts[at] > 1 ? ['Started', `${formatCount(starts[at])} times`] : null,
    ['Callbacks', formatCount(callbacks[at])]),
  stack[at] ? stackList(stack[at]) : null);
}

function renderSelection(ref) {
  const panel = document.getElementById('panel-selection');
  panel.replaceChildren();
  if (!ref) {
    panel.append(h('p', { class: 'empty' }, 'Click a callback, a phase, a wait or a task to see what it is, how long it took, and which code asked for it.'),
      h('p', { class: 'empty' }, 'Arrows lead from the call that caused a callback to the callback.'));
    return;
  }
  panel.append(...DETAILS[ref.type](ref).filter(Boolean),
    h('p', { class: 'actions' }, h('button', { type: 'button', class: 'button', click: () => timeline.show(ref, true) }, 'Zoom to it')));
}

// The text of the tooltip.
function tooltipOf(ref) {
  const { type, thread, index } = ref;
  if (type === 'callback') {
    const { duration, kind, location, flags } = thread.callbacks;
    const fire = thread.fireOf.get(index);
    const late = fire === undefined ? 0 : thread.callbacks.begin[index] - thread.fires.due[fire];
    return [callbackName(thread, index), `${formatDuration(duration[index])} · ${kindName(kind[index])}${late > 1e6 ? ` · ${formatDuration(late)} late` : ''}` +
      `${flags[index] & THREW ? ' · threw' : ''}`, location[index] ? longPlace(location[index]) : ''];
  }
  if (type === 'poll') {
    const { duration, timeout, ready } = thread.polls;
    return [timeout[index] === 1 ? 'Poll' : 'Waiting', formatDuration(duration[index]), `${ready[index]} ready`];
  }
  if (type === 'phase') return [`Phase ${trace.phaseNames[thread.phases.phase[index]]}`, formatDuration(thread.phases.duration[index])];
  if (type === 'span') {
    const { duration, kind, status } = thread.spans;
    return [spanName(thread, index), `${formatDuration(duration[index])} · ${trace.spanNames[kind[index]] ?? 'span'}${status[index] ? ` · ${status[index]}` : ''}`];
  }
  if (type === 'task') {
    const { duration, wait } = ref.pool.tasks;
    return [taskName(ref.pool, index), `ran ${formatDuration(duration[index])} · waited ${formatDuration(wait[index])}`];
  }
  if (type === 'collection') return ['Garbage collection', formatDuration(thread.collections.duration[index])];
  if (type === 'mark') return [trace.labels[thread.marks.label[index]] || 'mark', formatTime(thread.marks.at[index])];
  return [trace.findingNames[thread.findings.kind[index]] ?? 'finding', trace.labels[thread.findings.label[index]]];
}

// Sums.

// The largest `count` of many, by a size, the largest first.
class Largest {
  constructor(count) {
    this.count = count;
    this.found = [];
  }

  get least() {
    return this.found.length < this.count ? -1 : this.found[this.found.length - 1].size;
  }

  add(size, ...value) {
    let place = this.found.length;
    while (place > 0 && this.found[place - 1].size < size) place--;
    this.found.splice(place, 0, { size, value });
    if (this.found.length > this.count) this.found.pop();
  }
}

// Sums of the part of the trace between two times. What reaches beyond counts with the part within.
function summarize(t0, t1) {
  const sums = {
    threads: [], phases: trace.phaseNames.map(() => ({ time: 0, count: 0 })), functions: new Map(), files: new Map(),
    longest: new Largest(10), late: new Largest(10), waits: new Largest(10), callbacks: 0, asleep: 0,
  };
  for (const thread of trace.threads) {
    const { begin, end, depth, location, kind, own, duration } = thread.callbacks;
    const track = timeline.trackOf.get(thread);
    const busy = track.callbackRows[0]?.timeIn(t0, t1) ?? 0;
    const asleep = track.sleeps.timeIn(t0, t1);
    sums.threads.push({ thread, busy, asleep, length: Math.max(0, t1 - Math.max(t0, thread.start)) });
    sums.asleep += asleep;
    // A callback that began before may reach into the part: it is the outermost one that is open, or within it.
    let first = upperBound(begin, t0);
    const outer = track.callbackRows[0] ? upperBound(track.callbackRows[0].ends, t0) : 0;
    if (outer < (track.callbackRows[0]?.n ?? 0)) first = Math.min(first, track.callbackRows[0].items[outer]);
    const last = upperBound(begin, t1);
    const { functions } = sums;
    for (let i = first; i < last; i++) {
      if (end[i] < t0) continue;
      const isWhole = begin[i] >= t0 && end[i] <= t1;
      const part = isWhole ? 1 : duration[i] > 0 ? Math.max(0, Math.min(end[i], t1) - Math.max(begin[i], t0)) / duration[i] : 0;
      const key = location[i] * 64 + kind[i];
      let sum = functions.get(key);
      if (!sum) functions.set(key, sum = { location: location[i], kind: kind[i], count: 0, own: 0, total: 0, longest: -1, thread, index: i });
      sum.count++;
      sum.own += own[i] * part;
      sum.total += duration[i] * part;
      if (duration[i] > sum.longest) {
        sum.longest = duration[i];
        sum.thread = thread;
        sum.index = i;
      }
      if (depth[i] === 0 && duration[i] > sums.longest.least) sums.longest.add(duration[i], thread, i);
      sums.callbacks++;
    }
    const { phases, fires } = thread;
    for (let i = Math.max(0, upperBound(phases.begin, t0) - 1); i < phases.n && phases.begin[i] < t1; i++) {
      const time = Math.min(t1, phases.begin[i] + phases.duration[i]) - Math.max(t0, phases.begin[i]);
      if (time < 0) continue;
      sums.phases[phases.phase[i]].time += time;
      sums.phases[phases.phase[i]].count++;
    }
    for (let i = upperBound(fires.callback, first - 1); i < fires.n && fires.callback[i] < last; i++) {
      const late = begin[fires.callback[i]] - fires.due[i];
      if (late > Math.max(1e6, sums.late.least)) sums.late.add(late, thread, fires.callback[i]);
    }
  }
  for (const sum of sums.functions.values()) {
    const file = trace.locations[sum.location][1];
    if (!sums.files.has(file)) sums.files.set(file, { file, count: 0, own: 0 });
    sums.files.get(file).count += sum.count;
    sums.files.get(file).own += sum.own;
  }
  sums.pools = trace.processes.filter((process) => process.pool.length > 0).map((process) => {
    const pool = { process, threads: process.pool.length, busy: 0, tasks: 0, wait: 0, waited: 0 };
    for (const thread of process.pool) {
      pool.busy += thread.row.timeIn(t0, t1);
      const { begin, end, wait, n } = thread.tasks;
      for (let i = upperBound(end, t0); i < n && begin[i] < t1; i++) {
        pool.tasks++;
        pool.wait += wait[i];
        if (wait[i] > 1e6) pool.waited++;
        if (wait[i] > Math.max(1e5, sums.waits.least)) sums.waits.add(wait[i], process, thread, i);
      }
    }
    return pool;
  });
  return sums;
}

// The callback that explains the duration of another one: follows the inner callback that takes more than half of the time.
function dominantCallback(thread, index) {
  const { depth, duration, parent, n } = thread.callbacks;
  let at = index;
  for (;;) {
    let best = -1;
    for (let i = at + 1; i < n && depth[i] > depth[at]; i++) {
      if (parent[i] === at && (best < 0 || duration[i] > duration[best])) best = i;
    }
    if (best < 0 || duration[best] <= duration[at] / 2) return at;
    at = best;
  }
}

// A row of a table with a bar behind its number.
function barRow(name, size, most, number, title) {
  return h('tr', title ? { title } : null, h('td', null, name),
    h('td', { class: 'number' }, h('span', { class: 'bar', style: `width: ${most > 0 ? (100 * size) / most : 0}%`, 'aria-hidden': 'true' }), h('span', null, number)));
}

function table(headings, rows) {
  return h('table', null, h('thead', null, h('tr', null, headings.map((heading, i) =>
    h('th', { scope: 'col', class: i > 0 ? 'number' : null }, heading)))), h('tbody', null, rows));
}

// A section whose state is kept when the panel is made anew.
const closedSections = new Set(['Files']);

function section(title, note, ...content) {
  const details = h('details', { class: 'section', open: !closedSections.has(title) },
    h('summary', null, h('h3', null, title), note ? h('span', { class: 'muted' }, note) : null), content);
  details.addEventListener('toggle', () => (details.open ? closedSections.delete(title) : closedSections.add(title)));
  return details;
}

const MOST_FUNCTIONS = 20;

function renderSummary() {
  const panel = document.getElementById('panel-summary');
  const scope = timeline.scope();
  const sums = summarize(scope.t0, scope.t1);
  const content = [h('p', { class: 'scope' }, `${scope.name}: `, h('b', null, formatDuration(scope.t1 - scope.t0)), ` · ${formatCount(sums.callbacks)} callbacks`)];
  content.push(...warnings());

  const busy = sums.threads.reduce((sum, { busy: time }) => sum + time, 0);
  content.push(section('Threads', null, table(['Thread', 'busy', 'waiting'], sums.threads.filter(({ thread }) => thread.end > 0).slice(0, 40).map(({ thread, busy: time, asleep, length }) =>
    h('tr', null, h('td', null, thread.name), h('td', { class: 'number' }, formatPercent(time, length)),
      h('td', { class: 'number' }, formatPercent(asleep, length)))))));

  const mostPhase = Math.max(...sums.phases.map(({ time }) => time));
  const phases = sums.phases.map((sum, index) => ({ ...sum, index })).filter(({ count }) => count > 0);
  content.push(section('Phases', null, phases.length === 0 ? h('p', { class: 'empty' }, 'No callback ran in a phase.')
    : table(['Phase', 'time'], phases.map(({ index, time, count }) =>
      barRow([colorChip(index), trace.phaseNames[index]], time, mostPhase, formatDuration(time), `in ${formatCount(count)} turns`)))));

  const longest = sums.longest.found;
  content.push(section('Longest blocks', 'the loop did nothing else', longest.length === 0 ? h('p', { class: 'empty' }, 'No callbacks.')
    : h('ol', { class: 'blocks' }, longest.map(({ size, value: [thread, index] }) => {
      const inner = dominantCallback(thread, index);
      return h('li', null, callbackLink(thread, inner), h('b', { class: 'number' }, formatDuration(size)),
        h('span', { class: 'muted where' }, `${inner === index ? '' : `in ${kindName(thread.callbacks.kind[index])} · `}` +
          `${thread.callbacks.location[inner] ? `${shortPlace(thread.callbacks.location[inner])} · ` : ''}at ${formatTime(thread.callbacks.begin[index], trace.end > 1e9 ? 1e6 : 1e5)}` +
          `${trace.threads.length > 1 ? ` · ${thread.name}` : ''}`));
    }))));

  const functions = [...sums.functions.values()].sort((a, b) => b.own - a.own);
  content.push(section('Callbacks', `${formatCount(functions.length)} by own time`, table(['Function', 'calls', 'own time'], functions.slice(0, MOST_FUNCTIONS).map((sum) =>
    h('tr', { title: `${kindName(sum.kind)} · longest ${formatDuration(sum.longest)} · with inner callbacks ${formatDuration(sum.total)}` },
      h('td', null, callbackLink(sum.thread, sum.index), sum.location ? h('span', { class: 'muted where' }, shortPlace(sum.location)) : null),
      h('td', { class: 'number' }, formatCount(sum.count)),
      h('td', { class: 'number' }, h('span', { class: 'bar', style: `width: ${busy > 0 ? (100 * sum.own) / busy : 0}%`, 'aria-hidden': 'true' }),
        h('span', null, formatDuration(sum.own))))))));

  const files = [...sums.files.values()].sort((a, b) => b.own - a.own).slice(0, MOST_FUNCTIONS);
  content.push(section('Files', 'own time of their callbacks', table(['File', 'time'], files.map(({ file, own, count }) =>
    barRow(file ? fileName(file) : 'unknown', own, files[0].own, formatDuration(own), `${file} · ${formatCount(count)} callbacks`)))));

  const late = sums.late.found;
  content.push(section('Latest timers', 'due and fired', late.length === 0 ? h('p', { class: 'empty' }, 'No timer was later than 1\u202fms.')
    : h('ol', { class: 'blocks' }, late.map(({ size, value: [thread, index] }) => {
      const { delay } = thread.fires;
      return h('li', null, callbackLink(thread, index), h('b', { class: 'number' }, `+${formatDuration(size)}`),
        h('span', { class: 'muted where' }, `of ${formatCount(delay[thread.fireOf.get(index)])}\u202fms · at ${formatTime(thread.callbacks.begin[index], trace.end > 1e9 ? 1e6 : 1e5)}`));
    }))));

  for (const pool of sums.pools) {
    const waits = sums.waits.found.filter(({ value: [process] }) => process === pool.process);
    content.push(section(sums.pools.length > 1 ? `Pool of ${pool.process.pid}` : 'Thread pool', `${pool.threads} thread${pool.threads === 1 ? '' : 's'} seen`, facts(
      ['Tasks', formatCount(pool.tasks)],
      ['Busy', formatPercent(pool.busy, pool.threads * (scope.t1 - scope.t0))],
      ['Waited', `${formatDuration(pool.tasks > 0 ? pool.wait / pool.tasks : 0)} on average · ${formatCount(pool.waited)} tasks over 1\u202fms`]),
    waits.length > 0 ? h('ol', { class: 'blocks' }, waits.map(({ size, value: [process, thread, index] }) =>
      h('li', null, h('button', { class: 'link', type: 'button', click: () => timeline.select({ type: 'task', process, pool: thread, index }, { shows: true }) },
        colorChip(COLOR.request), taskName(thread, index)), h('b', { class: 'number' }, formatDuration(size)), h('span', { class: 'muted where' }, 'in the queue')))) : null));
  }
  panel.replaceChildren(...content);
}

const MOST_WARNINGS = 6;

// What the reader has to know before anything else: missing records, findings.
function warnings() {
  const found = [];
  const incomplete = trace.processes.filter(({ isComplete }) => !isComplete);
  if (incomplete.length > 0) {
    found.push(h('p', { class: 'warning' }, 'The recording ends early: the process was killed, or still runs.'));
  }
  for (const thread of trace.threads) {
    const { losses, findings } = thread;
    const lost = losses.records.reduce((sum, records) => sum + records, 0);
    if (lost > 0) {
      const isFlight = losses.n === 1 && losses.begin[0] <= thread.start;
      found.push(h('p', { class: 'warning' }, isFlight
        ? `${thread.name}: the flight recorder kept the newest records; ${formatCount(lost)} older ones are gone.`
        : `${thread.name}: ${formatCount(lost)} records are missing, in the hatched parts.`));
    }
    const kinds = new Map();
    for (let index = 0; index < findings.n; index++) {
      const key = `${findings.kind[index]} ${findings.label[index]}`;
      if (kinds.has(key)) kinds.get(key).count++;
      else kinds.set(key, { index, count: 1 });
    }
    for (const { index, count } of [...kinds.values()].slice(0, 6)) {
      const ref = { type: 'finding', thread, index };
      found.push(h('p', { class: 'warning' }, h('button', { class: 'link', type: 'button', click: () => timeline.select(ref, { shows: true }) },
        trace.findingNames[findings.kind[index]] ?? 'finding'), ` ${trace.labels[findings.label[index]] ?? ''}${count > 1 ? ` · ${formatCount(count)} times` : ''}`));
    }
  }
  const more = found.length - MOST_WARNINGS;
  return more > 0 ? [...found.slice(0, MOST_WARNINGS), h('p', { class: 'warning' }, `and ${formatCount(more)} more`)] : found;
}

// The text alternative of the canvas: the longest callbacks in the visible part.
function renderInView() {
  const panel = document.getElementById('panel-view');
  const { t0, t1 } = timeline.view;
  const longest = new Largest(25);
  let count = 0;
  for (const thread of trace.threads) {
    const { begin, end, own } = thread.callbacks;
    const row = timeline.trackOf.get(thread).callbackRows[0];
    if (!row) continue;
    const outer = upperBound(row.ends, t0);
    const first = outer < row.n ? row.items[outer] : begin.length;
    const last = upperBound(begin, t1, 0);
    for (let i = first; i < last; i++) {
      if (end[i] < t0) continue;
      count++;
      if (own[i] > longest.least) longest.add(own[i], thread, i);
    }
  }
  const summary = `${formatTime(Math.max(0, t0), (t1 - t0) / 1000)} to ${formatTime(Math.min(trace.end, t1), (t1 - t0) / 1000)}: ${countOf(count, 'callback') || 'no callbacks'}`;
  panel.replaceChildren(h('p', { class: 'scope' }, summary),
    count === 0 ? h('p', { class: 'empty' }, 'No callback ran in this part.')
      : table(['Longest by own time', 'time', 'at'], longest.found.map(({ size, value: [thread, index] }) =>
        h('tr', null, h('td', null, callbackLink(thread, index), h('span', { class: 'muted where' },
          `${kindName(thread.callbacks.kind[index])} · ${thread.name}${thread.callbacks.location[index] ? ` · ${shortPlace(thread.callbacks.location[index])}` : ''}`)),
        h('td', { class: 'number' }, formatDuration(size)), h('td', { class: 'number' }, formatTime(thread.callbacks.begin[index], Math.max(1, (t1 - t0) / 1000)))))));
  return summary;
}

