const log = (...a) => console.log(a.map((x) => typeof x === 'symbol' ? String(x) : Array.isArray(x) ? JSON.stringify(x) : x instanceof Error ? `${x.name}|${x.code}|${x.message}` : String(x)).join(' '));
const tries = (...fs) => { for (const f of fs) try { log('ok', f()); } catch (x) { log(x); } };
process.on('uncaughtException', (e) => log('uncaught', e));
const t = new EventTarget();
tries(() => new Event(), () => new Event('x', 1), () => new Event('x', null).type, () => new Event(undefined).type, () => t.addEventListener(), () => t.addEventListener('x'), () => t.addEventListener('x', 'y'), () => t.addEventListener('x', null), () => t.dispatchEvent({}), () => t.dispatchEvent(), () => t.addEventListener('x', () => {}, 4), () => t.addEventListener('x', () => {}, { signal: 3 }), () => t.removeEventListener('x'), () => t.removeEventListener('x', null), () => t.removeEventListener('x', 3), () => EventTarget.prototype.addEventListener.call({}, 'x', () => {}), () => Event.prototype.preventDefault.call({}), () => Event.prototype.type, () => new CustomEvent(), () => new CustomEvent('x').detail, () => new CustomEvent('x', { detail: 0 }).detail, () => new CustomEvent('x', null).detail, () => CustomEvent.prototype.detail, () => new AbortSignal(), () => AbortSignal.prototype.aborted, () => AbortSignal.timeout(), () => AbortSignal.timeout(-1), () => AbortSignal.any(), () => AbortSignal.any(3), () => AbortSignal.any([3]), () => AbortSignal.any({}), () => AbortSignal.any([]).aborted);
const ev = new Event('foo', { bubbles: true, cancelable: true, composed: true });
log(ev.bubbles, ev.cancelable, ev.composed, ev.defaultPrevented, ev.returnValue, ev.eventPhase, ev.cancelBubble, ev.isTrusted, ev.target, ev.currentTarget, ev.srcElement, ev.composedPath(), typeof ev.timeStamp);
t.addEventListener('foo', (e) => { log('phase', e.eventPhase, e.target === t, e.currentTarget === t, e.composedPath().length, e === ev); e.preventDefault(); try { t.dispatchEvent(e); } catch (x) { log(x); } });
t.addEventListener('foo', { handleEvent(e) { log('object', this !== t, e.type); } });
t.addEventListener('foo', function (e) { log('this', this === t); throw new Error('in listener'); }, { once: true });
t.addEventListener('foo', () => log('after throw'));
t.addEventListener('foo', async () => { throw new Error('async listener'); }, { once: true });
t.addEventListener('foo', (e) => { e.preventDefault(); log('passive', e.defaultPrevented); }, { passive: true });
t.addEventListener('foo', { handleEvent() { throw new Error('handleEvent throws'); } }, { once: true });
log(t.dispatchEvent(ev), ev.defaultPrevented, ev.target === t, ev.currentTarget, ev.eventPhase); log(t.dispatchEvent(ev)); ev.initEvent('bar'); log(ev.type, ev.bubbles);
const o = []; const t2 = new EventTarget(); const f = () => o.push('f'); t2.addEventListener('x', f); t2.addEventListener('x', f); t2.addEventListener('x', f, true); t2.addEventListener('x', () => { o.push('adder'); t2.addEventListener('x', () => o.push('added')); t2.removeEventListener('x', victim); }); const victim = () => o.push('victim'); t2.addEventListener('x', victim); t2.dispatchEvent(new Event('x')); log(o); o.length = 0; t2.dispatchEvent(new Event('x')); log(o);
const t3 = new EventTarget(); t3.addEventListener('s', (e) => e.stopImmediatePropagation()); t3.addEventListener('s', () => log('not me')); const se = new Event('s'); t3.dispatchEvent(se); log(se.cancelBubble);
const ac = new AbortController(); t3.addEventListener('q', () => log('q called'), { signal: ac.signal }); t3.dispatchEvent(new Event('q')); ac.signal.onabort = function (e) { log('onabort', this === ac.signal, e.type, e.isTrusted, e.target === ac.signal); }; ac.signal.addEventListener('abort', () => log('second')); log(typeof ac.signal.onabort); ac.abort(); ac.abort('again'); t3.dispatchEvent(new Event('q')); log(ac.signal.aborted, ac.signal.reason); tries(() => ac.signal.throwIfAborted());
const h = new AbortController(); h.signal.onabort = () => log('h1'); h.signal.addEventListener('abort', () => log('h2')); h.signal.onabort = () => log('h3'); h.abort(); const h2 = new AbortController().signal; h2.onabort = 3; log(h2.onabort); h2.onabort = null; log(h2.onabort);
log(AbortSignal.abort().reason, AbortSignal.abort(5).reason, AbortSignal.abort(undefined).reason, AbortSignal.abort(null).reason);
const a1 = new AbortController(), a2 = new AbortController(); const any = AbortSignal.any([a1.signal, a2.signal, a1.signal]); const any2 = AbortSignal.any([any]); any.onabort = () => log('any', any.reason, any2.aborted); any2.onabort = () => log('any2'); a2.signal.onabort = () => log('a2', any.aborted, any2.aborted); a2.abort('r'); a1.abort('z'); log(AbortSignal.any([a1.signal, a2.signal]).reason);
log(String(new Event('x')), String(t), String(ac), String(ac.signal), String(new CustomEvent('x')), Object.keys(new Event('x')), Object.keys(Event.prototype), Object.keys(EventTarget.prototype), Object.keys(AbortSignal.prototype), Object.keys(AbortController.prototype), Event.length, CustomEvent.length, EventTarget.length, AbortSignal.timeout.length, Event.NONE, Event.AT_TARGET, Event.prototype.NONE);
class Sub extends EventTarget {} const sub = new Sub(); sub.addEventListener('m', (e) => log('sub', e.target === sub)); sub.dispatchEvent(new CustomEvent('m'));
const ts = AbortSignal.timeout(100); ts.onabort = () => log('timeout', ts.reason); setTimeout(() => log('end'), 200);
const d = new DOMException('m', 'DataCloneError'); log(d, d.code, d instanceof Error, Object.prototype.toString.call(d), Object.keys(d), d.stack.split('\n')[0]); tries(() => DOMException.prototype.name, () => new DOMException('a', 'Custom').code, () => new DOMException('a', { name: 'TimeoutError', cause: 3 }).cause, () => 'cause' in new DOMException('a'), () => new DOMException(undefined, undefined).name, () => DOMException.DATA_CLONE_ERR, () => String(new DOMException('q', 'AbortError')), () => new (class Z extends DOMException {})('m') instanceof DOMException, () => DOMException.length);
const E = require('events'); const big = new EventTarget(); E.setMaxListeners(1, big); log(E.getMaxListeners(new EventTarget()), E.getMaxListeners(ac.signal), E.getMaxListeners(big));
queueMicrotask(() => log('micro'));

// A symbol is no type.
try {
  new EventTarget().addEventListener(Symbol('s'), () => {});
} catch ({ code, message }) {
  console.log(code, message);
}
