// The timeline: lays the rows of threads and pools out, draws what is visible, and turns the pointer and keys into movement.

// The colours of things, as hues of OKLCH; a hue of -1 is grey. The third number, if there is one, scales the chroma.
const HUES = [
  ['timers', 75], ['pending', 20], ['idle', 110, 0.6], ['prepare', 130, 0.6], ['poll', 250], ['check', 150], ['closing', 320, 0.7],
  ['sleep', -1],
  ['script', 260, 0.25], ['timer', 75], ['check', 150], ['stream', 245], ['request', 280], ['message', 345], ['tick', 200],
  ['microtask', 305], ['system', 45], ['closed', 320, 0.4], ['listener', 95, 0.6], ['drain', 220, 0.35], ['other', -1],
  ['http', 170], ['operation', 225, 0.8], ['sync', 28, 1.3], ['module', 60, 0.5], ['user', 330], ['collection', 15, 0.8],
  ['counter', 235, 0.7],
];
const COLOR = Object.fromEntries(HUES.map(([name], index) => [name, index]));
// Phases come first, in their order, and their colours are found by index.

// The colour of each kind of callback (record.rs: CallbackKind).
const KIND_COLORS = [];
for (const [color, kinds] of [
  [COLOR.timer, [1, 33]], [COLOR.check, [4, 34]], [COLOR.message, [5, 17, 37]], [COLOR.stream, [6, 7, 12, 13, 14]],
  [COLOR.request, [15]], [COLOR.system, [8, 9, 10, 11]], [COLOR.closed, [16]], [COLOR.script, [32]], [COLOR.tick, [35]],
  [COLOR.microtask, [36]], [COLOR.listener, [38]], [COLOR.drain, [39]], [COLOR.other, [0, 2, 3]],
]) {
  for (const kind of kinds) KIND_COLORS[kind] = color;
}

// The colour of each kind of span (record.rs: SpanKind).
const SPAN_COLORS = [COLOR.other, COLOR.http, COLOR.http, COLOR.operation, COLOR.stream, COLOR.system, COLOR.message,
  COLOR.module, COLOR.user, COLOR.sync];
// Modules are loaded and synchronous calls made without leaving the callback.
const SYNCHRONOUS_SPANS = new Set([7, 9]);

const GUTTER = 176;
const MOST_DEPTH = 24;
const MOST_LANES = 8;
const LEAST_SPAN = 20;

