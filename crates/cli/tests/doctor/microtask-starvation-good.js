// The same, but it lets the loop go on.
'use strict';
const { setImmediate: nextTurn } = require('timers/promises');
const cached = new Map([['key', 1]]);

async function waitForResult() {
  let isDone = false;
  setTimeout(() => { isDone = true; }, 20);
  const end = performance.now() + 400;
  while (!isDone && performance.now() < end) {
    await cached.get('key');
    await nextTurn();
  }
}
setImmediate(waitForResult);
