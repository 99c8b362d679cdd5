// setTimeout of 0 is of 1; timers of one duration keep their order, and shorter ones go first when both are due.
setTimeout(() => console.log('10'), 10);
setTimeout(() => console.log('1'), 1);
setTimeout(() => console.log('0'), 0);
setTimeout(() => console.log('5'), 5);
console.log(setTimeout(() => {}, 0)._idleTimeout, setTimeout(() => {}, -5)._idleTimeout, setTimeout(() => {}, NaN)._idleTimeout);
const until = Date.now() + 20;
while (Date.now() < until);
console.log('main done');
