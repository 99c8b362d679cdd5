'use strict';
// Calls of a small recursive function.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
require('./harness.js')('fib', () => {
  if (fib(25) !== 75025) throw new Error('wrong result');
});
