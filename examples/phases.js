// Prints one turn of the event loop, a line per phase, as the loop recorded it: the order of the phases, how many events each returned,
// and which callbacks of this script ran in it.
//
//   cargo run --release -p phasor-cli -- examples/phases.js

const loop = require('phasor:loop'); // not in Node, whose loop has no such API
const { MessageChannel } = require('node:worker_threads');

const explained = {
  timers: 'callbacks of setTimeout and setInterval that are due',
  pending: 'results of earlier operations: a failed connect, a finished write',
  idle: 'internal: while an idle handle is active, poll does not wait (an immediate is queued)',
  prepare: 'internal: runs before the loop may wait',
  poll: 'sockets, files, messages, signals; the only phase that waits',
  check: 'setImmediate, always after poll',
  closing: 'close events',
};

// The callbacks that ran in each recorded phase.
const ran = {};
const here = (what) => (ran[loop.walked().length - 1] ??= []).push(what);

const { port1, port2 } = new MessageChannel();
port2.on('message', () => here('port.on("message")'));
port2.on('close', () => here('port.on("close")'));

setTimeout(() => {
  here('setTimeout');
  process.nextTick(() => here('its nextTick'));
  queueMicrotask(() => here('its microtask'));
  port1.postMessage('hello');
  setImmediate(() => {
    here('setImmediate');
    port2.close();
  });
}, 1);

// Busy-waits until the timer is due, so that everything happens in one turn.
for (const began = process.hrtime.bigint(); process.hrtime.bigint() - began < 3_000_000n;);
loop.watch();

process.on('exit', () => {
  const turn = loop.walked();
  const first = turn.findIndex(({ phase }) => phase === 'timers');
  for (const [at, { phase, events }] of turn.entries()) {
    if (at < first || at >= first + 7) continue;
    const callbacks = ran[at] ? `  <- ${ran[at].join(', ')}` : '';
    console.log(`${events ? '●' : '·'} ${phase.padEnd(8)} ${explained[phase]}${callbacks}`);
  }
});
