// Ports: order, liveness, transfer and what is refused.
const show = (f) => { try { console.log('ok', f()); } catch (e) { console.log(e.constructor.name, '|', e.name, '|', e.code, '|', e.message); } };
const { port1, port2 } = new MessageChannel();
const ab = new ArrayBuffer(2);
const det = new ArrayBuffer(3);
structuredClone(det, { transfer: [det] });
show(() => port1.postMessage()); show(() => port1.postMessage(1, 1)); show(() => port1.postMessage(1, { transfer: 1 }));
show(() => port1.postMessage(1, null)); show(() => port1.postMessage(2, {})); show(() => port1.postMessage(1, [1])); show(() => port1.postMessage(1, [{}]));
show(() => port1.postMessage(1, [ab, ab])); show(() => port1.postMessage(1, [port1])); show(() => port1.postMessage(1, [det])); show(() => port1.postMessage(det));
show(() => port1.postMessage(new MessageChannel().port1));
const m = new MessageChannel();
show(() => port1.postMessage(1, [m.port1, m.port1])); show(() => port1.postMessage(3, new Set([ab]))); console.log(ab.byteLength);
show(() => new MessagePort()); show(() => MessageChannel()); show(() => new BroadcastChannel());
const bc = new BroadcastChannel('q'); show(() => bc.postMessage()); show(() => bc.postMessage(() => {})); bc.close(); bc.close(); show(() => bc.postMessage(1)); console.log(bc); show(() => BroadcastChannel.prototype.name);
show(() => new MessageEvent('x', { data: 1 }).data); show(() => new MessageEvent('x').data); show(() => new MessageEvent()); show(() => new MessageEvent('x', { ports: 1 })); show(() => new MessageEvent('x', { source: 1 }));
console.log(Object.keys(m), m instanceof MessageChannel, m.port1 instanceof MessagePort, m.port1 instanceof EventTarget, m.port1.constructor.name, String(m.port1));
const got = [];
port2.on('message', (v) => got.push(v));
port2.on('message', function(v) {
  if (v !== 3) return;
  console.log('raw', got, this === port2);
  port2.removeAllListeners('message');
  second();
});
port2.on('close', (e) => console.log('port2 closed', e?.type));
function second() {
  const c = new MessageChannel();
  c.port2.onmessage = (e) => {
    console.log(e.constructor.name, e.data, e.target === c.port2, e.ports.length, JSON.stringify(e.origin), JSON.stringify(e.lastEventId), e.source, e.isTrusted, e.type);
    e.ports[0].onmessage = (inner) => { console.log('through the transferred port:', inner.data); inner.target.close(); c.port2.onmessage = null; console.log(c.port2.hasRef()); c.port1.close(() => { console.log('closed', c.port1.hasRef()); port1.close(); third(); }); };
  };
  const inner = new MessageChannel();
  inner.port2.postMessage('early');
  c.port1.postMessage({ a: 1 }, [inner.port1]);
  inner.port2.on('close', () => console.log('the other end closes too'));
  show(() => inner.port1.postMessage('dead'));
}
function third() {
  const a = new BroadcastChannel('room'); const b = new BroadcastChannel('room'); const other = new BroadcastChannel('elsewhere');
  const log = [];
  a.onmessage = (e) => log.push(`a ${e.data}`); other.onmessage = () => log.push('wrong room');
  b.onmessage = (e) => { log.push(`b ${e.data}`); Promise.resolve().then(() => log.push('micro')); process.nextTick(() => log.push('tick')); if (e.data === 2) { a.close(); b.close(); other.close(); setImmediate(() => console.log(log)); } };
  a.postMessage(1); a.postMessage(2);
}
