// A Map with N consecutive numbers as keys, each set and read once; pairs per second.
const N=+process.argv[2]||100000; const t=process.hrtime.bigint();
const map=new Map(); for(let i=0;i<N;i++) map.set(i,i);
let found=0; for(let i=0;i<N;i++) if(map.get(i)===i) found++;
if(found===N) console.log('growth_map/s', Math.round(N/(Number(process.hrtime.bigint()-t)/1e9)));
