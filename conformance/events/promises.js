// timers/promises, performance, navigator and diagnostics_channel.
const assert = require('assert');
const tp = require('timers/promises');
const dc = require('diagnostics_channel');
const show = (f) => { try { console.log('ok', f()); } catch (e) { console.log(e.name, e.code, e.message); } };
(async () => {
  console.log(await tp.setTimeout(1, 'v'), await tp.setImmediate('i'), await tp.scheduler.wait(1), await tp.scheduler.yield(), tp.setTimeout.length, tp.setInterval.length, Object.keys(tp));
  for (const p of [tp.setTimeout('x'), tp.setTimeout(1, 1, 3), tp.setTimeout(1, 1, { signal: 3 }), tp.setTimeout(1, 1, { ref: 3 }), tp.setImmediate(1, 3), tp.setInterval('x').next(), tp.setTimeout(1, 1, { signal: AbortSignal.abort('w') })]) await p.catch((e) => console.log(e.name, e.code, e.message, e.cause));
  show(() => new tp.scheduler.constructor()); show(() => tp.scheduler.wait.call({}));
  let n = 0; for await (const v of tp.setInterval(1, 'beat')) { console.log(v); if (++n === 3) break; }
  const ac = new AbortController(); setTimeout(() => ac.abort(), 5); try { for await (const v of tp.setInterval(1000, 0, { signal: ac.signal })) console.log(v); } catch (e) { console.log(e.name, e.code, e.cause.name); }
  const p = performance; console.log(typeof p.now(), typeof p.timeOrigin, Math.abs(p.timeOrigin + p.now() - Date.now()) < 50, p.toString());
  const mk = p.mark('a', { startTime: 5, detail: { d: 1 } }); console.log(mk, mk.toJSON()); p.mark('b', { startTime: 9 }); console.log(p.measure('m', 'a', 'b'), p.measure('n', { start: 1, duration: 2, detail: 'x' }), p.measure('o', { end: 4, duration: 1 }).startTime, p.measure('q', { start: 'a', end: 'b' }).duration);
  console.log(p.getEntries().map((e) => e.name), p.getEntriesByType('mark').length, p.getEntriesByName('m').length, p.getEntriesByName('m', 'mark').length); p.clearMarks('a'); console.log(p.getEntriesByType('mark').length); p.clearMarks(); p.clearMeasures(); console.log(p.getEntries());
  show(() => p.mark()); show(() => p.mark('x', { startTime: -1 })); show(() => p.measure('x', 'nope')); show(() => p.measure(3)); show(() => p.measure('x', { start: 1, end: 2, duration: 3 })); show(() => p.measure('x', { start: 1 }, 'e')); show(() => p.measure('x', { detail: 1 }).startTime); show(() => p.mark('nodeStart')); show(() => performance.now.call({})); show(() => new PerformanceEntry()); show(() => new Performance()); show(() => p.mark(Symbol.iterator.description).name);
  console.log(navigator.userAgent, navigator.platform, typeof navigator.hardwareConcurrency, Object.prototype.toString.call(navigator)); show(() => new Navigator());
  const ch = dc.channel('c'); console.log(ch, ch.hasSubscribers, dc.channel('c') === ch, ch instanceof dc.Channel); const f = (m, name) => console.log('got', m, name); dc.subscribe('c', f); ch.publish(1); console.log(ch.hasSubscribers, dc.hasSubscribers('c'), dc.unsubscribe('c', f), dc.unsubscribe('c', f), ch.hasSubscribers); ch.publish(2); show(() => dc.channel(3)); show(() => ch.subscribe(3)); show(() => dc.tracingChannel(3));
  const tc = dc.tracingChannel('t'); const log = []; const subs = {}; for (const k of ['start', 'end', 'asyncStart', 'asyncEnd', 'error']) subs[k] = (m) => log.push(`${k} ${m.error?.message ?? m.result}`); tc.subscribe(subs); console.log(tc.traceSync((a) => a + 1, {}, null, 1)); try { tc.traceSync(() => { throw new Error('s'); }); } catch {} await tc.tracePromise(async () => 7); await tc.tracePromise(async () => { throw new Error('p'); }).catch(() => {}); tc.traceCallback((cb) => cb(null, 5), 0, {}, null, (e, r) => log.push(`cb ${r}`)); console.log(log, tc.hasSubscribers, tc.unsubscribe(subs), tc.hasSubscribers);
  const store = { run(c, fn) { log.push(`store ${c}`); return fn(); } }; ch.bindStore(store, (x) => x * 2); console.log(ch.runStores(4, function(a) { return [this.t, a]; }, { t: 1 }, 2), log.at(-1), ch.unbindStore(store), ch.unbindStore(store));
  process.on('uncaughtException', (e) => console.log('uncaught', e.message)); ch.subscribe(() => { throw new Error('sub'); }); ch.publish(1); console.log('after');
})();
