'use strict';
// The data of the page: reads the header and the tables that crates/lens/src/export/html.rs writes, and gives names to things.
// The scripts of the page are joined in the order data.js, rows.js, timeline.js, panel.js, page.js and share one scope.

const BASE64 = new Uint8Array(128);
for (let i = 0; i < 64; i++) {
  BASE64['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.charCodeAt(i)] = i;
}

function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 61) length--;
  const bytes = new Uint8Array((length * 3) >> 2);
  let at = 0;
  for (let i = 0; i < length; i += 4) {
    const bits = (BASE64[text.charCodeAt(i)] << 18) | (BASE64[text.charCodeAt(i + 1)] << 12) |
      (i + 2 < length ? BASE64[text.charCodeAt(i + 2)] << 6 : 0) | (i + 3 < length ? BASE64[text.charCodeAt(i + 3)] : 0);
    bytes[at++] = bits >> 16;
    bytes[at++] = bits >> 8;
    bytes[at++] = bits;
  }
  return bytes;
}

// Reads a column of `n` variable-length integers (LEB128).
function readColumn(bytes, [offset, coding, isWide], n) {
  const values = isWide ? new Float64Array(n) : coding === 's' ? new Int32Array(n) : new Uint32Array(n);
  const isSigned = coding === 's' || coding === 'z';
  const isSum = coding === 'd' || coding === 'z';
  let at = offset;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let byte = bytes[at++];
    let number = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++];
      // Bit operators work on 32 bits.
      number = shift < 28 ? number | ((byte & 0x7f) << shift) : number + (byte & 0x7f) * 2 ** shift;
    }
    if (isSigned) number = number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    if (isSum) number = sum += number;
    values[i] = number;
  }
  return values;
}

// A table of typed arrays. A column that the file leaves out has only zeros.
function readTable(bytes, { n, columns }, names) {
  const table = { n };
  for (const name of names) table[name] = columns[name] ? readColumn(bytes, columns[name], n) : new Uint32Array(n);
  return table;
}

const TABLES = {
  callbacks: ['begin', 'duration', 'kind', 'flags', 'depth', 'location', 'resource', 'ticks', 'microtasks', 'cause', 'causeThread',
    'causeBack', 'causeAgo', 'causeStack'],
  resources: ['kind', 'number', 'created', 'closed', 'stack', 'createdBy', 'owner', 'starts', 'callbacks', 'isDescribed'],
  requests: ['begin', 'kind', 'resource', 'stack', 'begunBy', 'handle', 'poolThread', 'poolBegin', 'poolEnd', 'callback'],
  fires: ['callback', 'due', 'delay', 'repeats'],
  phases: ['begin', 'duration', 'phase'],
  polls: ['begin', 'duration', 'timeout', 'ready'],
  turns: ['begin', 'number'],
  spans: ['begin', 'duration', 'isOpen', 'kind', 'label', 'status', 'bytes', 'owner', 'callback'],
  marks: ['at', 'label', 'callback'],
  counters: ['at', 'kind', 'value'],
  collections: ['begin', 'duration', 'isFull'],
  findings: ['at', 'kind', 'label', 'stack', 'number', 'callback'],
  losses: ['begin', 'duration', 'records'],
};

const THREW = 1;
const CUT = 2;
const HAS_CALLER = 4;

// The trace, as typed arrays.
const trace = {};

// Reads everything. `progress` is called between threads, so that the page can be painted.
async function readTrace(progress) {
  Object.assign(trace, JSON.parse(document.getElementById('trace-header').textContent));
  trace.sources = new Map(trace.sources);
  await progress('Decoding');
  const element = document.getElementById('trace-tables');
  const bytes = decodeBase64(element.textContent.trim());
  element.remove();
  for (const [number, thread] of trace.threads.entries()) {
    await progress(`Reading thread ${number + 1} of ${trace.threads.length}`);
    for (const name in TABLES) thread[name] = readTable(bytes, thread[name], TABLES[name]);
    thread.number = number;
    thread.name ||= `thread ${number + 1}`;
    finishCallbacks(thread);
    finishResources(thread);
    thread.fireOf = new Map();
    for (let i = 0; i < thread.fires.n; i++) thread.fireOf.set(thread.fires.callback[i], i);
    thread.requestOf = new Map();
    for (let i = 0; i < thread.requests.n; i++) {
      if (thread.requests.callback[i]) thread.requestOf.set(thread.requests.callback[i] - 1, i);
    }
  }
  for (const process of trace.processes) {
    for (const thread of process.pool) {
      thread.tasks = readTable(bytes, thread.tasks, ['begin', 'duration', 'wait', 'thread', 'request']);
      thread.tasks.end = ends(thread.tasks);
    }
  }
  trace.messages = readTable(bytes, trace.messages,
    ['bytes', 'sentThread', 'sentAt', 'receivedThread', 'receivedAt', 'callback']);
  trace.messageOf = new Map();
  for (let i = 0; i < trace.messages.n; i++) {
    const { receivedThread, callback } = trace.messages;
    if (callback[i]) trace.messageOf.set(`${receivedThread[i] - 1}:${callback[i] - 1}`, i);
  }
  trace.callbackCount = trace.threads.reduce((sum, thread) => sum + thread.callbacks.n, 0);
  trace.end = Math.max(trace.end, 1);
}

function ends({ n, begin, duration }) {
  const end = new Float64Array(n);
  for (let i = 0; i < n; i++) end[i] = begin[i] + duration[i];
  return end;
}

