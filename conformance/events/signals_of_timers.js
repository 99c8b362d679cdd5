// A signal that follows one of a timer, which nobody else holds; and the constants of events.
const { once } = require('events');
const util = require('util');

(async () => {
  const any = AbortSignal.any([AbortSignal.timeout(5), AbortSignal.timeout(100000), new AbortController().signal]);
  setTimeout(() => {}, 2000).unref();
  const kept = setInterval(() => {}, 1000);
  await once(any, 'abort');
  clearInterval(kept);
  console.log(any.aborted, any.reason.name);
})();
for (const name of ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE']) console.log(name, Object.getOwnPropertyDescriptor(Event, name));
console.log(util.inspect({ [util.inspect.custom]: EventTarget.prototype[util.inspect.custom], a: 1 }));
const { port1 } = new MessageChannel();
port1.close();
for (const name of ['on', 'once', 'off', 'emit', 'listenerCount', 'eventNames', 'removeAllListeners', 'setMaxListeners', 'getMaxListeners']) {
  try {
    port1[name].call([], 'x', () => {});
  } catch (error) {
    console.log(name, error.code, error.message);
  }
}
