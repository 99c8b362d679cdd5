// A regular expression that takes long: the engine starts it again when it is interrupted, and gives up after four interruptions. The doctor
// must not change the result.
'use strict';
setTimeout(() => {}, 30);
setImmediate(() => {
  const end = performance.now() + 250;
  for (let letters = 16; performance.now() < end; letters++) console.log(/^(a+)+$/.test(`${'a'.repeat(letters)}b`));
});
