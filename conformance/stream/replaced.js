// Programs replace methods of streams, of their prototypes and of `process`: each is called whenever Node calls it.
const { Duplex, PassThrough, Readable, Transform, Writable, pipeline } = require('stream');
const EventEmitter = require('events');

// Counts the calls of a method, until the function that this returns is called.
function tell(object, name, label) {
  const had = Object.getOwnPropertyDescriptor(object, name);
  const method = object[name];
  let calls = 0;
  object[name] = function(...args) {
    calls++;
    return method.apply(this, args);
  };
  return () => {
    if (had) Object.defineProperty(object, name, had);
    else delete object[name];
    return `  ${label} ${calls}`;
  };
}

const isText = (chunk) => typeof chunk === 'string';
const count = 40;

function life(title, before, options = {}) {
  console.log(title);
  return new Promise((resolve) => setImmediate(() => {
    const { objectMode = false, slow = false } = options;
    let left = count;
    let got = 0;
    const source = new Readable({ objectMode, highWaterMark: 4, read() { this.push(left-- > 0 ? Buffer.from('ab') : null); } });
    const middle = new Transform({ objectMode, highWaterMark: 4, transform(chunk, encoding, done) { done(null, chunk); } });
    const through = new PassThrough({ objectMode, highWaterMark: 4 });
    const sink = new Writable({
      objectMode,
      highWaterMark: 4,
      write(chunk, encoding, done) {
        got += isText(chunk) ? 1 : chunk.length;
        if (slow) setImmediate(done);
        else done();
      },
    });
    const after = before({ source, middle, through, sink });
    pipeline(source, middle, through, sink, (error) => {
      setImmediate(() => {
        // Printing writes to a stream as well: only when all is as it was.
        const lines = after.map((done) => done());
        console.log(lines.join('\n'));
        console.log('  got', got, error);
        resolve();
      });
    });
  }));
}

async function main() {
  for (const options of [{}, { objectMode: true }, { slow: true }]) {
    const kind = JSON.stringify(options);
    await life(`own methods ${kind}`, ({ source, middle, through, sink }) => [
      tell(source, 'push', 'source.push'), tell(source, 'read', 'source.read'), tell(source, '_read', 'source._read'),
      tell(source, 'emit', 'source.emit'), tell(source, 'pause', 'source.pause'), tell(source, 'resume', 'source.resume'),
      tell(middle, '_transform', 'middle._transform'), tell(middle, '_write', 'middle._write'), tell(middle, 'push', 'middle.push'),
      tell(middle, 'write', 'middle.write'), tell(through, '_read', 'through._read'), tell(through, '_transform', 'through._transform'),
      tell(through, 'emit', 'through.emit'), tell(sink, 'write', 'sink.write'), tell(sink, '_write', 'sink._write'),
      tell(sink, 'emit', 'sink.emit'), tell(sink._writableState, 'onwrite', 'sink onwrite'),
    ], options);
    await life(`methods of prototypes ${kind}`, () => [
      tell(Readable.prototype, 'push', 'push'), tell(Readable.prototype, 'read', 'read'), tell(Readable.prototype, 'resume', 'resume'),
      tell(Readable.prototype, 'pause', 'pause'), tell(Writable.prototype, 'write', 'write'), tell(Duplex.prototype, 'write', 'duplex write'),
      tell(Transform.prototype, '_write', '_write'), tell(Transform.prototype, '_read', '_read'),
      tell(PassThrough.prototype, '_transform', '_transform'), tell(EventEmitter.prototype, 'emit', 'emit'),
    ], options);
    await life(`nextTick ${kind}`, () => [tell(process, 'nextTick', 'nextTick')], options);
  }
  // A tick that is taken at once changes the order, and nothing breaks.
  const { nextTick } = process;
  const told = [];
  const readable = new Readable({ objectMode: true, read() {} });
  readable.on('data', (chunk) => told.push(`data ${chunk}`)).on('resume', () => told.push('resume'));
  await new Promise((resolve) => setImmediate(resolve));
  process.nextTick = (callback, ...args) => callback(...args);
  readable.push(1);
  readable.pause();
  readable.push(2);
  readable.resume();
  const writable = new Writable({ objectMode: true, write(chunk, encoding, done) { told.push(`write ${chunk}`); done(); } });
  writable.write('a', () => told.push('written a'));
  writable.write('b');
  process.nextTick = nextTick;
  console.log(told.join());

  // Properties of the states that somebody watches.
  const watched = new Writable({ write(chunk, encoding, done) { done(); } });
  const seen = [];
  let length = 0;
  Object.defineProperty(watched._writableState, 'length', {
    get() { return length; },
    set(value) { seen.push(`length ${value}`); length = value; },
  });
  watched.write(Buffer.from('abc'));
  watched.write('de', () => seen.push('called back'));
  await new Promise((resolve) => setImmediate(resolve));
  console.log(seen.join());

  // What is called on nothing that it could be called on.
  for (const name of ['push', 'read', 'resume', 'pause', 'write']) {
    for (const of of [undefined, {}, 5]) {
      try {
        (Readable.prototype[name] ?? Writable.prototype[name]).call(of, 'chunk');
        console.log(name, 'went well');
      } catch (error) {
        console.log(name, error.name);
      }
    }
  }

  // Chunks of other kinds.
  const kinds = [new Uint8Array([65]), new DataView(new ArrayBuffer(2)), new Uint16Array(2), Buffer.alloc(0), 'text', '', undefined, {}, 5, null];
  for (const chunk of kinds) {
    const says = [];
    const say = (name) => (error) => says.push(`${name} ${error?.code}`);
    const into = new Writable({ write(bytes, encoding, done) { says.push(Buffer.isBuffer(bytes), bytes.length, encoding); done(); } });
    into.on('error', say('error'));
    try { says.push(into.write(chunk)); } catch (error) { says.push(error.code); }
    const out = new Readable({ read() {} });
    out.on('data', (bytes) => says.push('data', Buffer.isBuffer(bytes), bytes.length)).on('error', say('error')).on('end', () => says.push('end'));
    try { says.push(out.push(chunk)); } catch (error) { says.push(error.code); }
    await new Promise((resolve) => setImmediate(resolve));
    console.log(says.join());
  }
}
main();
