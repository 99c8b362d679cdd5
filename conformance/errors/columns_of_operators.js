// Where an operator or a loop stands that an error is about.
'use strict';
const big = 1n, minus = -1n, one = 1, symbol = Symbol('s'), nothing = null;
const tests = [
  () => big+1,
  () => 'abc'.length + (big * 2),
  () => symbol + '',
  () => { const x = 2 ** 3; return x - symbol; },
  () => big ** minus,
  () => big / 0n,
  () => tests instanceof one,
  () => [...one],
  () => { let y = [...one]; return y; },
  () => { const [a] = one; return a; },
  () => { for (const x of one) return x; },
  () => { for (const x of nothing) return x; },
];
for (const test of tests) {
  try {
    test();
  } catch ({ message, stack }) {
    console.log(message, stack.split('\n')[1].replace(/.*columns_of_operators\.js|\)/g, ''));
  }
}
