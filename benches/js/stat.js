// fs.stat with 64 requests in flight.
const fs = require('fs');
const N = +process.argv[2] || 100000;
let started = 0, done = 0;
const began = process.hrtime.bigint();
function go() {
  if (started++ >= N) return;
  fs.stat(__filename, (error, stats) => {
    if (error) throw error;
    if (++done === N) console.log('stat/s', Math.round(N / (Number(process.hrtime.bigint() - began) / 1e9)));
    go();
  });
}
for (let i = 0; i < 64; i++) go();
