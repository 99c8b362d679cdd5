const assert=require('assert');
for (const f of [()=>assert.ok(0 ===
  1), ()=>assert(false), ()=>assert.ok(typeof 123 === "string" /* c) */), ()=>assert.equal(1,2), ()=>assert(`a)${0}` === ')' && /[)]/.test('x')), ()=>{ const {ok}=assert; ok(null, undefined) }, ()=>assert . ok (  0  ), ()=>assert?.ok(0), ()=>{let x={a:{ok:assert}}; x.a.ok(''); }, ()=>{let x=[assert]; x[0](NaN)}, ()=>assert.strict.ok(0), ()=>assert['ok'](0)]) try { f() } catch(e) { console.log(JSON.stringify(e.message)) }
