// The same work before the timer is started.
'use strict';
function buildIndex() {
  const end = performance.now() + 400;
  while (performance.now() < end);
}
buildIndex();

const started = performance.now();
setTimeout(() => console.log(`after ${Math.round(performance.now() - started)} ms`), 50);
