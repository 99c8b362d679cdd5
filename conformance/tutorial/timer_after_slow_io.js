// A timer of 300 ms, and a callback of I/O that takes until after it: the timer is late, and still comes before the
// next immediate only if it was due when the phase began.
const fs = require('fs');
const start = Date.now();
setTimeout(() => console.log('timer', Date.now() - start >= 300 ? 'not before 300 ms' : 'too early'), 300);
fs.readFile(__filename, () => {
  const began = Date.now();
  while (Date.now() - began < 320);
  console.log('I/O callback done');
  setImmediate(() => console.log('immediate before the late timer'));
});
