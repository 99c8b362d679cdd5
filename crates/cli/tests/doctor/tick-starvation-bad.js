// process.nextTick that queues itself: the loop does not go on, so the timer has to wait.
'use strict';
setImmediate(() => {
  let isDone = false;
  setTimeout(() => { isDone = true; }, 20);

  const end = performance.now() + 400;
  function pollWithTicks() {
    if (!isDone && performance.now() < end) process.nextTick(pollWithTicks);
  }
  pollWithTicks();
});
