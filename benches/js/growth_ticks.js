// Queues N ticks at once; ticks per second.
let n=0; const N=+process.argv[2]||100000; const t=process.hrtime.bigint();
function f(){ if(++n===N) console.log('growth_ticks/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9))); }
for(let i=0;i<N;i++) process.nextTick(f);
