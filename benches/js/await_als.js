// Awaits inside AsyncLocalStorage.run. The difference to `await` is the cost of the store.
const {AsyncLocalStorage}=require('async_hooks'); const als=new AsyncLocalStorage();
const N=+process.argv[2]||1000000; const t=process.hrtime.bigint();
als.run({}, async()=>{ for(let i=0;i<N;i++) await null; if(als.getStore()) console.log('await/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9))); });