// Adds to the callbacks what the file leaves out: their ends, parents and own times.
function finishCallbacks({ callbacks }) {
  const { n, depth, duration } = callbacks;
  callbacks.end = ends(callbacks);
  callbacks.parent = new Int32Array(n).fill(-1);
  callbacks.own = Float64Array.from(duration);
  const open = [];
  for (let i = 0; i < n; i++) {
    open.length = Math.min(depth[i], open.length);
    if (open.length > 0) {
      const parent = open[open.length - 1];
      callbacks.parent[i] = parent;
      callbacks.own[parent] = Math.max(0, callbacks.own[parent] - duration[i]);
    }
    open.push(i);
  }
}

function finishResources({ resources, descriptions }) {
  let next = 0;
  resources.description = Array.from(resources.isDescribed, (isDescribed) => (isDescribed ? descriptions[next++] : ''));
}

// The cause of a callback: { kind, at, stack, thread, callback }, where `callback` is -1 outside of callbacks. Null if unknown.
function causeOf(thread, index) {
  const c = thread.callbacks;
  if (!c.cause[index]) return null;
  return {
    kind: trace.causeNames[c.cause[index] - 1],
    at: c.begin[index] - c.causeAgo[index],
    stack: c.causeStack[index],
    thread: trace.threads[c.causeThread[index] - 1],
    callback: c.flags[index] & HAS_CALLER ? index - c.causeBack[index] : -1,
  };
}

// The callbacks that a callback caused, at most `most`: [thread, index].
function effectsOf(thread, index, most) {
  const found = [];
  for (const other of trace.threads) {
    const { n, flags, causeThread, causeBack } = other.callbacks;
    const from = other === thread ? index + 1 : 0;
    for (let i = from; i < n && found.length < most; i++) {
      if (flags[i] & HAS_CALLER && i - causeBack[i] === index && causeThread[i] - 1 === thread.number) found.push([other, i]);
    }
  }
  return found;
}

// Names.

// The file without its folders; modules of the runtime have names like `node:http/server`.
function fileName(path) {
  return /^(node|phasor):/.test(path) ? path : path.slice(path.lastIndexOf('/') + 1);
}

// The place of a location: `server.js:12`.
function shortPlace(id) {
  const [, file, line] = trace.locations[id];
  return line ? `${fileName(file)}:${line}` : fileName(file);
}

function longPlace(id) {
  const [, file, line, column] = trace.locations[id];
  return line ? `${file}:${line}${column ? `:${column}` : ''}` : file;
}

function kindName(kind) {
  return trace.callbackNames[kind] ?? 'callback';
}

// The name of a callback: its function, else its place, else why it ran.
function callbackName(thread, index) {
  const { location, kind } = thread.callbacks;
  const [name, file] = trace.locations[location[index]];
  if (name) return name;
  if (file) return shortPlace(location[index]);
  const request = thread.requestOf.get(index);
  if (request !== undefined) return `${trace.resourceNames[thread.requests.kind[request]] ?? 'request'} done`;
  return kindName(kind[index]);
}

// A resource for people: `tcp 127.0.0.1:80`, `timeout 17`. `index` is one more than the row.
function resourceName(thread, index) {
  if (!index) return '';
  const { kind, number, description } = thread.resources;
  const name = trace.resourceNames[kind[index - 1]] ?? 'resource';
  if (description[index - 1]) return `${name} ${description[index - 1]}`;
  return number[index - 1] ? `${name} ${number[index - 1]}` : name;
}

function spanName(thread, index) {
  const { kind, label } = thread.spans;
  return trace.labels[label[index]] || trace.spanNames[kind[index]] || 'span';
}

// Times.

// A duration with three digits: `1.23 ms`.
function formatDuration(ns) {
  const digits = (number, unit) => `${number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2)}\u202f${unit}`;
  if (ns < 0) return `−${formatDuration(-ns)}`;
  if (ns < 999.5) return `${Math.round(ns)}\u202fns`;
  if (ns < 999.5e3) return digits(ns / 1e3, 'µs');
  if (ns < 999.5e6) return digits(ns / 1e6, 'ms');
  if (ns < 120e9) return digits(ns / 1e9, 's');
  return `${Math.floor(ns / 60e9)}\u202fmin ${Math.round((ns % 60e9) / 1e9)}\u202fs`;
}

// A time since the start of the trace, as exact as the `step` in which the caller counts.
function formatTime(ns, step = 1) {
  const decimals = (unit) => Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9)));
  if (Math.abs(ns) >= 1e9 || step >= 1e8) return `${(ns / 1e9).toFixed(decimals(1e9))}\u202fs`;
  if (Math.abs(ns) >= 1e6 || step >= 1e5) return `${(ns / 1e6).toFixed(decimals(1e6))}\u202fms`;
  if (Math.abs(ns) >= 1e3 || step >= 1e2) return `${(ns / 1e3).toFixed(decimals(1e3))}\u202fµs`;
  return `${ns.toFixed(0)}\u202fns`;
}

function formatCount(number) {
  return number.toLocaleString('en-US');
}

function formatPercent(part, whole) {
  const percent = whole > 0 ? (100 * part) / whole : 0;
  return `${percent >= 10 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)}\u202f%`;
}

function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes}\u202fB`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)}\u202fkB`;
  return `${(bytes / 1e6).toFixed(1)}\u202fMB`;
}

