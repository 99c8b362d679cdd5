// What a signal throws when it is asked is an uncaught exception, in the context that the file was read in, and the callback is not called.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
process.on('uncaughtException', (error) => {
  console.log('uncaught', error.message, storage.getStore());
  setImmediate(next);
});

function signal(times, answer) {
  const made = new EventTarget();
  let asked = 0;
  Object.defineProperty(made, 'aborted', { get: () => ++asked >= times && answer() });
  return made;
}

const threw = () => {
  throw new Error('not to be asked');
};
const told = (...results) => {
  console.log('told', results.length, results[0]?.name, storage.getStore());
  setImmediate(next);
};

// One file is read after the other: the pool decides which of two reads ends first.
const reads = [
  ['bytes', __filename, { signal: signal(2, threw) }],
  ['text', __filename, { signal: signal(2, threw), encoding: 'utf8' }],
  ['digits', __filename, { signal: signal(2, threw), encoding: 'hex' }],
  ['aborted', __filename, { signal: signal(2, () => true), encoding: 'hex' }],
  ['well', __filename, { signal: signal(9, threw) }],
  ['missing', `${__filename}.not`, { signal: signal(9, threw), encoding: 'utf8' }],
];

function next() {
  const [name, file, options] = reads.shift() ?? [];
  if (name) storage.run(name, () => fs.readFile(file, options, told));
}
next();
