// A partial comparison accepts shorter buffers and typed arrays whose bytes are a subsequence.
const assert=require('assert');
const t=(n,f)=>{try{f();console.log(n,'ok')}catch(e){console.log(n,e.code,e.message)}};
const p=assert.partialDeepStrictEqual;
for(const C of [Uint8Array,Int16Array,Float64Array,BigInt64Array]){const m=C===BigInt64Array?x=>BigInt(x):x=>x;
const mk=(...a)=>C.from(a.map(m));
t('short '+C.name,()=>p(mk(1,2,3),mk(1,2)));
t('sub '+C.name,()=>p(mk(1,2,3),mk(2,3)));
t('gap '+C.name,()=>p(mk(1,2,3),mk(1,3)));
t('no '+C.name,()=>p(mk(1,2,3),mk(3,1)));
t('long '+C.name,()=>p(mk(1,2),mk(1,2,3)));
t('eq '+C.name,()=>p(mk(1,2),mk(1,2)));
t('empty '+C.name,()=>p(mk(1,2),mk()));}
t('buf',()=>p(Buffer.from('abc'),Buffer.from('ab')));
t('bufmix',()=>p(Buffer.from('abc'),new Uint8Array([97])));
t('ab',()=>p(new Uint8Array([1,2,3]).buffer,new Uint8Array([1,2]).buffer));
t('abno',()=>p(new Uint8Array([1,2,3]).buffer,new Uint8Array([3]).buffer));
t('ablong',()=>p(new Uint8Array([1,2,3]).buffer,new Uint8Array([1,2,3,4]).buffer));
t('dv',()=>p(new DataView(new Uint8Array([1,2,3]).buffer),new DataView(new Uint8Array([1,2]).buffer)));
t('dvno',()=>p(new DataView(new Uint8Array([1,2,3]).buffer),new DataView(new Uint8Array([5]).buffer)));
t('sab',()=>p(new SharedArrayBuffer(4),new SharedArrayBuffer(2)));
t('nested',()=>p({a:new Uint8Array([1,2,3])},{a:new Uint8Array([1,2])}));
t('mixed',()=>p(new Uint8Array([1,2,3]),new Int8Array([1,2])));
t('f0',()=>p(new Float32Array([0,-0,NaN]),new Float32Array([-0])));
t('f1',()=>p(new Float32Array([0,NaN]),new Float32Array([NaN])));
t('f2',()=>p(new Float32Array([0,1]),new Float32Array([-0])));
t('prop',()=>p(Object.assign(new Uint8Array([1,2]),{x:1}),Object.assign(new Uint8Array([1]),{x:1})));
t('prop2',()=>p(Object.assign(new Uint8Array([1,2]),{x:1}),Object.assign(new Uint8Array([1]),{x:2})));
