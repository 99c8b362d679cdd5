// Ticks with an async hook whose callbacks do nothing.
const ah=require('async_hooks'); const no=()=>{}; ah.createHook({init:no,before:no,after:no,destroy:no}).enable();
let n=0; const N=+process.argv[2]||300000; const t=process.hrtime.bigint();
function f(){ if(++n<N) process.nextTick(f); else console.log('tick/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9))); }
process.nextTick(f);
