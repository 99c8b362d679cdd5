// Each call takes longer than the interval: "every 10 ms" is every 30 ms.
'use strict';
let count = 0;
function refresh() {
  const end = performance.now() + 30;
  while (performance.now() < end);
  if (++count === 15) clearInterval(timer);
}
const timer = setInterval(refresh, 10);
