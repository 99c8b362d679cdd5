// Shared memory stays shared through a clone and through a port.
const sab = new SharedArrayBuffer(4); const view = new Uint8Array(sab);
const copy = structuredClone({ view, sab });
console.log(copy.sab !== sab, copy.view.buffer === copy.sab, copy.sab instanceof SharedArrayBuffer);
view[1] = 9; console.log(copy.view[1]); copy.view[2] = 8; console.log(view[2]);
const growable = new SharedArrayBuffer(1, { maxByteLength: 8 }); console.log(structuredClone(growable).growable, structuredClone(growable).maxByteLength);
try { structuredClone(sab, { transfer: [sab] }); } catch (e) { console.log(e.name, e.message); }
const { port1, port2 } = new MessageChannel();
port2.onmessage = ({ data }) => { new Int32Array(data)[0] = 77; console.log(new Int32Array(sab)[0]); port2.close(); };
port1.postMessage(sab);
