// The timer is started, and then the script computes for long: it fires when the script has ended.
'use strict';
const started = performance.now();
setTimeout(() => console.log(`after ${Math.round(performance.now() - started)} ms`), 50);

function buildIndex() {
  const end = performance.now() + 400;
  while (performance.now() < end);
}
buildIndex();
