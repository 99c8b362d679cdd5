// Ticks with `async_hooks` loaded and no hook enabled. The difference to `next_tick` is the cost of loading it.
const ah=require('async_hooks'); let n=0; const N=+process.argv[2]||1000000; const t=process.hrtime.bigint();
function f(){ if(++n<N) process.nextTick(f); else { console.log('tick/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9))); ah.executionAsyncId(); } }
process.nextTick(f);
