// Odd values: proxies, shrinking collections, throwing getters, names that lie.
const show = (f) => { try { console.log(f()); } catch (e) { console.log(e.constructor.name, e.name, e.message); } };
const r = Proxy.revocable({}, {}); r.revoke(); show(() => structuredClone(r.proxy)); show(() => structuredClone([r.proxy]));
show(() => structuredClone(new Proxy({}, { get() { throw new RangeError('trap'); } })));
const m = new Map([[1, { get x() { m.clear(); return 1; } }], [2, 3]]); show(() => structuredClone(m).size);
const a = [{ get x() { a.length = 1; return 1; } }, 2, 3]; show(() => JSON.stringify(structuredClone(a)));
show(() => structuredClone({ get a() { throw new SyntaxError('mine'); } }));
show(() => { const e = new Error('x'); Object.defineProperty(e, 'message', { get() { return 'got'; } }); return structuredClone(e).message; });
show(() => structuredClone(Object.assign(new Error('q'), { name: 'RangeError' })) instanceof RangeError);
show(() => structuredClone({ constructor: null, toString: null, valueOf: 1 }).valueOf);
show(() => Object.keys(structuredClone({ 2: 'b', 1: 'a', z: 1, [Symbol('s')]: 2, '-1': 3, '01': 4 })).join());
show(() => structuredClone(new Uint8Array(8).subarray(2, 4)).byteOffset); show(() => structuredClone(new DataView(new ArrayBuffer(8), 3, 2)).byteOffset);
show(() => { const b = new ArrayBuffer(4, { maxByteLength: 8 }); const v = new Uint8Array(b); const c = structuredClone(v); return [c.length, c.buffer.maxByteLength, c.buffer.resizable]; });
show(() => structuredClone(Object(Symbol.iterator))); show(() => structuredClone(Object('str')).length); show(() => structuredClone([Object(true), Object(-0), Object(NaN)]));
show(() => { const c = new MessageChannel(); const { p } = structuredClone({ p: c.port1 }, { transfer: [c.port1] }); const ok = p instanceof MessagePort && p !== c.port1; c.port2.close(); return ok; });
show(() => structuredClone(Buffer.from('hi')).constructor.name); show(() => structuredClone(new Date('x')).getTime()); show(() => structuredClone(/[/]\n/y).source);
const before = new Map([[1, new Set([2])]]); Map.prototype.forEach = null; Set.prototype.add = null; Map.prototype.set = null; Object.prototype.tainted = 1; show(() => structuredClone(before).get(1).has(2)); delete Object.prototype.tainted;
