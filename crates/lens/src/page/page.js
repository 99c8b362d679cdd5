// Starts the page: the search, the keys, the theme, the tabs of the panel, the help.

let timeline;

// The search: callbacks and spans whose function, file, kind or name contains the text.
const search = {
  text: '', results: [], at: -1,

  // The callback or span of a result. A million results are numbers, not objects.
  ref(result) {
    const index = result % 2 ** 32;
    const thread = trace.threads[Math.floor(result / 2 ** 33)];
    return { type: Math.floor(result / 2 ** 32) % 2 === 0 ? 'callback' : 'span', thread, index };
  },

  begin(result) {
    const { type, thread, index } = this.ref(result);
    return (type === 'callback' ? thread.callbacks : thread.spans).begin[index];
  },

  // Finds all. `results` are ordered by time.
  run(text) {
    this.text = text.trim().toLowerCase();
    this.results = [];
    this.at = -1;
    const { text: needle } = this;
    const has = (other) => other.toLowerCase().includes(needle);
    const locations = trace.locations.map(([name, file, line]) => needle !== '' && (has(name) || has(`${file}:${line}`)));
    const kinds = Array.from({ length: 64 }, (_, kind) => needle !== '' && has(kindName(kind)));
    const spanKinds = Array.from({ length: 64 }, (_, kind) => needle !== '' && has(trace.spanNames[kind] ?? ''));
    const labels = trace.labels.map((label) => needle !== '' && has(label));
    for (const track of timeline.tracks) {
      const { thread } = track;
      if (!thread) {
        track.rows.forEach(({ row }) => row.match(needle === '' || row.isCounter ? null : (index) => has(row.describe.label(index))));
        continue;
      }
      const { location, kind, resource, n } = thread.callbacks;
      const { description } = thread.resources;
      const described = needle === '' ? [] : description.map((text) => text !== '' && has(text));
      const matches = (i) => locations[location[i]] || kinds[kind[i]] || (resource[i] > 0 && described[resource[i] - 1]);
      const spanMatches = (i) => spanKinds[thread.spans.kind[i]] || labels[thread.spans.label[i]];
      for (const { row } of track.rows) {
        const type = row.n > 0 && !row.isCounter ? row.describe.ref(0).type : '';
        row.match(needle === '' ? null : { callback: matches, span: spanMatches }[type] ?? null);
      }
      if (needle === '') continue;
      const first = thread.number * 2 ** 33;
      for (let i = 0; i < n; i++) if (matches(i)) this.results.push(first + i);
      for (let i = 0; i < thread.spans.n; i++) if (spanMatches(i)) this.results.push(first + 2 ** 32 + i);
    }
    const isOrdered = this.results.every((result, i, all) => i === 0 || this.begin(all[i - 1]) <= this.begin(result));
    if (!isOrdered) this.results.sort((a, b) => this.begin(a) - this.begin(b));
    this.tell();
    timeline.draw();
  },

  tell() {
    const { results, at, text } = this;
    const count = document.getElementById('search-count');
    count.textContent = text === '' ? '' : results.length === 0 ? 'none' : `${at >= 0 ? `${formatCount(at + 1)} / ` : ''}${formatCount(results.length)}`;
    for (const id of ['search-previous', 'search-next']) document.getElementById(id).disabled = results.length === 0;
  },

  // Goes to the next result, or back: from the selection, else from the visible part.
  go(step) {
    const { results } = this;
    if (results.length === 0) return;
    if (this.at < 0) {
      const { t0 } = timeline.view;
      const first = results.findIndex((result) => this.begin(result) >= t0);
      this.at = first < 0 ? 0 : step > 0 ? first : (first + results.length - 1) % results.length;
    } else {
      this.at = (this.at + step + results.length) % results.length;
    }
    timeline.select(this.ref(results[this.at]), { shows: true });
    this.tell();
  },
};

// Moves the selection along the row, or to the callback around or within it.
function moveSelection(key) {
  const ref = timeline.selected;
  if (ref?.type !== 'callback') {
    const [track] = timeline.tracks.filter((other) => other.thread && other.callbackRows.length > 0);
    if (!track) return;
    const row = track.callbackRows[0];
    const place = Math.min(row.n - 1, upperBound(row.ends, timeline.view.t0));
    timeline.select({ type: 'callback', thread: track.thread, index: row.items[place] }, { shows: true });
    return;
  }
  const { thread, index } = ref;
  const { depth, parent, n } = thread.callbacks;
  const row = timeline.trackOf.get(thread).callbackRows[depth[index]];
  let to = -1;
  if (key === 'ArrowUp') to = parent[index];
  else if (key === 'ArrowDown') to = index + 1 < n && depth[index + 1] > depth[index] ? index + 1 : -1;
  else if (row) {
    const place = upperBound(row.items, index) - 1 + (key === 'ArrowRight' ? 1 : -1);
    if (place >= 0 && place < row.n) to = row.items[place];
  }
  if (to >= 0) timeline.select({ type: 'callback', thread, index: to }, { shows: true });
}

