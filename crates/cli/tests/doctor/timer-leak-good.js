// Each interval is cleared.
'use strict';
function onConnection(number) {
  const timer = setInterval(() => clearInterval(timer), 20);
  if (number < 80) setTimeout(onConnection, 2, number + 1);
}
onConnection(0);
