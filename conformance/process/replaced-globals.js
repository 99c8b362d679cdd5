// A script may replace the language's globals, and put what it likes on Object.prototype: what comes with the program goes
// on working with the real ones.
const { log } = console;
const { defineProperty, prototype } = Object;
const timers = require('timers');
const names = ['Array', 'Date', 'Error', 'FinalizationRegistry', 'JSON', 'Map', 'Math', 'Number', 'Promise', 'Proxy',
  'RangeError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'TypeError', 'Uint8Array', 'WeakMap', 'WeakRef', 'Object'];
for (const name of ['get', 'set']) {
  defineProperty(prototype, name, { __proto__: null, value() { throw 'called'; }, configurable: true, writable: true });
}
defineProperty(Error, 'stackTraceLimit', { __proto__: null, value: 10, writable: false });
prototype.toString = () => 'replaced';
globalThis.performance = undefined;
delete globalThis.process;
for (const name of names) globalThis[name] = undefined;

const process = require('process');
log({ a: 1, b: [1, 2, { c: 'd' }] }, [new (class A {})()]);
console.table([{ a: 1 }]);
const fs = require('fs');
log(fs.existsSync('/'), fs.readFileSync('/dev/null', 'utf8'));
try {
  fs.openSync('/no/where');
} catch (error) {
  log(error.code);
}
try {
  require('./nowhere');
} catch (error) {
  log(error.code);
}
log(Buffer.from(new ArrayBuffer(2)), Buffer.from('abc').toString('hex'));
log(new URL('http://a/b?c=d').searchParams.getAll('c'));
log(structuredClone({ a: [1, 2n] }));
log(require('util').promisify(timers.setTimeout)(1) instanceof (async () => {})().constructor);
log(require('util').callbackify(async () => 1).name);
const emitter = new (require('events'))();
emitter.once('x', (value) => log('event', value));
emitter.emit('x', 1);
const controller = new AbortController();
controller.signal.addEventListener('abort', (event) => log(event.type, typeof event.timeStamp));
controller.abort();
process.nextTick(() => log('tick'));
fs.promises.readFile('/dev/null').then((bytes) => {
  log(bytes.length);
  const { port1, port2 } = new MessageChannel();
  port1.once('message', (message) => {
    log(message);
    port1.close();
    fs.stat('/no/where', (error) => {
      log(error.code);
      require('timers/promises').setTimeout(1, 'later').then(log);
    });
  });
  port2.postMessage({ a: 1 });
});
