// What runs when, after a handled exception or in the midst of rejections. Found by random programs; every case is made of
// what is overdue, so that no clock decides.
const { MessageChannel } = require('node:worker_threads');
const cell = new Int32Array(new SharedArrayBuffer(4));
const block = () => Atomics.wait(cell, 0, 0, 60);
const say = (text) => console.log(`  ${text}`);

const cases = {
  'a timer that clears itself and throws: its microtasks wait for the next list'() {
    answer = () => queueMicrotask(() => say('microtask'));
    const timer = setTimeout(() => { clearTimeout(timer); throw 1; }, 10);
    setTimeout(() => say('next list'), 30);
    block();
  },
  'a timer started again by the tick before its turn fires nevertheless'() {
    setTimeout(() => process.nextTick(() => { again.refresh(); setImmediate(() => say('immediate')); }), 10);
    const again = setTimeout(() => say('again'), 10);
    block();
  },
  'a timer cleared by the tick before its turn does not fire'() {
    setTimeout(() => process.nextTick(() => clearTimeout(gone)), 10);
    const gone = setTimeout(() => say('not this'), 10);
    setTimeout(() => say('this'), 10);
    block();
  },
  'refresh of a timer that was cleared after it fired keeps the loop, and calls nothing'() {
    const timer = setTimeout(() => {
      say('once');
      setImmediate(() => { clearTimeout(timer); timer.refresh(); setTimeout(() => say('still alive'), 5).unref(); });
    }, 20);
  },
  'a tick of a message throws: the other messages come in the next turn'() {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', (text) => {
      say(text);
      if (text === 'first') process.nextTick(() => { throw 1; });
      if (text === 'second') port2.close();
    });
    setImmediate(() => setImmediate(() => say('immediate')));
    setImmediate(() => { port1.postMessage('first'); port1.postMessage('second'); });
  },
  'a rejection that a listener of its round handles is told nevertheless'() {
    const first = Promise.reject(1), second = Promise.reject(2);
    rejected = (reason, promise) => {
      say(`unhandled ${reason}`);
      if (promise === first) second.catch(() => say('caught'));
    };
  },
};

let answer, rejected;
process.on('uncaughtException', () => { say('uncaught'); answer?.(); });
process.on('unhandledRejection', (reason, promise) => rejected(reason, promise));
process.on('rejectionHandled', () => say('handled'));
const names = Object.keys(cases);
process.on('beforeExit', () => {
  const name = names.shift();
  if (!name) return;
  answer = undefined;
  console.log(name);
  setImmediate(cases[name]);
});
