'use strict';
// Random lives of streams, from seeds: what happens is noted in its order, with the states, and each life is told by how many notes it
// has and their sum. `lives.js 7` prints the notes of one life.
const { Duplex, PassThrough, Readable, Transform, Writable, finished, pipeline } = require('stream');

const LIVES = 400;
const MOST_NOTES = 400;

let seed = 0;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 4294967296 * below);
};
const pick = (list) => list[random(list.length)];
const chance = (percent) => random(100) < percent;

// ---- Notes

let notes = [];
const isFull = () => notes.length >= MOST_NOTES;

function shown(value) {
  if (Buffer.isBuffer(value)) return `<${value}>`;
  if (value instanceof Error) return `${value.code || value.name}:${value.message}`;
  return typeof value === 'object' && value ? JSON.stringify(value) : String(value);
}

function note(...parts) {
  if (!isFull()) notes.push(parts.map(shown).join(' '));
}

const READABLE_BITS = [
  'ended', 'endEmitted', 'reading', 'sync', 'needReadable', 'emittedReadable', 'readableListening', 'resumeScheduled', 'readingMore',
  'dataEmitted', 'destroyed', 'errored', 'closed',
];
const WRITABLE_BITS = [
  'needDrain', 'ending', 'ended', 'finished', 'writing', 'sync', 'bufferProcessing', 'prefinished', 'destroyed', 'errored', 'closed',
];
const bits = (state, names) => names.map((name) => (state[name] ? 1 : 0)).join('');

function states(stream) {
  const { _readableState: r, _writableState: w } = stream;
  const awaits = r?.awaitDrainWriters;
  return [
    r && `r[${r.length} ${r.buffer.length - r.bufferIndex} ${r.flowing} ${bits(r, READABLE_BITS)} ${r.pipes.length} ` +
      `${awaits ? awaits.size ?? 1 : '-'} ${stream.isPaused()}]`,
    w && `w[${w.length} ${w.corked} ${w.pendingcb} ${w.writelen} ${w.bufferedRequestCount} ${bits(w, WRITABLE_BITS)}]`,
  ].filter(Boolean).join(' ');
}

// ---- What a life is made of

function chunk(objects) {
  if (objects) return pick([{ a: random(9) }, random(50), `text${random(9)}`, Buffer.from(`b${random(9)}`), '']);
  return pick([
    () => Buffer.alloc(1 + random(12), 97 + random(20)), () => Buffer.alloc(1 + random(4), 65), () => 's'.repeat(random(6)),
    () => new Uint8Array(random(4)).fill(65), () => Buffer.alloc(0), () => Buffer.from(`hé${random(9)}`),
  ])();
}

function later(call) {
  pick([call, call, () => process.nextTick(call), () => queueMicrotask(call), () => setImmediate(call)])();
}

function common(name, objects) {
  const options = {};
  if (objects) options.objectMode = true;
  if (chance(70)) options.highWaterMark = pick([0, 1, 2, 3, 8, 16, 40]);
  if (chance(10)) options.autoDestroy = false;
  if (chance(8)) options.emitClose = false;
  if (chance(15)) {
    options.destroy = (error, done) => {
      note(name, '_destroy', error);
      later(() => done(chance(80) ? error : new Error('own')));
    };
  }
  if (chance(10)) {
    options.construct = (done) => {
      note(name, '_construct');
      later(() => done(chance(90) ? null : new Error('in construct')));
    };
  }
  return options;
}

function source(options, name, objects) {
  const [isMany, isQuiet, isSync] = [chance(25), chance(12), chance(60)];
  const fails = chance(6) ? random(14) : -1;
  let left = random(14);
  if (!objects && chance(12)) options.encoding = pick(['utf8', 'hex', 'latin1']);
  const give = (stream) => {
    if (left === fails && chance(50)) throw new Error('thrown in read');
    if (left === fails) return stream.destroy(new Error('in read'));
    for (let i = isMany ? random(4) : 0; i >= 0 && left >= 0; i--) {
      note(name, 'pushed', stream.push(left-- > 0 ? chunk(objects) : null));
    }
  };
  options.read = function(size) {
    note(name, '_read', size, states(this));
    if (isFull()) this.destroy();
    else if (isSync && !isQuiet) give(this);
    else if (!isQuiet) later(() => attempt(name, () => give(this)));
  };
}

