// As `async-stack.js`, with what waits at the top of a module, in loops, generators and all kinds of expressions.
import { setTimeout as sleep } from 'timers/promises';
import { once, EventEmitter } from 'events';
const show = (e) => console.log(e.stack.replaceAll(import.meta.url.replace(/[^/]*$/, ''), '').replaceAll(import.meta.dirname, '').split('\n').filter((l) => !/node:/.test(l)).map((x) => x.trim()).join(' | '));
async function a() { await sleep(1); throw new Error('tla'); }
try { await a(); } catch (e) { show(e); }
try { await import('data:text/javascript,await 1; async function inDep() { await 2; throw new Error(%22dep%22); } await inDep();'); } catch (e) { console.log(e.stack.split('\n').length > 2); }
Error.prepareStackTrace = (e, sites) => sites.filter((s) => !/^node:/.test(s.getFileName() ?? '')).map((s) => [s.isAsync(), s.isPromiseAll(), s.getPromiseIndex(), s.getLineNumber(), s.getColumnNumber(), String(s).replace(import.meta.url, '')].join());
try { await Promise.all([1, a()]); } catch (e) { console.log(e.stack); }
Error.prepareStackTrace = undefined;
const ee = new EventEmitter();
async function w() { const [x] = await once(ee, 'x'); new Error('o'); throw new TypeError('after once'); }
setImmediate(() => ee.emit('x', 1));
try { await w(); } catch (e) { show(e); }
Error.stackTraceLimit = 2;
async function d(n) { if (n) await d(n - 1); else { await null; throw new Error('limited'); } }
try { await d(5); } catch (e) { show(e); }
Error.stackTraceLimit = 50;
try { await d(20); } catch (e) { console.log(e.stack.split('\n').length); }
Error.stackTraceLimit = 10;
async function* g() { try { yield 1; await null; throw new Error('in gen'); } finally { await null; } }
async function ug() { for await (const x of g()) { x; } }
try { await ug(); } catch (e) { show(e); }
async function ug2() { const it = g(); await it.next(); await it.next(); }
try { await ug2(); } catch (e) { show(e); }
class P extends Promise {}
async function sub() { await P.resolve().then(() => { throw new Error('sub'); }); }
try { await sub(); } catch (e) { show(e); }
async function cb() { await new Promise((res, rej) => queueMicrotask(() => rej(new Error('mt')))); }
try { await cb(); } catch (e) { show(e); }
async function ex() { await null; return new Promise(() => { throw new Error('exec'); }); }
async function ex2() { const x = { y: await ex() }; return x; }
try { await ex2(); } catch (e) { show(e); }
async function thenable() { await { then(r, j) { j(new Error('thenable')); } }; }
try { await thenable(); } catch (e) { show(e); }
async function as() { await null; const o = {}; Error.captureStackTrace(o, as); console.log(JSON.stringify(o.stack.replaceAll(import.meta.url, ''))); }
await as();
const errs = []; async function race() { await Promise.race([a(), sleep(50)]); } try { await race(); } catch (e) { show(e); }
async function settled() { return Promise.allSettled([a()]); }
show((await settled())[0].reason);
await (async function named() { await (async () => { await null; try { JSON.parse('{'); } catch (e) { show(e); } try { null.x; } catch (e) { show(e); } try { undefinedVar; } catch (e) { show(e); } })(); })();
async function sw() { switch (await 1) { case 1: await (await 2, a()); } }
try { await sw(); } catch (e) { show(e); }
async function cond() { const v = (await 0) || (await a()) ; return v; }
try { await cond(); } catch (e) { show(e); }
async function tmpl() { return `${await 1} ${await a()}`; }
try { await tmpl(); } catch (e) { show(e); }
async function arr() { return [await 1, ...(await a())]; }
try { await arr(); } catch (e) { show(e); }
async function obj() { return { a: await 1, b: { c: await a() } }; }
try { await obj(); } catch (e) { show(e); }
async function mem() { const o = { p: a() }; await o.p; }
try { await mem(); } catch (e) { show(e); }
async function meth() { const o = { p: () => a() }; return (await o.p()).x; }
try { await meth(); } catch (e) { show(e); }
async function ternary(x) { return x ? await a() : await 1; }
try { await ternary(1); } catch (e) { show(e); }
async function loop() { for (let i = await 0; i < 2; i += await 1) { if (i === 1) await a(); } }
try { await loop(); } catch (e) { show(e); }
async function upd() { for (let i = 0; i < 2; i += await a()) { } }
try { await upd(); } catch (e) { show(e); }
async function multi() {
  const x =
    await
      a(
        1,
      );
}
try { await multi(); } catch (e) { show(e); }
const é = async () => { 'ééé'; await a(); };
try { await é(); } catch (e) { show(e); }
