'use strict';
// Standard streams of a worker, both sides. A chunk is sent at once, the next one waits for the acknowledgement;
// streams that are not captured are piped to the parent's own.

const process = require('process');
const channel = require('internal/port');

// A Writable that sends chunks through a port. `waits` is called with each change of the number of unacknowledged writes.
function makeWritable(port, name, waits) {
  const { Writable } = require('stream');
  let callbacks = [];
  const stream = new Writable({
    decodeStrings: false,
    writev(chunks, callback) {
      const flat = [];
      for (const { chunk, encoding } of chunks) flat.push(chunk, encoding);
      channel.say(port, ['chunks', name, flat]);
      if (process._exiting) {
        callback();
        return;
      }
      callbacks.push(callback);
      waits(1);
    },
    final(callback) {
      channel.say(port, ['chunks', name, [null, '']]);
      callback();
    },
  });
  return {
    stream,
    // The other side has acknowledged its chunks.
    taken() {
      const done = callbacks;
      callbacks = [];
      waits(-done.length);
      for (const callback of done) callback();
    },
  };
}

// A Readable that receives chunks from a port.
function makeReadable(port, name, started = () => {}) {
  const { Readable } = require('stream');
  let reading = false;
  const stop = () => {
    if (reading) started(false);
    reading = false;
  };
  const stream = new Readable({
    read() {
      if (!reading) {
        reading = true;
        started(true);
      }
      channel.say(port, ['taken', name]);
    },
    destroy(error, callback) {
      stop();
      callback(error);
    },
  });
  return stream.on('end', stop);
}

function push(stream, flat) {
  for (let at = 0; at < flat.length; at += 2) stream.push(flat[at], flat[at + 1]);
}

// True if the parent's stream was created; until then the console writes to the descriptor directly.
function isMade(name) {
  return Object.getOwnPropertyDescriptor(process, name)?.get?.made !== false;
}

function pass(name, flat) {
  for (let at = 0; at < flat.length; at += 2) {
    const chunk = flat[at];
    if (chunk === null) continue;
    if (typeof chunk === 'string' && (flat[at + 1] === 'utf8' || flat[at + 1] === '') && !isMade(name)) {
      require('internal/console').direct(name === 'stderr', chunk);
    } else {
      process[name].write(chunk, flat[at + 1]);
    }
  }
}

// Many workers may be piped to one stream: avoid the MaxListenersExceededWarning (`lib/internal/worker.js:
// pipeWithoutWarning`).
function pipe(source, target) {
  const most = target._maxListeners;
  target.setMaxListeners(Infinity);
  source.pipe(target);
  target._maxListeners = most;
}

// The parent's side of a worker's standard streams.
class WorkerStdio {
  #port;
  #input;
  #outputs = { __proto__: null };
  #captured;
  #ended = false;
  #refs = 0;

  constructor(options, port) {
    this.#port = port;
    this.#captured = { __proto__: null, stdout: Boolean(options.stdout), stderr: Boolean(options.stderr) };
    if (options.stdin) this.#input = makeWritable(port, 'stdin', (change) => this.#ref(change));
  }

  #ref(change) {
    this.#refs += change;
    if (!this.#ended) channel.setRef(this.#port, this.#refs > 0);
  }

  get stdin() { return this.#input?.stream ?? null; }
  get stdout() { return this.#output('stdout'); }
  get stderr() { return this.#output('stderr'); }

  #output(name) {
    if (this.#outputs[name] !== undefined) return this.#outputs[name];
    const captured = this.#captured[name];
    const stream = makeReadable(this.#port, name, (flag) => { if (captured) this.#ref(flag ? 1 : -1); });
    this.#outputs[name] = stream;
    if (this.#ended) stream.push(null);
    if (!captured) pipe(stream, process[name]);
    return stream;
  }

  heard(what, name, rest) {
    if (what === 'taken') {
      this.#input?.taken();
      return;
    }
    const flat = what === 'text' ? [rest, 'utf8'] : rest;
    if (this.#captured[name] || this.#outputs[name] !== undefined) {
      push(this.#output(name), flat);
      return;
    }
    pass(name, flat);
    if (what === 'chunks') channel.say(this.#port, ['taken', name]);
  }

  end() {
    this.#ended = true;
    for (const name of ['stdout', 'stderr']) {
      const stream = this.#outputs[name];
      if (stream !== undefined && !stream.readableEnded) stream.push(null);
    }
  }
}

// The worker's side: `process.stdin`, `process.stdout` and `process.stderr`.
let control;
let refs = 0;
const outputs = { __proto__: null };
let input;
let hasInput = false;

function refControl(change) {
  refs += change;
  channel.setRef(control, refs > 0);
}

function begin(port, hasStdin) {
  control = port;
  hasInput = hasStdin;
}

function makeOutput(fd) {
  const name = fd === 2 ? 'stderr' : 'stdout';
  outputs[name] = makeWritable(control, name, refControl);
  return outputs[name].stream;
}

function makeInput() {
  input = makeReadable(control, 'stdin', (flag) => refControl(flag ? 1 : -1));
  if (!hasInput) input.push(null);
  return input;
}

function heard(what, name, flat) {
  if (what === 'taken') outputs[name]?.taken();
  else if (what === 'chunks') push(process.stdin, flat);
}

// Sends all pending chunks without waiting for acknowledgements; called at exit.
function flush() {
  for (const name of ['stdout', 'stderr']) outputs[name]?.taken();
}

module.exports = { begin, flush, forWorker: (options, port) => new WorkerStdio(options, port), heard, makeInput, makeOutput };
