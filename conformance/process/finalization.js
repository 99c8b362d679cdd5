// Callbacks for objects that are still there at the end; the timers of long ago; a module's old name.
process.removeAllListeners('warning');
process.on('warning', ({ name, code, message }) => console.log(name, code, message));
const kept = { n: 1 };
const early = { n: 2 };
const forgotten = {};
process.kept = [kept, early, forgotten];
process.finalization.register(kept, (object, event) => console.log('exit of', object, event));
process.finalization.registerBeforeExit(early, (object, event) => console.log('beforeExit of', object, event));
process.finalization.register(forgotten, () => console.log('never'));
process.finalization.unregister(forgotten);
for (const run of [() => process.finalization.register(1, () => {}), () => process.finalization.unregister(5)]) {
  try {
    run();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
process.on('beforeExit', () => console.log('beforeExit'));
process.on('exit', () => console.log('exit'));

const timers = require('timers');
const item = { _onTimeout() { console.log('legacy', this === item); } };
timers.enroll(item, 5);
console.log(item._idleTimeout);
timers.active(item);
const other = { _onTimeout() { console.log('never'); } };
timers.enroll(other, 5);
timers._unrefActive(other);
timers.unenroll(other);
console.log(other._idleTimeout);
for (const wrong of ['x', -1, Infinity]) {
  try {
    timers.enroll({}, wrong);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
setTimeout(() => {}, 30);
console.log(require('sys') === require('util'), require('node:sys') === require('util'));
console.log(typeof InternalError, Object.keys(globalThis).includes('atob'), Object.keys(globalThis).includes('global'));
