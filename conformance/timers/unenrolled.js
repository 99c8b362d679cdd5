// The timers of long ago may be given one of today's.
const timers = require('timers');
let ticks = 0;
const interval = setInterval(() => {
  ticks++;
  timers.unenroll(interval);
}, 1);
const never = setTimeout(() => console.log('never'), 1);
timers.unenroll(never);
setTimeout(() => console.log(ticks, never._destroyed, interval._destroyed), 20);