function sink(options, name) {
  const isSync = chance(55);
  const fails = chance(7) ? random(10) : -1;
  let at = 0;
  if (chance(15)) options.decodeStrings = false;
  options.write = function(bytes, encoding, done) {
    note(name, '_write', bytes, encoding, states(this));
    const end = () => {
      if (chance(2)) done();
      done(at++ === fails ? new Error('in write') : pick([undefined, null]));
    };
    if (isSync) end();
    else later(end);
  };
  if (chance(15)) {
    options.writev = (list, done) => {
      note(name, '_writev', list.allBuffers, ...list.map((entry) => entry.chunk));
      later(done);
    };
  }
  if (chance(25)) {
    options.final = (done) => {
      note(name, '_final');
      later(() => done(chance(90) ? null : new Error('in final')));
    };
  }
}

function transform(options, name, objects) {
  const isSync = chance(60);
  const fails = chance(8) ? random(8) : -1;
  let at = 0;
  options.transform = function(bytes, encoding, done) {
    note(name, '_transform', bytes, encoding);
    const end = () => {
      if (at++ === fails) return done(new Error('in transform'));
      if (chance(20)) this.push(chunk(objects));
      if (chance(10)) done();
      else done(null, chance(50) ? bytes : chunk(objects));
    };
    if (isSync) end();
    else later(end);
  };
  if (chance(30)) options.flush = (done) => later(() => done(null, chance(50) ? chunk(objects) : undefined));
}

function listen(stream, name) {
  const wrap = (method) => {
    const own = stream[method];
    stream[method] = function(...args) {
      const result = own.apply(this, args);
      note(name, `own ${method}`, args.length, method === 'emit' ? args[0] : '', typeof result);
      return result;
    };
  };
  for (const method of ['emit', 'push', 'read', 'write']) if (stream[method] && chance(7)) wrap(method);
  for (const event of ['close', 'end', 'finish', 'drain', 'pause', 'resume', 'prefinish']) {
    stream.on(event, () => note(name, event, states(stream)));
  }
  for (const event of ['pipe', 'unpipe']) stream.on(event, () => note(name, event));
  if (chance(92)) stream.on('error', (error) => note(name, 'error', error, states(stream)));
  if (chance(15)) finished(stream, (error) => note(name, 'finished', error));
  if (stream._readableState) pick([hearData, hearReadable, iterate, () => {}, () => {}, () => {}])(stream, name);
}

function hearData(stream, name) {
  stream.on('data', (bytes) => {
    note(name, 'data', bytes, states(stream));
    if (chance(15)) act(stream);
  });
}

function hearReadable(stream, name) {
  stream.on('readable', () => {
    note(name, 'readable', states(stream));
    let bytes;
    for (let i = 0; i < 20 && (bytes = stream.read(chance(20) ? random(5) : undefined)) !== null; i++) note(name, 'read', bytes);
  });
}

async function iterate(stream, name) {
  try {
    for await (const bytes of stream) {
      note(name, 'item', bytes, states(stream));
      if (chance(4)) break;
      if (chance(4)) throw new Error('in loop');
    }
    note(name, 'over');
  } catch (error) {
    note(name, 'loop', error);
  }
}

let all = [];

function make() {
  const objects = chance(40);
  const kind = pick(['Readable', 'Readable', 'Writable', 'Writable', 'Transform', 'PassThrough', 'Duplex']);
  const name = `${kind}${all.length}`;
  const options = common(name, objects);
  if (kind === 'Readable' || kind === 'Duplex') source(options, name, objects);
  if (kind === 'Writable' || kind === 'Duplex') sink(options, name);
  if (kind === 'Duplex' && chance(30)) options.allowHalfOpen = false;
  if (kind === 'Transform') transform(options, name, objects);
  const isFrom = kind === 'Readable' && objects && chance(12);
  const Kind = { Duplex, PassThrough, Readable, Transform, Writable }[kind];
  const stream = isFrom ? Readable.from([1, 2, 'x', Promise.resolve(4), 5].slice(random(4))) : new Kind(options);
  Object.assign(stream, { objects, label: name });
  listen(stream, name);
  all.push(stream);
}

