// An await of something that is there already queues a microtask: a loop of them does not let the timer run.
'use strict';
const cached = new Map([['key', 1]]);

async function waitForResult() {
  let isDone = false;
  setTimeout(() => { isDone = true; }, 20);
  const end = performance.now() + 400;
  while (!isDone && performance.now() < end) {
    await cached.get('key');
  }
}
setImmediate(waitForResult);
