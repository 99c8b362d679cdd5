// The same with setImmediate: the loop goes on between two calls.
'use strict';
setImmediate(() => {
  let isDone = false;
  setTimeout(() => { isDone = true; }, 20);

  const end = performance.now() + 400;
  function pollWithImmediates() {
    if (!isDone && performance.now() < end) setImmediate(pollWithImmediates);
  }
  pollWithImmediates();
});
