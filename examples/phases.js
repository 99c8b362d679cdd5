// One turn of the event loop, a line for each phase, in order.
//
//   phasor examples/phases.js      (Node prints the same)
//
// Each step starts the next one and nothing else is under way, so no clock and no luck decides the order.
// ● a callback of this script runs in the phase
// · the phase is walked, but has no callback for a script like this one

const fs = require('node:fs');
const { MessageChannel } = require('node:worker_threads');

const line = (mark, name, what) => console.log(`${mark} ${name.padEnd(9)} ${what}`);

// Says which phase it is. Before the loop goes on, what the callback put off runs: ticks first, then microtasks.
function phase(name, what) {
  line('●', name, what);
  queueMicrotask(() => line(' ', 'microtask', '  then what promises and queueMicrotask put off'));
  process.nextTick(() => line(' ', 'nextTick', '  right after the callback'));
}

const { port1: port } = new MessageChannel();

setTimeout(() => {
  phase('timers', 'setTimeout and setInterval whose time has come');
  // A microtask made by a tick waits behind those that are there: these lines come after the two of `phase`.
  process.nextTick(() => queueMicrotask(() => {
    line('·', 'pending', 'what could not be told at once: a failed connect, a finished write');
    line('·', 'idle', 'the loop\'s own: while one is active, poll does not sleep');
    line('·', 'prepare', 'the loop\'s own: the last stop before it sleeps');
  }));

  fs.stat('.', () => {
    phase('poll', 'sleeps until something happens; here a file was looked up by a thread');

    setImmediate(() => {
      phase('check', 'setImmediate, always after poll');
      port.close();
    });
  });
}, 1);

port.on('close', () => {
  phase('closing', 'the close events of what was closed; here a MessagePort');

  setTimeout(() => line('●', 'timers', 'the next turn; nothing is left, so the loop ends'), 1);
});

phase('main', 'the script itself runs before the first turn');
