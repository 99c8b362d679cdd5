// Ticks that make ticks keep the loop from going on, for as long as they do.
let ticks = 0;
setTimeout(() => console.log('timer after', ticks, 'ticks'), 0);
setImmediate(() => console.log('immediate after', ticks, 'ticks'));
Promise.resolve().then(() => console.log('promise after', ticks, 'ticks'));
function again() {
  if (++ticks < 1000) process.nextTick(again);
}
process.nextTick(again);
const until = Date.now() + 5;
while (Date.now() < until);
console.log('main done');
