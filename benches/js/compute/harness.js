'use strict';
// Runs a function until a second and a half has passed, after a warm-up of half a second, and prints how often it ran in a second.
module.exports = function measure(name, run) {
  const isAsync = run() instanceof Promise;
  const rounds = (seconds) => {
    const end = performance.now() + seconds * 1000;
    let count = 0;
    do { run(); count++; } while (performance.now() < end);
    return count / seconds;
  };
  const asyncRounds = async (seconds) => {
    const end = performance.now() + seconds * 1000;
    let count = 0;
    do { await run(); count++; } while (performance.now() < end);
    return count / seconds;
  };
  const print = (rate) => console.log(`${name}/s ${rate.toFixed(2)}`);
  if (isAsync) asyncRounds(0.5).then(() => asyncRounds(1.5)).then(print);
  else { rounds(0.5); print(rounds(1.5)); }
};
