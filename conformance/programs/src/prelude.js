// The common code of the programs in a file. A test with virtual time defines `world`; otherwise the real clock is used.
const { MessageChannel } = require('node:worker_threads');
const cell = new Int32Array(new SharedArrayBuffer(4));
const clock = () => Number(process.hrtime.bigint()) / 1e6;
const world = globalThis.world ?? {
  advance(ms) {
    // Blocks from the start of a unit to the start of another, independent of the time that callbacks took.
    const unit = Math.floor((clock() - began) / UNIT + 0.25);
    const until = began + unit * UNIT + ms + 0.3;
    for (let left; (left = until - clock()) > 0;) Atomics.wait(cell, 0, 0, left);
  },
  tell: (text) => console.log(text),
};

const MOST = 1000;
let at = 0, began = 0, lines, T, I, P, settlers, answers, listens, posted;

const say = (text) => {
  if (lines.push(text) < MOST) return;
  world.tell(lines.join() + ',endless');
  process.exit(1);
};
const on = say;
const error = (number) => Object.assign(new Error('wanted'), { number });
const blame = (error) => error?.number ?? 'cycle';
const nth = (list, n) => (list.length ? list[n % list.length] : undefined);
const advance = (units) => world.advance(units * UNIT);
const answer = () => answers.shift()?.();

function promise(fate, number) {
  if (fate === 'pending') {
    let settler;
    P.push(new Promise((keep, fail) => { settler = { keep, fail }; }));
    settlers.set(P.at(-1), settler);
  } else {
    P.push(fate === 'fulfilled' ? Promise.resolve() : Promise.reject(error(number)));
  }
}
const keep = (n, value) => settlers.get(nth(P, n))?.keep(value);
const fail = (n, number) => settlers.get(nth(P, n))?.fail(error(number));
function then(n, kept, broken) {
  const promise = nth(P, n);
  if (promise) P.push(promise.then(kept, broken));
}

const { port1, port2 } = new MessageChannel();
port2.on('message', () => {
  if (posted.length === 1) port2.unref();
  posted.shift()();
});
port2.unref();
function post(body) {
  if (posted.push(body) === 1) port2.ref();
  port1.postMessage(0);
}

process.on('uncaughtException', (error, origin) => {
  say(`uncaught ${blame(error)}${origin === 'unhandledRejection' ? ' rejection' : ''}`);
  answer();
});
const onRejection = (error, promise) => {
  say(`unhandled ${blame(error)} ${P.indexOf(promise)}`);
  answer();
};
process.on('rejectionHandled', (promise) => {
  say(`handled ${P.indexOf(promise)}`);
  answer();
});

// Removes what a program left: timers, empty lists of unreferenced timers, and the wake-up time of the loop.
function tidy() {
  process.off('unhandledRejection', onRejection);
  I.forEach(clearImmediate);
  T.forEach(clearTimeout);
  for (let units = 1; units <= LONGEST; units++) clearTimeout(setTimeout(() => {}, units * UNIT));
  setTimeout(() => {}, (LONGEST + 1) * UNIT);
}

function begin(program) {
  lines = [], T = [], I = [], P = [], settlers = new Map(), posted = [];
  answers = program.answers;
  if (program.listens) process.on('unhandledRejection', onRejection);
  const run = () => {
    began = clock();
    program.body();
  };
  switch (program.root) {
    case 'main': return run();
    case 'immediate': return void setImmediate(run);
    case 'timer': return void setTimeout(run, UNIT);
    case 'message': return post(run);
  }
}

// The loop is empty: a program has ended, or its remains were removed.
process.on('beforeExit', () => {
  if (lines) {
    world.tell(lines.join());
    lines = undefined;
    if (at + 1 < programs.length) tidy();
  } else if (++at < programs.length) {
    begin(programs[at]);
  }
});
