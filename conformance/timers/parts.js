'use strict';
// What can be read of timers and immediates, and what can be set.
const parts = ({ _idleTimeout, _onTimeout, _timerArgs, _repeat, _destroyed }) =>
  [_idleTimeout, typeof _onTimeout, _timerArgs, _repeat, _destroyed];

for (const delay of [1.5, '7.7', 0.5, 2.999, 5, -1, NaN]) {
  const timeout = setTimeout(() => {}, delay, 'a');
  console.log(delay, parts(timeout));
  clearTimeout(timeout);
  console.log(timeout._idleTimeout, timeout._onTimeout, timeout._destroyed);
}
const interval = setInterval(() => {}, 2.9);
console.log(parts(interval));
clearInterval(interval);

const immediate = setImmediate(function called() {}, 1, 2);
const look = ({ _idleNext, _onImmediate, _argv, _destroyed }) => [_idleNext, _onImmediate?.name, _argv, _destroyed];
console.log(look(setImmediate(() => {})).slice(2));
console.log(look(immediate).slice(1));
clearImmediate(immediate);
console.log(immediate._onImmediate, immediate._destroyed);
immediate._argv = 5;
console.log(immediate._argv);

// A timer that becomes an interval, and calls another function.
let calls = 0;
const first = setTimeout(function () {
  console.log('first', this === first);
  this._repeat = 1;
  this._onTimeout = function () {
    console.log('again', ++calls);
    if (calls < 2) return;
    this._repeat = null;
    this._idleTimeout = 3;
    console.log(parts(this));
  };
}, 1);

// One that calls nothing.
const idle = setTimeout(() => console.log('never'), 1);
idle._onTimeout = null;
