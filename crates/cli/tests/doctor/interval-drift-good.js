// Each call takes a small part of the interval.
'use strict';
let count = 0;
function refresh() {
  const end = performance.now() + 3;
  while (performance.now() < end);
  if (++count === 15) clearInterval(timer);
}
const timer = setInterval(refresh, 40);
