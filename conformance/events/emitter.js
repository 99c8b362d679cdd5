const E = require('events');
const e = new E();
const log = (...a) => console.log(a.map((x) => typeof x === 'symbol' ? String(x) : Array.isArray(x) ? JSON.stringify(x) : x instanceof Error ? `${x.name}|${x.code}|${x.message}` : String(x)).join(' '));
e.on('newListener', (t, l) => log('new', String(t), l.name));
e.on('removeListener', (t, l) => log('removed', String(t), l.name));
function a(...x) { log('a', x, this === e); } function b(...x) { log('b', x); } const c = (x) => log('c', x);
e.on('x', a); e.once('x', b); e.prependListener('x', c); e.prependOnceListener('x', b);
log(e.emit('x'), e.emit('x', 1), e.emit('x', 1, 2), e.emit('x', 1, 2, 3), e.emit('x', 1, 2, 3, 4), e.emit('nothing'));
log(e.listenerCount('x'), e.listenerCount('x', a), e.eventNames(), E.listenerCount(e, 'x'));
e.once('y', a); log(e.rawListeners('y')[0].listener === a, e.listeners('y')[0] === a, e.listenerCount('y', a));
e.off('y', a); e.removeAllListeners('x'); e.removeAllListeners(); log(e.eventNames());
for (const v of [undefined, 'str', { a: 1 }, new Error('boom'), 5, null]) { try { v === undefined ? new E().emit('error') : new E().emit('error', v); } catch (er) { log(er, 'context' in er ? String(er.context) : 'noctx'); } }
const m = new E(); m.on(E.errorMonitor, (x) => log('mon', x)); try { m.emit('error', new TypeError('q')); } catch (x) { log('thrown', x); }
for (const f of [() => e.on('x', 1), () => e.once('x'), () => e.off('x', null), () => e.setMaxListeners(-1), () => e.setMaxListeners('a'), () => E.defaultMaxListeners = NaN, () => new E({ captureRejections: 1 }), () => E.captureRejections = 3, () => E.getMaxListeners(3), () => E.setMaxListeners(3, {}), () => E.getEventListeners({}), () => E.setMaxListeners(-1)]) try { log('no throw', f()); } catch (x) { log(x); }
process.on('warning', (w) => log('WARN', w, w.count, w.type, w.emitter === mm));
const mm = new E(); for (let i = 0; i < 12; i++) mm.on('foo', () => {}); mm.setMaxListeners(1); mm.on(Symbol('s'), a);
class Sub extends E {} const s = new Sub(); log(s instanceof E, s.getMaxListeners(), E.getMaxListeners(s));
const cap = new E({ captureRejections: true }); cap.on('z', async () => { throw new Error('rej'); }); cap.on('error', (x) => log('captured', x)); cap.emit('z', 1);
const cap2 = new E({ captureRejections: true }); cap2[Symbol.for('nodejs.rejection')] = (er, ...r) => log('sym', er, r); cap2.on('z', async () => { throw new Error('rej2'); }); cap2.emit('z', 1, 2);
function Old() { E.call(this); } Object.setPrototypeOf(Old.prototype, E.prototype); const o = new Old(); o.on('q', (...x) => log('q', x)); o.emit('q', 1);
const bare = Object.create(E.prototype); bare.on('w', () => log('bare')); bare.emit('w'); log(Object.keys(bare)); log(bare.removeAllListeners().eventNames());
log(new E().emit('q'), Object.create(E.prototype).emit('q'));
(async () => {
  const em = new E();
  setTimeout(() => em.emit('ev', 1, 2), 1); log('once', await E.once(em, 'ev'));
  setTimeout(() => em.emit('error', new Error('eee')), 1); await E.once(em, 'ev').catch((x) => log('once rej', x)); log(em.eventNames());
  setTimeout(() => em.emit('error', new Error('eee')), 1); log('once error', (await E.once(em, 'error'))[0]);
  const ac = new AbortController(); setTimeout(() => ac.abort('why'), 1); await E.once(em, 'ev', { signal: ac.signal }).catch((x) => log('once ab', x, x.cause)); log(em.eventNames(), E.getEventListeners(ac.signal, 'abort').length);
  await E.once(em, 'ev', { signal: ac.signal }).catch((x) => log('once ab', x, x.cause));
  await E.once(em, 'ev', { signal: 1 }).catch((x) => log(x)); await E.once({}, 'ev').catch((x) => log(x)); await E.once(em, 'ev', 4).catch((x) => log(x));
  const it = E.on(em, 'd', { close: ['end'] }); em.emit('d', 1); em.emit('d', 2, 3); setTimeout(() => { em.emit('d', 4); em.emit('end'); }, 2); for await (const v of it) log('it', v); log(em.eventNames());
  log(JSON.stringify(await it.next()));
  const it2 = E.on(em, 'd'); em.emit('d', 1); em.emit('error', new Error('ite')); log(JSON.stringify(await it2.next())); await it2.next().catch((x) => log(x)); log(JSON.stringify(await it2.next()));
  const ac2 = new AbortController(); const it3 = E.on(em, 'd', { signal: ac2.signal }); const p = it3.next(); ac2.abort(); await p.catch((x) => log(x, x.cause)); log(JSON.stringify(await it3.next()));
  try { E.on(em, 'd', { signal: ac2.signal }); } catch (x) { log(x); }
  try { E.on({}, 'd'); } catch (x) { log(x); } try { it3.throw(1); } catch (x) { log(x); } log(JSON.stringify(await it3.return()));
  const et = new EventTarget(); const it4 = E.on(et, 'foo'); et.dispatchEvent(new Event('foo')); et.dispatchEvent(new Event('foo')); const r = await it4.next(); log(Array.isArray(r.value), r.value.type ?? r.value[0].type); await it4.return(); log(E.getEventListeners(et, 'foo').length);
  setTimeout(() => et.dispatchEvent(new Event('bar')), 1); const r2 = await E.once(et, 'bar'); log(r2.length, r2[0].type);
  const pr = { p: 0, pause() { this.p++; log('pause'); }, resume() { log('resume'); } }; const pe = Object.assign(new E(), pr); const it5 = E.on(pe, 'd', { highWaterMark: 2, lowWaterMark: 1 }); for (let i = 0; i < 4; i++) pe.emit('d', i); const st = it5[Symbol.for('nodejs.watermarkData')]; log(st.size, st.low, st.high, st.isPaused); for (let i = 0; i < 4; i++) log((await it5.next()).value);
  const ac3 = new AbortController(); const d = E.addAbortListener(ac3.signal, (x) => log('aborted', x?.type)); ac3.signal.addEventListener('abort', (x) => x.stopImmediatePropagation()); E.addAbortListener(ac3.signal, (x) => log('resist', x?.type)); ac3.abort(); E.addAbortListener(ac3.signal, (x) => log('late', x)); log('sync'); d[Symbol.dispose]();
  for (const f of [() => E.addAbortListener(undefined, a), () => E.addAbortListener({}, a), () => E.addAbortListener(ac3.signal)]) try { f(); } catch (x) { log(x); }
  try { E.setMaxListeners(2, et); log(E.getMaxListeners(et)); for (let i = 0; i < 3; i++) et.addEventListener('leak', () => {}); } catch (x) { log(x); }
})();

// Listeners of a kind that `on` does not make are nobody's crash.
{
  const { EventEmitter } = require('events');
  const odd = new EventEmitter().on('x', () => {});
  odd._events.x = { length: 2 ** 50 };
  try { odd.emit('x'); } catch (e) { console.log(e instanceof Error); }
}
