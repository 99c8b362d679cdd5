// One AsyncLocalStorage.run with one getStore.
const {AsyncLocalStorage}=require('async_hooks'); const als=new AsyncLocalStorage();
const N=+process.argv[2]||500000; const t=process.hrtime.bigint(); const get=()=>als.getStore();
for(let i=0;i<N;i++) als.run({},get); console.log('run/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9)));
