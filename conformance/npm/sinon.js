// sinon: clocks that are set by hand, also that of Intl; spies, stubs, mocks, and what they say of a wrong expectation.
'use strict';
process.env.TZ = 'UTC';
const sinon = require('sinon');

const log = (...words) => console.log(...words);
const clock = sinon.useFakeTimers({ now: Date.UTC(2026, 10, 16, 5, 47), toFake: ['setTimeout', 'clearTimeout', 'Date', 'setInterval', 'setImmediate', 'performance', 'hrtime', 'Intl'] });
log(new Date().toISOString(), new Date().toLocaleString('en-US'), new Intl.DateTimeFormat('en-US', { timeStyle: 'short' }).format());
const calls = [];
setTimeout(() => calls.push(`timeout ${Date.now()}`), 5000);
setInterval(() => calls.push('interval'), 2000);
setImmediate(() => calls.push('immediate'));
clock.tick(6000);
log(calls, Date.now(), performance.now(), process.hrtime(), clock.countTimers());
log(new Intl.DateTimeFormat('en', { timeStyle: 'medium' }).formatToParts().map(({ value }) => value.trim()).join('|'), Intl.DateTimeFormat().resolvedOptions().locale, new Intl.NumberFormat('en').format(12345.6), new Intl.DateTimeFormat('en').formatRange(0, 1e10).replaceAll('\u2009', ' '), Intl.DateTimeFormat.supportedLocalesOf('en-GB'));
(async () => {
  const late = new Promise((resolve) => { setTimeout(resolve, 1e6, 'done'); });
  await clock.tickAsync(1e6);
  log(await late);
  clock.setSystemTime(0);
  log(new Date().toString());
  clock.restore();
  log(Date.now() > 1e12, new Intl.DateTimeFormat('en', { year: 'numeric' }).format(0));

  const spy = sinon.spy((left, right) => left + right);
  log(spy(1, 2), spy.args, spy.calledWith(1, sinon.match.number), spy.returned(3), spy.firstCall.returnValue);
  const store = { get() { throw new Error('real'); }, async load() { return 'real'; } };
  const stub = sinon.stub(store, 'get').withArgs('a').returns(1).withArgs('b').throws(new TypeError('b'));
  sinon.stub(store, 'load').resolves('fake').onSecondCall().rejects(new Error('second'));
  log(store.get('a'), await store.load(), await store.load().catch((error) => error.message), stub.callCount);
  for (const wrong of [() => store.get('b'), () => sinon.assert.calledTwice(spy), () => sinon.assert.calledWith(spy, 'x'), () => sinon.assert.callOrder(spy, stub)]) {
    try {
      wrong();
      log('nothing');
    } catch (error) {
      // What follows names the place of each call.
      log(`${error.name}: ${error.message.split('\n')[0]}`);
    }
  }
  sinon.restore();
  const mock = sinon.mock(store);
  mock.expects('get').once().withExactArgs(5).returns('five');
  log(store.get(5), mock.verify());
})();
