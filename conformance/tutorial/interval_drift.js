// An interval is armed again when its callback begins; what it loses by blocking it does not make up for.
// The loop's clock counts whole milliseconds.
const SLACK_MS = 3;
const start = process.hrtime.bigint();
const since = () => Number((process.hrtime.bigint() - start) / 1000000n);
let runs = 0;
const interval = setInterval(() => {
  runs++;
  const at = since();
  console.log('run', runs, at >= runs * 20 - SLACK_MS ? 'not before its time' : `too early: ${at}`);
  if (runs === 2) {
    const until = Date.now() + 70;
    while (Date.now() < until);
  }
  if (runs === 4) {
    clearInterval(interval);
    // The blocked time is lost: three more periods and it.
    console.log(since() >= 2 * 20 + 70 - SLACK_MS ? 'drifted' : 'caught up');
  }
}, 20);
