// Each connection starts an interval, and none is cleared.
'use strict';
function onConnection(number) {
  setInterval(() => {}, 50).unref();
  if (number < 80) setTimeout(onConnection, 2, number + 1);
}
onConnection(0);
