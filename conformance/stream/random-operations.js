// Random operations on streams of every kind: the order of events and callbacks, and the state after each operation, printed as a hash.
// `node random-operations.js 17` prints the whole log of program 17 instead.
const { createHash } = require('crypto');
const { Duplex, PassThrough, Readable, Transform, Writable } = require('stream');

const events = ['close', 'drain', 'end', 'finish', 'pause', 'pipe', 'prefinish', 'resume', 'unpipe'];

// The xorshift generator: the same numbers for the same seed.
function generator(seed) {
  let state = Math.imul(seed, 2654435761) >>> 0 || 1;
  const next = (limit) => {
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return state % limit;
  };
  for (let skipped = 0; skipped < 10; skipped++) next(2);
  return next;
}

function flagsOf(state) {
  return state[Object.getOwnPropertySymbols(state).find((symbol) => symbol.description === 'kState')];
}

function stateOf({ _readableState: readable, _writableState: writable }) {
  const shown = [];
  if (readable) shown.push('R', flagsOf(readable), readable.length, readable.flowing, readable.buffer.length);
  if (writable) shown.push('W', flagsOf(writable), writable.length, writable.pendingcb, writable.writelen);
  return shown.join(' ');
}

const nameOf = (error) => error && (error.code || error.message);

async function run(seed) {
  const random = generator(seed);
  const lines = [];
  const log = (...words) => lines.push(words.join(' '));
  const objectMode = random(4) === 0;
  const text = (chunk) => (objectMode ? JSON.stringify(chunk) : `${typeof chunk} ${chunk}`);

  function makeChunk() {
    if (objectMode) return { value: random(100) };
    if (random(5) === 0) return `text ${random(100)}`;
    return random(12) === 0 ? new Uint8Array(1 + random(3)).fill(97) : Buffer.alloc(1 + random(6), 'x');
  }

  function later(callback) {
    [callback, () => process.nextTick(callback), () => queueMicrotask(callback), () => setImmediate(callback), callback][random(5)]();
  }

  // Runs a callback later. What it throws is part of the log.
  function laterLogged(name, callback) {
    later(() => {
      try {
        callback();
        log(name, 'done', stateOf(stream));
      } catch (error) {
        log(name, 'threw', nameOf(error));
      }
    });
  }

  let left = random(12);
  function read(size) {
    log('_read', size, stateOf(this));
    const count = random(4);
    if (count === 0) return;
    laterLogged('_read', () => {
      for (let at = 0; at < Math.max(count - 1, 1); at++) {
        if (left-- <= 0) {
          this.push(null);
          break;
        }
        log('pushed', this.push(makeChunk()), stateOf(this));
      }
    });
  }

  function write(chunk, encoding, callback) {
    log('_write', text(chunk), encoding, stateOf(this));
    const error = random(40) === 0 ? new Error('write') : undefined;
    const isDouble = random(60) === 0;
    laterLogged('_write', () => {
      callback(error);
      if (isDouble) callback();
    });
  }

  function writev(chunks, callback) {
    log('_writev', chunks.length, chunks.allBuffers, stateOf(this));
    later(callback);
  }

  function transform(chunk, encoding, callback) {
    log('_transform', encoding, stateOf(this));
    const way = random(10);
    laterLogged('_transform', () => {
      if (way === 0) return callback();
      if (way === 1) return callback(random(4) === 0 ? new Error('transform') : null);
      if (way === 2 && random(3) === 0) this.push(null);
      else if (way < 5) this.push(chunk);
      callback(null, way % 2 === 0 ? chunk : undefined);
    });
  }

  const options = {
    objectMode,
    highWaterMark: [0, 1, 2, 5, 16][random(5)],
    encoding: !objectMode && random(6) === 0 ? 'utf8' : undefined,
    decodeStrings: random(8) !== 0,
    emitClose: random(8) !== 0,
    autoDestroy: random(8) !== 0,
    allowHalfOpen: random(3) !== 0,
  };
  const kind = [Readable, Writable, Transform, PassThrough, Duplex][random(5)];
  if (kind === Readable || kind === Duplex) options.read = read;
  if (kind === Writable || kind === Duplex) options.write = write;
  if (options.write && random(2) === 0) options.writev = writev;
  if (kind === Writable && random(3) === 0) options.final = later;
  if (kind === Transform) options.transform = transform;
  if (kind === Transform && random(2) === 0) options.flush = (callback) => later(() => callback(null, makeChunk()));
  const stream = new kind(options);
  for (const event of events) stream.on(event, () => log(event, stateOf(stream)));
  stream.on('error', (error) => log('error', nameOf(error), stateOf(stream)));

  function onData(chunk) {
    log('data', text(chunk), stateOf(stream));
    if (random(8) === 0) stream.pause();
  }

  function onReadable() {
    log('readable', stateOf(stream));
    for (let count = random(4); count > 0; count--) {
      const chunk = stream.read();
      log('read', text(chunk), stateOf(stream));
      if (chunk === null) break;
    }
  }

  async function iterate() {
    try {
      for await (const chunk of stream) {
        log('iterated', text(chunk));
        if (random(6) === 0) break;
      }
      log('iteration ended');
    } catch (error) {
      log('iteration threw', nameOf(error));
    }
  }

  let sink;
  function pipe() {
    sink = new Writable({ objectMode, highWaterMark: 1 + random(4), write: (chunk, encoding, callback) => later(callback) });
    sink.on('error', (error) => log('error of the sink', nameOf(error)));
    stream.pipe(sink);
  }

  let written = 0;
  function writeChunk() {
    const number = written++;
    if (random(2) === 0) return stream.write(makeChunk());
    return stream.write(makeChunk(), (error) => log('written', number, nameOf(error), stateOf(stream)));
  }

  function end() {
    const way = random(10);
    if (way === 0) stream.end((error) => log('ended', nameOf(error)));
    else if (way === 1) stream.end(makeChunk());
  }

  const either = [() => stream.destroy(random(2) === 0 ? new Error('destroy') : undefined)];
  const forReading = [
    () => stream.on('data', onData), () => stream.on('readable', onReadable), () => stream.removeListener('data', onData),
    () => stream.removeListener('readable', onReadable), () => stream.pause(), () => stream.resume(), () => text(stream.read()),
    () => text(stream.read(random(5))), () => stream.push(makeChunk()), () => stream.unshift(makeChunk()), pipe,
    () => stream.unpipe(sink), () => (random(3) === 0 ? stream.push(null) : undefined),
    () => (random(3) === 0 ? stream.setEncoding('utf8') : undefined), () => (random(3) === 0 ? void iterate() : undefined),
  ];
  const forWriting = [
    writeChunk, writeChunk, writeChunk, writeChunk, writeChunk, () => stream.cork(), () => stream.uncork(),
    () => stream.setDefaultEncoding('latin1'), end,
  ];
  const waits = [() => null, () => new Promise(process.nextTick), () => new Promise(setImmediate)];
  for (let step = 0; step < 40; step++) {
    const lists = [waits, random(25) === 0 ? either : waits];
    if (kind !== Writable) lists.push(forReading, forReading);
    if (kind !== Readable) lists.push(forWriting, forWriting);
    const list = lists[random(lists.length)];
    const at = random(list.length);
    try {
      const result = await list[at]();
      log('operation', lists.indexOf(list), at, typeof result, stateOf(stream));
    } catch (error) {
      log('operation', lists.indexOf(list), at, 'threw', nameOf(error));
    }
  }
  for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
  log('at last', stateOf(stream));
  return lines;
}

async function main() {
  if (process.argv.length > 2) {
    console.log((await run(+process.argv[2])).join('\n'));
    return;
  }
  for (let first = 1; first <= 300; first += 25) {
    const hash = createHash('sha256');
    let lines = 0;
    for (let seed = first; seed < first + 25; seed++) {
      const log = await run(seed);
      lines += log.length;
      hash.update(log.join('\n'));
    }
    console.log(`programs from ${first}: ${lines} lines, ${hash.digest('hex').slice(0, 16)}`);
  }
}

main();
