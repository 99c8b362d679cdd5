// What a signal throws when it is asked is an uncaught exception, in the context that the file was read in, and the callback is not called.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
process.on('uncaughtException', (error) => console.log('uncaught', error.message, storage.getStore()));

function signal(times, answer) {
  const made = new EventTarget();
  let asked = 0;
  Object.defineProperty(made, 'aborted', { get: () => ++asked >= times && answer() });
  return made;
}

const threw = () => {
  throw new Error('not to be asked');
};
const told = (...results) => console.log('told', results.length, results[0]?.name, storage.getStore());

storage.run('bytes', () => fs.readFile(__filename, { signal: signal(2, threw) }, told));
setTimeout(() => storage.run('text', () => {
  fs.readFile(__filename, { signal: signal(2, threw), encoding: 'utf8' }, told);
}), 20);
setTimeout(() => storage.run('digits', () => {
  fs.readFile(__filename, { signal: signal(2, threw), encoding: 'hex' }, told);
}), 40);
setTimeout(() => storage.run('aborted', () => {
  fs.readFile(__filename, { signal: signal(2, () => true), encoding: 'hex' }, told);
}), 60);
setTimeout(() => storage.run('well', () => fs.readFile(__filename, { signal: signal(9, threw) }, told)), 80);
setTimeout(() => storage.run('missing', () => {
  fs.readFile(`${__filename}.not`, { signal: signal(9, threw), encoding: 'utf8' }, told);
}), 100);
