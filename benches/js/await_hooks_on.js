// Awaits with an async hook whose callbacks do nothing.
const ah=require('async_hooks'); const no=()=>{}; ah.createHook({init:no,before:no,after:no,promiseResolve:no}).enable();
const N=+process.argv[2]||200000; const t=process.hrtime.bigint();
(async()=>{ for(let i=0;i<N;i++) await null; console.log('await/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9))); })();