function toHex(color) {
  toHex.context ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const g = toHex.context;
  g.clearRect(0, 0, 1, 1);
  g.fillStyle = color;
  g.fillRect(0, 0, 1, 1);
  const [red, green, blue] = g.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

// The colours of the canvas for the light or the dark theme.
function makeTheme(isDark) {
  const style = getComputedStyle(document.documentElement);
  const variable = (name) => style.getPropertyValue(name).trim();
  const fill = ([name, hue, chroma = 1]) => {
    if (name === 'sleep') return isDark ? '#2c313a' : '#e6e6e3';
    if (hue < 0) return isDark ? '#555b66' : '#c9cbcf';
    return toHex(`oklch(${isDark ? 0.52 : 0.82} ${(isDark ? 0.085 : 0.085) * chroma} ${hue})`);
  };
  const ink = ([name, hue, chroma = 1]) => {
    if (name === 'sleep') return isDark ? '#8a919e' : '#8b8d90';
    if (hue < 0) return isDark ? '#eef0f3' : '#2b2d31';
    return toHex(`oklch(${isDark ? 0.97 : 0.3} ${(isDark ? 0.02 : 0.06) * chroma} ${hue})`);
  };
  const fills = HUES.map(fill);
  return {
    fills,
    // Blue, green and red in 24 bits.
    pixels: fills.map((hex) => parseInt(hex.slice(5, 7) + hex.slice(3, 5) + hex.slice(1, 3), 16)),
    inks: HUES.map(ink),
    charWidth: 6.1,
    font: '11px ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
    background: variable('--canvas'),
    line: variable('--line'),
    text: variable('--text'),
    muted: variable('--muted'),
    accent: variable('--accent'),
    bad: variable('--bad'),
    isDark,
  };
}

// A row of marks and findings.
class MarkRow {
  constructor(thread, height) {
    const { marks, findings } = thread;
    const all = [];
    for (let i = 0; i < marks.n; i++) all.push({ at: marks.at[i], text: trace.labels[marks.label[i]], ref: { type: 'mark', thread, index: i } });
    for (let i = 0; i < findings.n; i++) {
      const text = trace.findingNames[findings.kind[i]] ?? 'finding';
      all.push({ at: findings.at[i], text, isFinding: true, ref: { type: 'finding', thread, index: i } });
    }
    all.sort((a, b) => a.at - b.at);
    Object.assign(this, { all, times: Float64Array.from(all, (mark) => mark.at), height, y: 0, n: all.length });
    this.describe = { ref: (index) => all[index].ref };
  }

  match() {}

  item(place) {
    return place;
  }

  at(time, slack) {
    const next = upperBound(this.times, time);
    let best = -1;
    for (const place of [next - 1, next]) {
      const away = place >= 0 && place < this.n ? Math.abs(this.times[place] - time) : Infinity;
      if (away <= slack && (best < 0 || away < Math.abs(this.times[best] - time))) best = place;
    }
    return best;
  }

  draw(g, layer, { t0, t1, scale }, theme) {
    const middle = this.y + this.height / 2;
    for (let place = upperBound(this.times, t0 - 20 / scale); place < this.n && this.times[place] < t1;) {
      const x = (this.times[place] - t0) * scale;
      const next = Math.max(place + 1, gallop(this.times, t0 + (x + 6) / scale, place));
      const { text, isFinding } = this.all[place];
      const size = next - place > 1 ? 3 : 4.5;
      g.fillStyle = isFinding ? theme.bad : theme.accent;
      g.beginPath();
      g.moveTo(x, middle - size);
      g.lineTo(x + size, middle);
      g.lineTo(x, middle + size);
      g.lineTo(x - size, middle);
      g.fill();
      const room = Math.floor((((this.times[next] ?? Infinity) - t0) * scale - x - 14) / theme.charWidth);
      if (next - place === 1 && room >= 3) {
        g.fillStyle = theme.muted;
        g.fillText(text.length > room ? `${text.slice(0, room - 1)}…` : text, x + 8, middle + 0.5);
      }
      place = next;
    }
  }
}

function startsOf(begin) {
  return begin instanceof Float64Array ? begin : Float64Array.from(begin);
}

// The rows of a thread.
function threadTrack(thread) {
  const { callbacks, phases, polls, collections, spans, marks, findings, counters } = thread;
  const track = { thread, title: thread.name, rows: [], callbackRows: [], overlays: [] };
  const describe = (type, color, label) => ({ color, label, ref: (index) => ({ type, thread, index }) });
  track.sleeps = new Row(startsOf(polls.begin), ends(polls), null, 14, describe('poll', () => COLOR.sleep, (index) =>
    (polls.timeout[index] === 1 ? 'poll' : 'waiting')));
  track.phases = new Row(startsOf(phases.begin), ends(phases), null, 14,
    describe('phase', (index) => phases.phase[index], (index) => trace.phaseNames[phases.phase[index]]));
  track.rows.push({ row: track.sleeps, label: 'phases', isOverlaid: true }, { row: track.phases });
  if (collections.n > 0) {
    track.rows.push({
      row: new Row(startsOf(collections.begin), ends(collections), null, 5,
        describe('collection', () => COLOR.collection, () => '')),
      gap: 2,
    });
  }

  // Callbacks by depth. Those that are nested too deeply have no row; the panel and the search find them.
  const counts = [];
  for (let i = 0; i < callbacks.n; i++) counts[callbacks.depth[i]] = (counts[callbacks.depth[i]] ?? 0) + 1;
  const byDepth = counts.slice(0, MOST_DEPTH).map((count) => ({
    begins: new Float64Array(count ?? 0), ends: new Float64Array(count ?? 0), items: new Uint32Array(count ?? 0), n: 0,
  }));
  for (let i = 0; i < callbacks.n; i++) {
    const row = byDepth[callbacks.depth[i]];
    if (!row) continue;
    row.begins[row.n] = callbacks.begin[i];
    row.ends[row.n] = callbacks.end[i];
    row.items[row.n++] = i;
  }
  const described = describe('callback', (index) => KIND_COLORS[callbacks.kind[index]] ?? COLOR.other,
    (index) => callbackName(thread, index));
  for (const [depth, { begins, ends: stops, items }] of byDepth.entries()) {
    const row = new Row(begins, stops, items, 18, described);
    track.callbackRows.push(row);
    track.rows.push({ row, label: depth === 0 ? 'callbacks' : '', gap: depth === 0 ? 4 : 1 });
  }

  if (spans.n > 0) {
    const stops = ends(spans);
    const rowOfSpan = thread.rowOfSpan = new Map();
    // Each kind has lanes of its own: what is synchronous first, as it belongs to the callbacks above.
    const byKind = new Map();
    for (let i = 0; i < spans.n; i++) {
      if (!byKind.has(spans.kind[i])) byKind.set(spans.kind[i], []);
      byKind.get(spans.kind[i]).push(i);
    }
    const rank = (kind) => (SYNCHRONOUS_SPANS.has(kind) ? 0 : 100) + kind;
    for (const [kind, list] of [...byKind].sort(([a], [b]) => rank(a) - rank(b))) {
      const name = trace.spanNames[kind] ?? 'span';
      const { lanes, rest } = assignLanes(list, spans.begin, stops);
      for (const [number, lane] of lanes.entries()) {
        const row = new Row(Float64Array.from(lane, (i) => spans.begin[i]), Float64Array.from(lane, (i) => stops[i]),
          Uint32Array.from(lane), 15, describe('span', () => SPAN_COLORS[kind] ?? COLOR.other, (index) => spanName(thread, index)));
        for (const index of lane) rowOfSpan.set(index, row);
        track.rows.push({ row, label: number === 0 ? name : '', gap: number === 0 ? 6 : 1 });
      }
      if (rest.length > 0) {
        const row = levelRow(rest.map((i) => [spans.begin[i], stops[i]]), `more of ${name}`, SPAN_COLORS[kind] ?? COLOR.other);
        track.rows.push({ row, label: 'more', gap: 2 });
      }
    }
  }
  if (marks.n + findings.n > 0) track.rows.push({ row: new MarkRow(thread, 14), label: 'marks', gap: 4 });
  const kinds = new Map();
  for (let i = 0; i < counters.n; i++) {
    if (!kinds.has(counters.kind[i])) kinds.set(counters.kind[i], []);
    kinds.get(counters.kind[i]).push(i);
  }
  for (const [kind, list] of kinds) {
    const name = trace.counterNames[kind] ?? 'counter';
    const format = name.includes('bytes') ? formatBytes : name.includes('lateness') ? (us) => formatDuration(us * 1000) : formatCount;
    const row = new CounterRow(Float64Array.from(list, (i) => counters.at[i]), Float64Array.from(list, (i) => counters.value[i]), 22,
      name, COLOR.counter, format);
    track.rows.push({ row, label: name, gap: 5 });
  }
  const length = Math.max(1, trace.end - thread.start);
  track.busy = track.callbackRows.length > 0 ? track.callbackRows[0].sums[track.callbackRows[0].n] : 0;
  const process = trace.processes[thread.process];
  track.subtitle = `${trace.processes.length > 1 ? `${process.pid} · ` : ''}${formatPercent(track.busy, length)} busy`;
  return track;
}

// Gives things that overlap lanes of their own, at most MOST_LANES. What finds none is the rest.
function assignLanes(list, begin, end) {
  const lanes = [];
  const rest = [];
  for (const i of list) {
    let lane = lanes.find((other) => end[other[other.length - 1]] <= begin[i]);
    if (!lane && lanes.length < MOST_LANES) lanes.push(lane = []);
    (lane ?? rest).push(i);
  }
  return { lanes, rest };
}

// A row that counts how many of the intervals are open.
function levelRow(intervals, name, color) {
  const changes = [];
  for (const [begin, end] of intervals) changes.push([begin, 1], [end, -1]);
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const times = new Float64Array(changes.length);
  const values = new Float64Array(changes.length);
  let level = 0;
  for (const [i, [time, change]] of changes.entries()) {
    times[i] = time;
    values[i] = level += change;
  }
  return new CounterRow(times, values, 22, name, color);
}

// The rows of the thread pool of a process.
function poolTrack(process) {
  const title = trace.processes.length > 1 ? `pool of ${process.pid}` : 'pool';
  const track = { process, title, subtitle: '', rows: [], callbackRows: [], overlays: [] };
  const waits = [];
  let busy = 0;
  for (const thread of process.pool) {
    const { tasks } = thread;
    const describe = {
      color: () => COLOR.request,
      // `read index.html`, without the folders.
      label: (index) => taskName(thread, index).replace(/\S*\//g, ''),
      ref: (index) => ({ type: 'task', process, pool: thread, index }),
    };
    const row = new Row(startsOf(tasks.begin), tasks.end, null, 16, describe);
    busy += row.sums[row.n];
    thread.row = row;
    track.rows.push({ row, label: `thread ${thread.number}`, gap: 2 });
    for (let i = 0; i < tasks.n; i++) if (tasks.wait[i] > 0) waits.push([tasks.begin[i] - tasks.wait[i], tasks.begin[i]]);
  }
  if (waits.length > 0) track.rows.push({ row: levelRow(waits, 'tasks queued', COLOR.timer), label: 'queue', gap: 5 });
  track.subtitle = `${formatPercent(busy, trace.end * process.pool.length)} busy`;
  return track;
}

function taskName(pool, index) {
  const { tasks } = pool;
  const thread = trace.threads[tasks.thread[index]];
  if (!thread || !tasks.request[index]) return 'task';
  const request = tasks.request[index] - 1;
  const { kind, resource } = thread.requests;
  const name = trace.resourceNames[kind[request]] ?? 'task';
  const about = resource[request] ? thread.resources.description[resource[request] - 1] : '';
  return about || name;
}

class Timeline {
  constructor() {
    this.scroller = document.getElementById('scroller');
    this.content = document.getElementById('content');
    this.canvas = document.getElementById('timeline');
    this.ruler = document.getElementById('ruler');
    this.overview = document.getElementById('overview');
    this.tooltip = document.getElementById('tooltip');
    this.view = { t0: 0, t1: trace.end, scale: 1, width: 1 };
    this.selected = null;
    this.hovered = null;
    this.pointerX = null;
    this.chain = [];
    this.effects = [];
    this.range = null;
    this.showsAllCauses = false;
    this.layer = new Layer();
    // How long the last frames took to draw, in milliseconds.
    this.frames = [];
    this.listeners = [];
    this.tracks = [];
    this.trackOf = new Map(trace.threads.map((thread) => [thread, threadTrack(thread)]));
    for (const process of trace.processes) {
      const tracks = [...this.trackOf.values()].filter(({ thread }) => trace.processes[thread.process] === process);
      // A loop that was made and never ran has nothing to show.
      this.tracks.push(...tracks.filter(({ rows, thread }) => rows.some(({ row }) => row.n > 0) || thread.losses.n > 0));
      if (process.pool.length > 0) this.tracks.push(poolTrack(process));
    }
    this.makeGutter();
    this.lay();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  // Calls `listener` after the visible part has changed and drawing has calmed down.
  onSettled(listener) {
    this.listeners.push(listener);
  }

  makeGutter() {
    for (const track of this.tracks) {
      const button = document.createElement('button');
      button.className = track.thread ? 'track is-thread' : 'track';
      button.type = 'button';
      const title = document.createElement('span');
      title.className = 'track-title';
      title.textContent = track.title;
      const subtitle = document.createElement('span');
      subtitle.className = 'track-subtitle';
      subtitle.textContent = track.subtitle;
      button.append(title, subtitle);
      button.addEventListener('click', () => {
        track.isCollapsed = !track.isCollapsed;
        this.lay();
      });
      track.button = button;
      this.content.append(button);
      for (const entry of track.rows.filter(({ label }) => label && label !== 'phases' && label !== 'callbacks')) {
        entry.element = document.createElement('span');
        entry.element.className = 'row-label';
        entry.element.textContent = entry.label;
        this.content.append(entry.element);
      }
    }
  }

  // Gives all rows their places.
  lay() {
    let y = 10;
    for (const track of this.tracks) {
      track.y = y;
      for (const entry of track.rows) {
        const isMain = entry.row === track.phases || entry.row === track.sleeps || entry.row === track.callbackRows[0] ||
          (track.process && entry === track.rows[0]);
        entry.isHidden = track.isCollapsed && !isMain;
        if (entry.element) entry.element.hidden = entry.isHidden;
        if (entry.isHidden) continue;
        y += entry.gap ?? 0;
        entry.row.y = y;
        if (entry.element) entry.element.style.top = `${y + entry.row.height / 2}px`;
        if (!entry.isOverlaid) y += entry.row.height;
      }
      y = Math.max(y, track.y + 34);
      track.height = y - track.y;
      track.button.style.top = `${track.y - 3}px`;
      track.button.setAttribute('aria-expanded', String(!track.isCollapsed));
      track.button.setAttribute('aria-label', `Track ${track.title}, ${track.subtitle}`);
      y += 18;
    }
    this.contentHeight = y;
    this.content.style.height = `${y}px`;
    this.draw();
  }

  resize() {
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    if (width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    for (const [canvas, h] of [[this.canvas, height], [this.ruler, 26], [this.overview, 44]]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(h * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${h}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.width = width;
    this.height = height;
    this.view.width = Math.max(50, width - GUTTER - 12);
    this.layer.resize(Math.max(50, width - GUTTER), height);
    this.overviewImage = null;
    this.draw();
  }

  setTheme(isDark) {
    this.theme = makeTheme(isDark);
    this.overviewImage = null;
    this.draw();
  }

  // Movement.

  setView(t0, t1) {
    const margin = trace.end * 0.02;
    let span = Math.min(Math.max(t1 - t0, LEAST_SPAN), trace.end + 2 * margin);
    const middle = (t0 + t1) / 2;
    t0 = middle - span / 2;
    t0 = Math.min(Math.max(t0, -margin), trace.end + margin - span);
    Object.assign(this.view, { t0, t1: t0 + span });
    // Another item is under the pointer now.
    this.hovered = null;
    this.tooltip.hidden = true;
    this.draw();
  }

  // The time under the pointer; null if it is elsewhere.
  get pointerTime() {
    const { view, pointerX } = this;
    return pointerX === null ? null : view.t0 + ((pointerX - GUTTER) / view.width) * (view.t1 - view.t0);
  }

  // Moves there in some frames, if motion is welcome.
  glide(t0, t1) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.setView(t0, t1);
      return;
    }
    const from = { ...this.view };
    const start = performance.now();
    const glide = this.gliding = {};
    const step = (now) => {
      if (this.gliding !== glide) return;
      const part = Math.min(1, Math.max(0, (now - start) / 220));
      const eased = 1 - (1 - part) ** 3;
      // Spans change by a factor in each frame: a linear change would rush past everything small.
      const span0 = from.t1 - from.t0;
      const span1 = t1 - t0;
      const span = span0 * (span1 / span0) ** eased;
      const weight = span0 === span1 ? eased : (span0 - span) / (span0 - span1);
      const left = from.t0 + (t0 - from.t0) * weight;
      this.setView(left, left + span);
      if (part < 1) requestAnimationFrame(step);
      else this.gliding = null;
    };
    requestAnimationFrame(step);
  }

  zoom(factor, at = (this.view.t0 + this.view.t1) / 2) {
    this.gliding = null;
    const { t0, t1 } = this.view;
    const span = Math.min(Math.max((t1 - t0) * factor, LEAST_SPAN), trace.end * 1.04);
    const part = (at - t0) / (t1 - t0);
    this.setView(at - span * part, at - span * part + span);
  }

  pan(pixels) {
    this.gliding = null;
    const { t0, t1 } = this.view;
    const time = (pixels * (t1 - t0)) / this.view.width;
    this.setView(t0 + time, t1 + time);
  }

  fit() {
    this.glide(-trace.end * 0.005, trace.end * 1.005);
  }

  // Makes an item visible; `zooms` also makes it wide.
  show(ref, zooms) {
    const box = this.boxOf(ref);
    if (!box) return;
    const { t0, t1 } = this.view;
    const span = t1 - t0;
    const length = box.end - box.begin;
    const middle = (box.begin + box.end) / 2;
    if (zooms) {
      const wide = Math.max(length * 2.2, 400);
      this.glide(middle - wide / 2, middle + wide / 2);
    } else if (box.end < t0 || box.begin > t1 || length < span / 2000) {
      const wide = length > 0 && length < span / 500 ? Math.max(length * 60, 400) : Math.max(span, length * 1.2);
      this.glide(middle - wide / 2, middle + wide / 2);
    }
    if (box.row && !box.row.isHidden) {
      const top = box.row.y - 40;
      const bottom = box.row.y + box.row.height + 40;
      if (top < this.scroller.scrollTop) this.scroller.scrollTop = Math.max(0, top);
      else if (bottom > this.scroller.scrollTop + this.height) this.scroller.scrollTop = bottom - this.height;
    }
  }

  // The times and the row of an item.
  boxOf(ref) {
    if (!ref) return null;
    const { type, thread, index } = ref;
    if (type === 'callback') {
      const { begin, end, depth } = thread.callbacks;
      const track = this.trackOf.get(thread);
      const row = track.callbackRows[Math.min(track.isCollapsed ? 0 : depth[index], track.callbackRows.length - 1)];
      return { begin: begin[index], end: end[index], row };
    }
    if (type === 'task') return { begin: ref.pool.tasks.begin[index], end: ref.pool.tasks.end[index], row: ref.pool.row };
    if (type === 'mark' || type === 'finding') {
      const at = (type === 'mark' ? thread.marks : thread.findings).at[index];
      return { begin: at, end: at, row: this.rowOf(thread, (row) => row instanceof MarkRow) };
    }
    const table = { poll: thread.polls, phase: thread.phases, span: thread.spans, collection: thread.collections }[type];
    const begin = table.begin[index];
    const row = type === 'span' ? thread.rowOfSpan.get(index) : this.rowOf(thread, (other) => other.describe?.ref(0).type === type);
    return { begin, end: begin + table.duration[index], row };
  }

  rowOf(thread, test) {
    return this.trackOf.get(thread).rows.find(({ row }) => test(row))?.row;
  }

  select(ref, { shows = false, zooms = false } = {}) {
    this.selected = ref;
    this.chain = [];
    this.effects = [];
    if (ref?.type === 'callback') {
      // The causes of the causes.
      for (let at = [ref.thread, ref.index]; this.chain.length < 32;) {
        const cause = causeOf(...at);
        if (!cause || cause.callback < 0) break;
        this.chain.push({ from: cause, to: at });
        at = [cause.thread, cause.callback];
      }
      this.effects = effectsOf(ref.thread, ref.index, 200);
    }
    if (shows || zooms) this.show(ref, zooms);
    this.draw();
    this.onSelect?.(ref);
  }

  // The item at a point of the canvas.
  hit(x, y) {
    if (x < GUTTER) return null;
    const { t0, scale } = this.view;
    const time = t0 + (x - GUTTER) / scale;
    const top = y + this.scroller.scrollTop;
    let found = null;
    for (const track of this.tracks) {
      if (top < track.y - 4 || top > track.y + track.height + 4) continue;
      for (const { row, isHidden } of track.rows) {
        if (isHidden || row.isCounter || top < row.y - 0.5 || top > row.y + row.height + 0.5) continue;
        const place = row.at(time, 3 / scale);
        // Later rows lie on top of those before.
        if (place >= 0) found = row.describe.ref(row.item(place));
      }
    }
    return found;
  }

  // The counter row at a point, with its value.
  counterAt(x, y) {
    if (x < GUTTER) return null;
    const top = y + this.scroller.scrollTop;
    const time = this.view.t0 + (x - GUTTER) / this.view.scale;
    for (const track of this.tracks) {
      for (const { row, isHidden } of track.rows) {
        if (!isHidden && row.isCounter && top >= row.y && top <= row.y + row.height) return `${row.name}: ${row.format(row.valueAt(time))}`;
      }
    }
    return null;
  }

  // Drawing.

  draw() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.paint();
    });
  }

  paint() {
    if (!this.theme || !this.width) return;
    const start = performance.now();
    const { view } = this;
    view.scale = view.width / (view.t1 - view.t0);
    this.paintRows();
    this.paintRuler();
    this.paintOverview();
    this.frames.push(performance.now() - start);
    if (this.frames.length > 240) this.frames.shift();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.listeners.forEach((listener) => listener()), 120);
  }

  paintRows() {
    const { theme, view, width, height } = this;
    const g = this.canvas.getContext('2d');
    const scroll = this.scroller.scrollTop;
    g.fillStyle = theme.background;
    g.fillRect(0, 0, width, height);
    g.font = theme.font;
    g.textBaseline = 'middle';
    g.save();
    g.beginPath();
    g.rect(GUTTER, 0, width - GUTTER, height);
    g.clip();
    g.translate(GUTTER, -scroll);
    this.paintGrid(g, scroll);
    this.layer.clear(scroll);
    for (const track of this.tracks) {
      if (track.y > scroll + height || track.y + track.height + 18 < scroll) continue;
      g.fillStyle = theme.line;
      g.fillRect(0, track.y + track.height + 9, width, 1);
      for (const { row, isHidden } of track.rows) {
        if (!isHidden && row.y < scroll + height && row.y + row.height > scroll) row.draw(g, this.layer, view, theme);
      }
      if (track.thread) this.paintLosses(g, track);
    }
    this.layer.paint(g);
    this.paintMarked(g);
    this.paintArrows(g);
    this.paintRange(g, scroll);
    g.restore();
    g.fillStyle = theme.line;
    g.fillRect(GUTTER - 1, 0, 1, height);
    for (const track of this.tracks) g.fillRect(0, track.y + track.height + 9 - scroll, GUTTER, 1);
  }

  // Lines at the times of the ruler.
  paintGrid(g, scroll) {
    const { view, theme, height } = this;
    const step = this.gridStep();
    g.fillStyle = theme.line;
    g.globalAlpha = 0.55;
    for (let time = Math.ceil(view.t0 / step) * step; time < view.t1; time += step) {
      g.fillRect(Math.round((time - view.t0) * view.scale), scroll, 1, height);
    }
    g.globalAlpha = 1;
  }

  gridStep() {
    const least = 110 / this.view.scale;
    const power = 10 ** Math.floor(Math.log10(least));
    return Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= least) * power);
  }

  paintRuler() {
    const { view, theme, width } = this;
    const g = this.ruler.getContext('2d');
    g.fillStyle = theme.background;
    g.fillRect(0, 0, width, 26);
    g.font = theme.font;
    g.textBaseline = 'middle';
    g.fillStyle = theme.muted;
    g.textAlign = 'left';
    g.fillText(formatDuration(view.t1 - view.t0), 14, 13);
    g.save();
    g.beginPath();
    g.rect(GUTTER, 0, width, 26);
    g.clip();
    const step = this.gridStep();
    for (let time = Math.ceil(view.t0 / step) * step; time < view.t1; time += step) {
      const x = GUTTER + Math.round((time - view.t0) * view.scale);
      g.fillStyle = theme.line;
      g.fillRect(x, 16, 1, 10);
      g.fillStyle = theme.muted;
      g.fillText(formatTime(time, step), x + 5, 12);
    }
    if (this.pointerX !== null) {
      const x = this.pointerX;
      const text = formatTime(this.pointerTime, 1 / view.scale);
      const wide = g.measureText(text).width + 12;
      g.fillStyle = theme.accent;
      g.beginPath();
      g.roundRect(Math.min(x - wide / 2, width - wide), 3, wide, 18, 4);
      g.fill();
      g.fillStyle = theme.isDark ? '#10131a' : '#fff';
      g.fillText(text, Math.min(x - wide / 2, width - wide) + 6, 12.5);
    }
    g.restore();
    g.fillStyle = theme.line;
    g.fillRect(0, 25, width, 1);
  }

  // How busy each thread was over the whole trace, and which part is visible.
  paintOverview() {
    const { theme, view, width } = this;
    const g = this.overview.getContext('2d');
    const wide = width - GUTTER - 12;
    if (!this.overviewImage) this.overviewImage = this.makeOverview(wide);
    g.fillStyle = theme.background;
    g.fillRect(0, 0, width, 44);
    g.font = theme.font;
    g.textBaseline = 'middle';
    g.fillStyle = theme.muted;
    g.fillText(`Whole trace: ${formatDuration(trace.end)}`, 14, 22);
    g.drawImage(this.overviewImage, GUTTER, 4, wide, 36);
    const left = Math.max(0, (view.t0 / trace.end) * wide);
    const right = Math.min(wide, (view.t1 / trace.end) * wide);
    g.fillStyle = theme.background;
    g.globalAlpha = 0.72;
    g.fillRect(GUTTER, 4, left, 36);
    g.fillRect(GUTTER + right, 4, wide - right, 36);
    g.globalAlpha = 1;
    g.strokeStyle = theme.accent;
    g.lineWidth = 1.5;
    g.beginPath();
    g.roundRect(GUTTER + left, 4, Math.max(3, right - left), 36, 4);
    g.stroke();
    g.fillStyle = theme.line;
    g.fillRect(0, 43, width, 1);
  }

  makeOverview(wide) {
    const ratio = window.devicePixelRatio || 1;
    const image = new OffscreenCanvas(Math.max(1, Math.round(wide * ratio)), Math.round(36 * ratio));
    const g = image.getContext('2d');
    g.scale(ratio, ratio);
    const rows = this.tracks.filter((track) => track.thread && track.callbackRows.length > 0).map((track) => track.callbackRows[0]);
    const shown = rows.slice(0, 9);
    const high = 36 / Math.max(1, shown.length);
    for (const [number, row] of shown.entries()) {
      for (let x = 0; x < wide; x++) {
        const t0 = (x / wide) * trace.end;
        const t1 = ((x + 1) / wide) * trace.end;
        const busy = Math.min(1, row.timeIn(t0, t1) / (t1 - t0));
        if (busy <= 0) continue;
        const tall = Math.max(1, busy * (high - 2));
        g.fillStyle = this.theme.accent;
        g.globalAlpha = 0.25 + 0.5 * busy;
        g.fillRect(x, (number + 1) * high - tall - 1, 1, tall);
      }
    }
    return image;
  }

  // Where records are missing.
  paintLosses(g, { thread, y, height }) {
    const { t0, t1, scale } = this.view;
    const { losses } = thread;
    for (let i = 0; i < losses.n; i++) {
      const end = losses.begin[i] + losses.duration[i];
      if (end < t0 || losses.begin[i] > t1) continue;
      const left = Math.max(-10, (losses.begin[i] - t0) * scale);
      const right = Math.min(this.view.width + 10, Math.max(left + 2, (end - t0) * scale));
      g.save();
      g.beginPath();
      g.rect(left, y - 4, right - left, height + 8);
      g.clip();
      g.strokeStyle = this.theme.bad;
      g.globalAlpha = 0.35;
      g.beginPath();
      for (let x = left - height - 8; x < right; x += 7) {
        g.moveTo(x, y + height + 4);
        g.lineTo(x + height + 8, y - 4);
      }
      g.stroke();
      g.restore();
    }
  }

  // The rectangle of an item in the coordinates of the rows; null if it is not visible in time.
  rectOf(ref) {
    const box = this.boxOf(ref);
    if (!box?.row) return null;
    const { t0, scale } = this.view;
    const left = (box.begin - t0) * scale;
    return { left, right: Math.max(left + 1.5, (box.end - t0) * scale), top: box.row.y, bottom: box.row.y + box.row.height };
  }

  paintMarked(g) {
    const { theme } = this;
    for (const [ref, isSelected] of [[this.hovered, false], [this.selected, true]]) {
      const rect = ref && this.rectOf(ref);
      if (!rect) continue;
      const left = Math.max(rect.left, -6);
      const right = Math.min(rect.right, this.view.width + 18);
      if (right < left) continue;
      g.strokeStyle = isSelected ? theme.accent : theme.text;
      g.globalAlpha = isSelected ? 1 : 0.55;
      g.lineWidth = isSelected ? 2 : 1;
      g.beginPath();
      g.roundRect(left - 1, rect.top - 1, Math.max(3, right - left + 2), rect.bottom - rect.top + 2, 3.5);
      g.stroke();
      g.globalAlpha = 1;
    }
  }

  paintArrows(g) {
    const { theme } = this;
    if (this.showsAllCauses) this.paintAllArrows(g);
    g.lineWidth = 1.5;
    g.strokeStyle = g.fillStyle = theme.accent;
    for (const [number, { from, to }] of this.chain.entries()) {
      g.globalAlpha = Math.max(0.25, 1 - number * 0.18);
      this.paintArrow(g, from, ...to);
    }
    g.globalAlpha = 0.55;
    g.lineWidth = 1;
    for (const [thread, index] of this.effects) this.paintArrow(g, causeOf(thread, index), thread, index);
    g.globalAlpha = 0.8;
    const { hovered } = this;
    if (hovered?.type === 'callback' && !(this.selected?.thread === hovered.thread && this.selected?.index === hovered.index)) {
      const cause = causeOf(hovered.thread, hovered.index);
      g.strokeStyle = g.fillStyle = theme.text;
      if (cause && cause.callback >= 0) this.paintArrow(g, cause, hovered.thread, hovered.index);
    }
    const pool = this.poolTaskOf(this.selected);
    if (pool) {
      g.strokeStyle = g.fillStyle = theme.accent;
      g.globalAlpha = 0.9;
      g.lineWidth = 1;
      this.paintRing(g, pool);
    }
    g.globalAlpha = 1;
  }

  // The task of the pool whose result a callback got.
  poolTaskOf(ref) {
    if (ref?.type !== 'callback') return null;
    const request = ref.thread.requestOf.get(ref.index);
    if (request === undefined || !ref.thread.requests.poolThread[request]) return null;
    const process = trace.processes[ref.thread.process];
    const pool = process.pool.find((thread) => thread.number === ref.thread.requests.poolThread[request]);
    const index = pool ? upperBound(pool.tasks.begin, ref.thread.requests.poolBegin[request]) - 1 : -1;
    return index >= 0 ? { type: 'task', process, pool, index } : null;
  }

  paintRing(g, ref) {
    const rect = this.rectOf(ref);
    if (!rect) return;
    g.beginPath();
    g.roundRect(rect.left - 2, rect.top - 2, Math.max(5, rect.right - rect.left + 4), rect.bottom - rect.top + 4, 4);
    g.stroke();
  }

  // The arrows of the callbacks that can be seen as such.
  paintAllArrows(g) {
    const { t0, t1, scale } = this.view;
    let left = 600;
    g.strokeStyle = g.fillStyle = this.theme.muted;
    g.lineWidth = 1;
    g.globalAlpha = 0.45;
    for (const { thread } of this.tracks.filter((track) => track.thread)) {
      const { begin, duration, n, flags } = thread.callbacks;
      const last = upperBound(begin, t1, 0, n);
      for (let i = upperBound(begin, t0); i < last && left > 0; i++) {
        if (flags[i] & HAS_CALLER && duration[i] * scale >= 3) {
          this.paintArrow(g, causeOf(thread, i), thread, i);
          left--;
        }
      }
    }
    g.globalAlpha = 1;
  }

  // An arrow from the code that asked for a callback to the callback.
  paintArrow(g, cause, thread, index) {
    const from = this.rectOf({ type: 'callback', thread: cause.thread, index: cause.callback });
    const to = this.rectOf({ type: 'callback', thread, index });
    if (!from || !to) return;
    const { t0, scale, width } = this.view;
    const x0 = Math.min(Math.max((cause.at - t0) * scale, from.left), from.right);
    const x1 = to.left;
    if ((x0 < -50 && x1 < -50) || (x0 > width + 50 && x1 > width + 50)) return;
    const y0 = to.top > from.top ? from.bottom - 3 : from.top + from.bottom > to.top + to.bottom ? from.top + 3 : from.bottom - 3;
    const y1 = (to.top + to.bottom) / 2;
    // Beyond the edges nothing is seen of the curve, but numbers of that size are drawn wrongly.
    const a = Math.max(-3000, Math.min(width + 3000, x0));
    const b = Math.max(-3000, Math.min(width + 3000, x1));
    const bend = Math.min(90, 14 + Math.abs(b - a) / 3);
    const dip = to.top === from.top ? 26 : 0;
    g.beginPath();
    g.moveTo(a, y0);
    g.bezierCurveTo(a + bend * 0.6, y0 + dip, b - bend, y1 + dip, b - 2, y1);
    g.stroke();
    g.beginPath();
    g.arc(a, y0, 2.2, 0, 7);
    g.fill();
    g.beginPath();
    const slope = dip ? Math.atan2(-dip, bend) : 0;
    g.save();
    g.translate(b - 1, y1);
    g.rotate(slope);
    g.moveTo(0, 0);
    g.lineTo(-7, -3.6);
    g.lineTo(-7, 3.6);
    g.closePath();
    g.fill();
    g.restore();
  }

  paintRange(g, scroll) {
    if (!this.range) return;
    const { t0, scale } = this.view;
    const { theme, height } = this;
    const left = (this.range.t0 - t0) * scale;
    const right = (this.range.t1 - t0) * scale;
    g.fillStyle = theme.accent;
    g.globalAlpha = 0.1;
    g.fillRect(left, scroll, right - left, height);
    g.globalAlpha = 0.7;
    g.fillRect(left, scroll, 1, height);
    g.fillRect(right, scroll, 1, height);
    g.globalAlpha = 1;
    const text = formatDuration(this.range.t1 - this.range.t0);
    const wide = g.measureText(text).width + 14;
    const x = Math.max(4, Math.min(this.view.width - wide - 4, (left + right - wide) / 2));
    g.beginPath();
    g.roundRect(x, scroll + 6, wide, 20, 5);
    g.fill();
    g.fillStyle = theme.isDark ? '#10131a' : '#fff';
    g.fillText(text, x + 7, scroll + 16.5);
  }

  // The pointer.

  listen() {
    const { canvas, scroller } = this;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const timeAt = (x) => this.view.t0 + (x - GUTTER) / this.view.scale;
    const pointers = new Map();
    let drag = null;
    let pinch = null;
    scroller.addEventListener('scroll', () => this.draw());
    scroller.addEventListener('wheel', (event) => {
      const { x } = place(event);
      // Beside the timeline, and with Alt, the wheel scrolls the tracks.
      if (x < GUTTER || event.altKey) return;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
      if (event.shiftKey) {
        this.pan((event.deltaY || event.deltaX) * unit);
        return;
      }
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX * unit);
      else this.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * unit)) * (event.ctrlKey ? 0.01 : 0.002)), timeAt(x));
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      const at = place(event);
      pointers.set(event.pointerId, at);
      this.gliding = null;
      if (pointers.size === 2) {
        const [a, b] = pointers.values();
        pinch = { distance: Math.hypot(a.x - b.x, a.y - b.y), middle: (a.x + b.x) / 2 };
        drag = null;
      } else {
        drag = { ...at, last: at, moved: false, selects: event.shiftKey && at.x >= GUTTER, from: timeAt(at.x) };
      }
    });
    canvas.addEventListener('pointermove', (event) => {
      const at = place(event);
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
      if (pinch && pointers.size === 2) {
        const [a, b] = pointers.values();
        const distance = Math.max(20, Math.hypot(a.x - b.x, a.y - b.y));
        const middle = (a.x + b.x) / 2;
        this.zoom(pinch.distance / distance, timeAt(middle));
        this.pan(pinch.middle - middle);
        pinch = { distance, middle };
      } else if (drag) {
        drag.moved ||= Math.hypot(at.x - drag.x, at.y - drag.y) > 4;
        if (drag.moved && drag.selects) {
          const to = timeAt(Math.max(GUTTER, at.x));
          this.range = { t0: Math.min(drag.from, to), t1: Math.max(drag.from, to) };
          this.draw();
        } else if (drag.moved) {
          canvas.classList.add('is-dragged');
          this.pan(drag.last.x - at.x);
          scroller.scrollTop += drag.last.y - at.y;
        }
        drag.last = at;
      }
      this.hover(at, event);
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      canvas.classList.remove('is-dragged');
      if (pointers.size < 2) pinch = null;
      if (drag && !drag.moved && event.type === 'pointerup') {
        this.range = null;
        this.select(this.hit(drag.x, drag.y));
      } else if (drag?.selects && drag.moved) {
        this.onRange?.(this.range);
      }
      drag = null;
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('dblclick', (event) => {
      const at = place(event);
      const ref = this.hit(at.x, at.y);
      if (ref) this.show(ref, true);
      else if (at.x >= GUTTER) this.zoom(0.25, timeAt(at.x));
    });
    this.listenToOverview();
  }

  listenToOverview() {
    const { overview } = this;
    const time = (event) => {
      const box = overview.getBoundingClientRect();
      return ((event.clientX - box.left - GUTTER) / (box.width - GUTTER - 12)) * trace.end;
    };
    let drag = null;
    overview.addEventListener('pointerdown', (event) => {
      overview.setPointerCapture(event.pointerId);
      this.gliding = null;
      const { t0, t1 } = this.view;
      const at = time(event);
      const isWhole = t1 - t0 > trace.end * 0.98;
      drag = { at, moves: at >= t0 && at <= t1 && !isWhole, t0, t1 };
    });
    overview.addEventListener('pointermove', (event) => {
      if (!drag) return;
      const at = time(event);
      if (drag.moves) this.setView(drag.t0 + at - drag.at, drag.t1 + at - drag.at);
      else if (Math.abs(at - drag.at) > trace.end / 500) this.setView(Math.min(at, drag.at), Math.max(at, drag.at));
    });
    overview.addEventListener('pointerup', (event) => {
      const at = time(event);
      if (drag && !drag.moves && Math.abs(at - drag.at) <= trace.end / 500) {
        const half = (this.view.t1 - this.view.t0) / 2;
        this.glide(at - half, at + half);
      }
      drag = null;
    });
    overview.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.002), time(event));
    }, { passive: false });
  }

  hover(at, event) {
    const ref = at ? this.hit(at.x, at.y) : null;
    this.pointerX = at && at.x >= GUTTER ? at.x : null;
    this.hovered = ref;
    this.canvas.style.cursor = ref ? 'pointer' : '';
    const counter = ref || !at ? null : this.counterAt(at.x, at.y);
    if (ref || counter) {
      this.onTooltip?.(ref, counter);
      this.tooltip.hidden = false;
      const { width, height } = this.tooltip.getBoundingClientRect();
      const left = Math.min(event.clientX + 14, innerWidth - width - 8);
      const top = event.clientY + 20 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 20;
      this.tooltip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
    } else {
      this.tooltip.hidden = true;
    }
    this.draw();
  }
}

