// What histograms answer, to the last digit, for values of a fixed sequence; and what they refuse.
'use strict';
const {createHistogram}=require('perf_hooks');
let seed=1; const rnd=()=>{seed=(seed*1103515245+12345)%2147483648;return seed/2147483648};
for (const [n,max,o] of [[4,10,{}],[3,1e6,{figures:2}],[100,1e9,{}],[1000,5000,{figures:1}],[7,1e12,{figures:5}],[50,200,{highest:100}],[33,1e7,{lowest:1000,highest:1e6}]]) {
 const h=createHistogram(o); for(let i=0;i<n;i++) h.record(1+Math.floor(rnd()*max));
 console.log(h.count,h.exceeds,h.min,h.max,h.mean,h.stddev,[0.01,1,10,12.5,30,50,75,90,99,99.9,100].map(p=>h.percentile(p)).join());
 console.log([...h.percentiles].join(' '));
}
const h=createHistogram({lowest:1,highest:100}); for (const v of [99,100,101,127,128,255,2047,2048]) {h.record(v);console.log(v,h.count,h.exceeds,h.max)}
for (const v of [0n,-1n,2n**63n,2n**63n-1n,2n**64n]) try{ h.record(v); console.log('ok',h.exceeds)}catch(e){console.log(e.name,e.code,e.message)}
const a=createHistogram({highest:100}); const b=createHistogram(); b.record(5000);b.record(7); a.add(b); console.log(a.count,a.exceeds,a.max,a.percentile(50));
try{createHistogram({lowest:5,highest:6})}catch(e){console.log(e.code,e.message)}
try{createHistogram({lowest:5n,highest:6n})}catch(e){console.log(e.code,e.message)}
console.log(createHistogram({lowest:1n,highest:1000n}).count);
const d=createHistogram(); d.recordDelta(); console.log(d.count); d.recordDelta(); console.log(d.count);
console.log(d.constructor.name, Object.getOwnPropertyNames(d), require('util').inspect(d,{depth:0}), require('util').inspect({a:{d}},{depth:0}));