// ---- What happens to them

function attempt(name, call) {
  try {
    call();
  } catch (error) {
    note(name, 'threw', error);
  }
}

const onWritable = [
  (s) => s.write(chunk(s.objects)),
  (s) => s.write(chunk(s.objects)),
  (s) => s.write(chunk(s.objects), (error) => note(s.label, 'written', error)),
  (s) => s.write(chunk(s.objects), pick(['utf8', 'hex', null])),
  (s) => s.cork(),
  (s) => s.uncork(),
  (s) => chance(40) && (chance(50) ? s.end() : s.end(chunk(s.objects), () => note(s.label, 'ended'))) && 'end',
];
const onReadable = [
  (s) => s.pause() && 'pause',
  (s) => s.resume() && 'resume',
  (s) => s.read(),
  (s) => s.read(0),
  (s) => s.read(random(10)),
  (s) => s.unshift(chunk(s.objects)),
  (s) => s.push(chance(90) ? chunk(s.objects) : null),
  (s) => chance(20) && s.setEncoding('utf8') && 'encoding',
  (s) => connect(s),
  (s) => connect(s),
];

function connect(stream) {
  const others = all.filter((other) => other._writableState && other !== stream && other.objects === stream.objects);
  if (others.length === 0) return;
  const other = pick(others);
  if (chance(75)) stream.pipe(other, chance(15) ? { end: false } : undefined);
  else stream.unpipe(chance(70) ? other : undefined);
  return other.label;
}

function act(stream) {
  if (isFull()) return;
  const acts = [...(stream._writableState ? onWritable : []), ...(stream._readableState ? onReadable : [])];
  attempt(stream.label, () => {
    const which = random(acts.length);
    note(stream.label, 'act', which, acts[which](stream), states(stream));
    if (chance(2)) stream.destroy(chance(50) ? new Error('destroyed') : undefined);
  });
}

function lineUp() {
  const first = all.find((stream) => stream._readableState);
  const rest = all.filter((stream) => stream !== first && stream._writableState && stream.objects === first?.objects);
  const line = rest.filter((stream, i) => i === rest.length - 1 || stream._readableState);
  if (line.length === 0) return;
  attempt('line', () => {
    if (chance(50)) pipeline(first, ...line, (error) => note('pipeline', error));
    else line.reduce((from, to) => from.pipe(to), first);
  });
}

// ---- The lives

process.on('uncaughtException', (error) => note('uncaught', error));
process.on('unhandledRejection', (error) => note('unhandled', error));
const turn = () => new Promise((resolve) => setImmediate(resolve));

function sum(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) >>> 0;
  return sum.toString(16);
}

async function live(number) {
  seed = Math.imul(number + 1, 2654435761) >>> 0;
  notes = [];
  all = [];
  for (let i = random(4); i >= 0; i--) make();
  if (chance(35)) lineUp();
  for (let rounds = 2 + random(10); rounds > 0; rounds--) {
    for (let i = random(5); i >= 0; i--) act(pick(all));
    await turn();
  }
  for (let still = 0, before = 0; still < 6; still = notes.length === before ? still + 1 : 0) {
    before = notes.length;
    await turn();
  }
  for (const stream of all) {
    note(stream.label, states(stream));
    stream.removeAllListeners().on('error', () => {});
  }
}

async function main() {
  const only = process.argv[2];
  if (only !== undefined) {
    await live(+only);
    console.log(notes.join('\n'));
    return;
  }
  const told = [];
  for (let number = 0; number < LIVES; number++) {
    await live(number);
    told.push(`${number}: ${notes.length} ${sum(notes.join('\n'))}`);
  }
  console.log(told.join('\n'));
}
main();