// Movement with W, A, S and D: as long as they are held, faster and faster.
const held = new Map();

function move(now) {
  if (held.size === 0) {
    move.before = undefined;
    return;
  }
  const passed = Math.min(50, now - (move.before ?? now - 16));
  move.before = now;
  for (const [key, since] of held) {
    const speed = Math.min(1, 0.35 + (now - since) / 700);
    if (key === 'w' || key === 's') timeline.zoom(Math.exp((key === 'w' ? -1 : 1) * speed * passed * 0.006), timeline.pointerTime ?? undefined);
    else timeline.pan((key === 'd' ? 1 : -1) * speed * passed * timeline.view.width * 0.0016);
  }
  requestAnimationFrame(move);
}

function toggleTheme() {
  const isDark = document.documentElement.dataset.theme !== 'dark';
  applyTheme(isDark ? 'dark' : 'light');
  try {
    localStorage.setItem('phasor-theme', isDark ? 'dark' : 'light');
  } catch {
    // A page of a file may have no storage.
  }
}

function applyTheme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById('theme').setAttribute('aria-pressed', String(name === 'dark'));
  timeline?.setTheme(name === 'dark');
  if (timeline) refreshPanel();
}

function initialTheme() {
  try {
    const stored = localStorage.getItem('phasor-theme');
    if (stored) return stored;
  } catch {
    // As above.
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

const TABS = ['selection', 'summary', 'view'];

function openTab(name) {
  for (const tab of TABS) {
    const isOpen = tab === name;
    const button = document.getElementById(`tab-${tab}`);
    button.setAttribute('aria-selected', String(isOpen));
    button.tabIndex = isOpen ? 0 : -1;
    document.getElementById(`panel-${tab}`).hidden = !isOpen;
  }
  openTab.open = name;
  refreshPanel();
}

function refreshPanel() {
  if (openTab.open === 'summary') renderSummary();
  else if (openTab.open === 'selection') renderSelection(timeline.selected);
}

function toggleCauses() {
  timeline.showsAllCauses = !timeline.showsAllCauses;
  document.getElementById('causes').setAttribute('aria-pressed', String(timeline.showsAllCauses));
  timeline.draw();
}

function togglePanel() {
  const isClosed = document.body.classList.toggle('without-panel');
  document.getElementById('panel-toggle').setAttribute('aria-expanded', String(!isClosed));
}

const KEYS = {
  f: () => timeline.selected && timeline.show(timeline.selected, true),
  '0': () => timeline.fit(),
  n: () => search.go(1),
  p: () => search.go(-1),
  c: () => timeline.chain.length > 0 && timeline.select({ type: 'callback', thread: timeline.chain[0].from.thread, index: timeline.chain[0].from.callback }, { shows: true }),
  e: () => timeline.effects.length > 0 && timeline.select({ type: 'callback', thread: timeline.effects[0][0], index: timeline.effects[0][1] }, { shows: true }),
  r: () => toggleCauses(),
  t: () => toggleTheme(),
  b: () => togglePanel(),
  '/': () => document.getElementById('search').select(),
  '?': () => document.getElementById('help').showModal(),
  '+': () => timeline.zoom(0.6),
  '=': () => timeline.zoom(0.6),
  '-': () => timeline.zoom(1 / 0.6),
  Escape: () => {
    timeline.range = null;
    timeline.select(null);
    refreshPanel();
  },
};

function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, dialog');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isInPanel = event.target.closest?.('#panel, header');
    if ('wasd'.includes(key)) {
      if (!held.has(key)) held.set(key, performance.now());
      if (held.size === 1 && !event.repeat) requestAnimationFrame(move);
      event.preventDefault();
    } else if (key.startsWith('Arrow') && !isInPanel) {
      moveSelection(key);
      event.preventDefault();
    } else if (key === 'Enter' && event.target === timeline.canvas) {
      KEYS.f();
    } else if ((key === 'PageDown' || key === 'PageUp') && !isInPanel) {
      timeline.scroller.scrollTop += (key === 'PageDown' ? 0.8 : -0.8) * timeline.height;
      event.preventDefault();
    } else if (KEYS[key]) {
      KEYS[key]();
      event.preventDefault();
    }
  });
  document.addEventListener('keyup', (event) => held.delete(event.key.toLowerCase()));
  window.addEventListener('blur', () => held.clear());
}

