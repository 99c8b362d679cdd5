// The functions that wait for the one that throws are in its stack, as far as each promise has one that waits.
const sleep = () => new Promise((r) => setImmediate(r));
async function inner(x) { await sleep(); throw new Error('x' + x); }
async function viaCall() { await inner(1); }
async function viaVar() { const p = inner(2); foo(); await p; }
function foo() {}
class K { async m() { return await inner(3); } static async s() { for (const x of [1]) { const k = new K(); await k.m(); } } }
const arrow = async () => { await K.s(); };
async function all() { await Promise.all([sleep(), inner(4)]); }
async function thened() { await inner(5).then(() => {}); }
async function thrown() { await sleep().then(() => { throw new Error('6'); }); }
async function ret() { return inner(7); }
async function over() { await ret(); }
async function nest() { await viaCall(await viaVar()); }
async function* gen() { await inner(8); yield 1; }
async function useGen() { for await (const x of gen()) ; }
async function awaitThen() { const r = await (async () => { await sleep(); return inner(9); })(); return r; }
async function resumed() { await sleep(); helper(); }
function helper() { throw new Error('10'); }
async function overRes() { const a = 1; const b = await resumed(); }
async function anyf() { await Promise.any([inner(11)]); }
async function allS() { await Promise.allSettled([inner(12)]); }
async function fin() { await inner(13).finally(() => {}); }
async function native_() { await null; null.x; }
async function overN() { await native_(); }
async function capt() { await sleep(); const o = {}; Error.captureStackTrace(o); console.log(o.stack.replaceAll(__dirname, '').split('\n').slice(1).join('|')); }
async function overC() { await capt(); }
async function deep(n) { if (n === 0) { await sleep(); throw new Error('deep'); } await deep(n - 1); }
async function multi() { const p = inner(14); const a = p.catch(() => {}); await p; }
const obj = { async meth() { await inner(15); }, f: async function () { await this.meth(); } };
(async () => {
  for (const f of [viaCall, viaVar, arrow, all, thened, thrown, over, nest, useGen, awaitThen, overRes, anyf, allS, fin, overN, overC, () => deep(3), () => deep(14), multi, () => obj.f(), async () => { await obj.meth(); }]) {
    try { await f(); } catch (e) { console.log((e.errors?.[0] ?? e).stack.replaceAll(__dirname, '').split('\n').map((x) => x.trim()).join(' | ')); }
  }
})();
