// Sets N timers with mixed delays, waits until all are due, and runs them; timers per second, without the wait.
const N=+process.argv[2]||100000; let n=0, first; const now=()=>Number(process.hrtime.bigint());
let s=12345; const r=()=>{s=(s*1103515245+12345)&0x7fffffff;return s};
function f(){ if(++n===1) first=now(); if(n===N) console.log('growth_timers/s', Math.round(N/((set+now()-first)/1e9))); }
const t=now(); for(let i=0;i<N;i++) setTimeout(f,1+r()%200); const set=now()-t;
while(now()-t-set<250e6);
