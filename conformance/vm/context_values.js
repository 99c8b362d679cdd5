// Values of another realm, where they meet the main one.
const vm = require('vm');
const util = require('util');
const context = vm.createContext({ log: console.log });
const run = (code) => vm.runInContext(code, context, 'v.js');
console.log([run('new Map([[1, 2]])'), run('new Date(0)'), run('[1]'), run('new (class A { x = 1 })'), run('/x/'), run('Promise.resolve(1)'),
  run('({ a: 1 })'), run('Object.create(null)'), run('(function f() {})'), run('new Uint8Array(2)'), run('new Set([1])')]);
const { error, ...rest } = structuredClone(run('({ a: new Date(0), m: new Map([[1, { b: 2 }]]), error: new RangeError("x") })'));
console.log(rest, error instanceof RangeError, error.message);
const bare = vm.createContext(vm.constants.DONT_CONTEXTIFY);
console.log(vm.isContext(bare), vm.runInContext('globalThis', bare) === bare, (bare.a = 1, vm.runInContext('var b = 2; a + b', bare)), bare.b);
console.log(run('new Map().set("k", 1)').get('k'), Map.prototype.get.call(run('new Map([[5, 6]])'), 5));
console.log(JSON.stringify(run('({ a: [1, { b: 2 }] })')), util.isDeepStrictEqual(run('[1]'), run('[1]')));
console.log(run('Error.prepareStackTrace = (e, s) => `sites ${s.length > 0}`; new Error("x").stack'));
console.log(run('Error.prepareStackTrace = undefined; const o = {}; Error.captureStackTrace(o); o.stack.split("\\n")[1]'));
Error.prepareStackTrace = () => 'main';
console.log(run('new Error("x").stack'));
Error.prepareStackTrace = undefined;
console.log(run('function late() { throw new TypeError("late") }; try { late() } catch (e) { e.stack.split("\\n").slice(0, 2).join("|") }'));
try {
  run('let 5');
} catch (caught) {
  console.log(caught instanceof SyntaxError, caught.name, caught.stack.split('\n').slice(0, 5));
}
try {
  vm.runInContext('while (true) {}', context, { timeout: 10 });
} catch (caught) {
  console.log(caught.code);
}
run('Promise.resolve().then(() => log("then")); (async () => { await null; log("await") })(); log("first")');
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('microtask'));
const { AsyncLocalStorage } = require('async_hooks');
const storage = new AsyncLocalStorage();
context.ask = () => storage.getStore();
storage.run('kept', () => run('(async () => { await 1; log("store", ask()); await Promise.resolve(); log("store", ask()) })()'));
run('import("fs")').catch((e) => console.log(e.code));
process.on('unhandledRejection', (reason, promise) => console.log('unhandled', reason.message, util.types.isPromise(promise)));
setTimeout(() => {
  run('Promise.reject(new Error("nobody"))');
  const { Worker } = require('worker_threads');
  const worker = new Worker(`const vm = require('vm'); const c = vm.createContext({ a: 1 }); vm.runInContext('b = a + 1', c);
    require('worker_threads').parentPort.postMessage(c.b)`, { eval: true });
  worker.on('message', (value) => console.log('worker', value)).on('exit', (code) => console.log('exit', code));
}, 1);
