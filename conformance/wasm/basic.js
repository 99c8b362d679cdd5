// WebAssembly from a script: compilation now and later, imports, memory that grows, traps.
'use strict';
const bytes = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 11, 2, 96, 2, 127, 127, 1, 127, 96, 0, 1, 127, 3, 3, 2, 0, 1, 7, 13, 2, 3, 97, 100, 100, 0, 0, 3, 100, 105, 118, 0, 1, 10, 17, 2, 7, 0, 32, 0, 32, 1, 106,
  11, 7, 0, 65, 1, 65, 0, 109, 11,
]);
console.log(WebAssembly.validate(bytes), WebAssembly.validate(new Uint8Array(3)), Object.prototype.toString.call(WebAssembly));
const { exports: made } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
console.log(made.add(2, 3), made.add(2 ** 31, 2 ** 31), made.add.name, made.add.length, Object.keys(made), Object.isFrozen(made));
try {
  made.div();
} catch (error) {
  console.log(error instanceof WebAssembly.RuntimeError, error.name);
}
for (const wrong of [new Uint8Array(3), new Uint8Array(bytes.subarray(0, 20)), 5, undefined]) {
  try {
    new WebAssembly.Module(wrong);
  } catch (error) {
    console.log(error.name, error instanceof WebAssembly.CompileError, error instanceof Error);
  }
}
const memory = new WebAssembly.Memory({ initial: 1, maximum: 3 });
const { buffer } = memory;
console.log(memory.grow(1), memory.buffer.byteLength, buffer.byteLength, buffer === memory.buffer);
try {
  memory.grow(5);
} catch (error) {
  console.log(error.name);
}
const global = new WebAssembly.Global({ value: 'i64', mutable: true }, 5n);
global.value = 7n;
console.log(global.value, new WebAssembly.Table({ initial: 2, element: 'anyfunc' }).length);
console.log(WebAssembly.Module.exports(new WebAssembly.Module(bytes)), WebAssembly.Module.imports(new WebAssembly.Module(bytes)));
console.log(new WebAssembly.Instance(new WebAssembly.Module(bytes)), made, memory);
// What is compiled later keeps the loop alive.
WebAssembly.compile(bytes).then((module) => console.log('compiled', module instanceof WebAssembly.Module));
WebAssembly.compile(new Uint8Array(4)).catch((error) => console.log('refused', error.name));
WebAssembly.instantiate(bytes).then(({ instance, module }) => console.log('made', instance.exports.add(4, 5), module instanceof WebAssembly.Module)).then(() => {
  WebAssembly.instantiate(new WebAssembly.Module(bytes)).then((instance) => console.log('made', instance.exports.add(6, 7)));
});
const worker = new (require('worker_threads').Worker)(
  `require('worker_threads').parentPort.on('message', ({ bytes, memory }) => {
     new Int32Array(memory)[0] = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.add(20, 22);
     require('worker_threads').parentPort.postMessage('done');
     process.exit();
   })`, { eval: true });
const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
worker.on('message', () => console.log('worker', new Int32Array(shared.buffer)[0], shared.buffer instanceof SharedArrayBuffer));
setTimeout(() => worker.postMessage({ bytes, memory: shared.buffer }), 50);