function listenToControls() {
  const on = (id, type, listener) => document.getElementById(id).addEventListener(type, listener);
  let typing;
  on('search', 'input', (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => search.run(event.target.value), trace.callbackCount > 200_000 ? 180 : 40);
  });
  on('search', 'keydown', (event) => {
    if (event.key === 'Enter') {
      if (search.text !== event.target.value.trim().toLowerCase()) search.run(event.target.value);
      search.go(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.target.value = '';
      search.run('');
      timeline.canvas.focus();
    }
    event.stopPropagation();
  });
  on('search-next', 'click', () => search.go(1));
  on('search-previous', 'click', () => search.go(-1));
  on('fit', 'click', () => timeline.fit());
  on('zoom-in', 'click', () => timeline.zoom(0.5));
  on('zoom-out', 'click', () => timeline.zoom(2));
  on('theme', 'click', toggleTheme);
  on('causes', 'click', toggleCauses);
  on('panel-toggle', 'click', togglePanel);
  on('help-button', 'click', () => document.getElementById('help').showModal());
  on('help', 'click', (event) => event.target.id === 'help' && event.target.close());
  on('scope', 'change', refreshPanel);
  for (const tab of TABS) on(`tab-${tab}`, 'click', () => openTab(tab));
  on('tabs', 'keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(openTab.open) + step + TABS.length) % TABS.length];
    openTab(next);
    document.getElementById(`tab-${next}`).focus();
    event.stopPropagation();
  });
}

// The processes and what was recorded, for the header.
function describeTrace() {
  const [process] = trace.processes;
  const started = new Date(Number(BigInt(trace.startedUnixNs) / 1000000n));
  const parts = [formatDuration(trace.end), `${formatCount(trace.callbackCount)} callbacks`];
  if (trace.threads.length > 1) parts.push(`${trace.threads.length} threads`);
  if (trace.processes.length > 1) parts.push(`${trace.processes.length} processes`);
  if (process?.runtime) parts.push(process.runtime);
  const about = document.getElementById('about');
  about.textContent = parts.join(' · ');
  about.title = [trace.processes.map(({ pid, arguments: list }) => `${pid}: ${list.join(' ')}`).join('\n'),
    started.getTime() > 0 ? `started ${started.toLocaleString()}` : ''].filter(Boolean).join('\n');
}

async function start() {
  const status = document.getElementById('loading');
  document.documentElement.dataset.theme = initialTheme();
  try {
    await readTrace(async (text) => {
      status.textContent = `${text} …`;
      await new Promise((resolve) => setTimeout(resolve));
    });
    timeline = new Timeline();
    // The part of the trace of which the panel shows sums.
    timeline.scope = () => {
      if (timeline.range) return { name: 'Marked part', ...timeline.range };
      if (document.getElementById('scope').value === 'view') {
        return { name: 'Visible part', t0: Math.max(0, timeline.view.t0), t1: Math.min(trace.end, timeline.view.t1) };
      }
      return { name: 'Whole trace', t0: 0, t1: trace.end };
    };
    describeTrace();
    listenToControls();
    listenToKeys();
    timeline.setView(-trace.end * 0.005, trace.end * 1.005);
    applyTheme(initialTheme());
    openTab('summary');
    timeline.onSelect = (ref) => (ref ? openTab('selection') : refreshPanel());
    timeline.onRange = () => openTab('summary');
    timeline.onTooltip = (ref, text) => {
      const [title, ...lines] = ref ? tooltipOf(ref) : [text];
      document.getElementById('tooltip').replaceChildren(h('b', null, title), ...lines.filter(Boolean).map((line) => h('span', null, line)));
    };
    let shown = '';
    timeline.onSettled(() => {
      const { t0, t1 } = timeline.view;
      if (shown === `${t0} ${t1}`) return;
      shown = `${t0} ${t1}`;
      const text = renderInView();
      document.getElementById('status').textContent = text;
      if (openTab.open === 'summary' && document.getElementById('scope').value === 'view') renderSummary();
    });
    document.body.classList.remove('is-loading');
    status.remove();
    timeline.resize();
    document.body.dataset.ready = 'true';
  } catch (error) {
    status.textContent = `This page cannot show the trace: ${error.message}`;
    throw error;
  }
}

start();
