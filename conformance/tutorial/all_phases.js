// One of each, from inside of a callback of I/O, where the order is certain.
const fs = require('fs');
fs.stat(__filename, () => {
  setImmediate(() => {
    console.log('check');
    process.nextTick(() => console.log('tick of check'));
    Promise.resolve().then(() => console.log('promise of check'));
  });
  setImmediate(() => console.log('check 2'));
  setTimeout(() => {
    console.log('timers');
    process.nextTick(() => console.log('tick of timers'));
    setImmediate(() => console.log('check of timers'));
    setTimeout(() => console.log('timers again'), 0);
  }, 0);
  process.nextTick(() => console.log('tick of poll'));
  Promise.resolve().then(() => console.log('promise of poll'));
  console.log('poll');
});
console.log('main');
