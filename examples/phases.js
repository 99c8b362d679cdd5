// One turn of the event loop, a line for each phase, as the loop itself noted them: which phase came when, how many events
// it handed out in it, and which callback of this script ran then.
//
//   cargo run --release -p phasor-cli -- examples/phases.js

const loop = require('phasor:loop'); // Node has no such module: there, the loop cannot be asked
const { MessageChannel } = require('node:worker_threads');

const explained = {
  timers: 'setTimeout and setInterval whose time has come',
  pending: 'what could not be told at once: a failed connect, a finished write',
  idle: 'the loop\'s own: while one is active, poll does not sleep (an immediate waits)',
  prepare: 'the loop\'s own: the last stop before it may sleep',
  poll: 'sockets, files, messages, signals; the one place where it sleeps',
  check: 'setImmediate, always after poll',
  closing: 'the close events of what was closed',
};

// Which callbacks ran in which of the phases that were walked.
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

// Until the timer is due, so that all of it happens in one turn.
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
