// rxjs: operators and subjects over emitters, timers, promises and streams, on each of its schedulers.
'use strict';
const rx = require('rxjs');
const { EventEmitter, once } = require('events');
const fs = require('fs');
const { Readable } = require('stream');
const { TestScheduler } = require('rxjs/testing');
const assert = require('assert');

const log = (...words) => console.log(...words);
const watch = (name) => ({
  next: (value) => log(name, 'next', value),
  error: (error) => log(name, 'error', error.name, error.message),
  complete: () => log(name, 'complete'),
});

// The schedulers against the loop's own queues, seen from the poll phase.
fs.stat('.', () => {
  setTimeout(() => log('order: timeout'), 0);
  rx.asyncScheduler.schedule(() => log('order: async'), 0);
  rx.asapScheduler.schedule(() => log('order: asap'));
  rx.queueScheduler.schedule(() => {
    rx.queueScheduler.schedule(() => log('order: queue, inner'));
    log('order: queue, outer');
  });
  process.nextTick(() => log('order: tick'));
  setImmediate(() => log('order: immediate'));
  Promise.resolve().then(() => log('order: promise'));
});

async function main() {
  await rx.lastValueFrom(rx.timer(20));
  rx.range(1, 10).pipe(rx.filter((n) => n % 2), rx.map((n) => n * n), rx.scan((sum, n) => sum + n), rx.takeLast(2)).subscribe(watch('squares'));
  const bus = new EventEmitter();
  const words = rx.fromEvent(bus, 'word').pipe(rx.takeUntil(rx.fromEvent(bus, 'stop')), rx.bufferCount(2));
  words.subscribe(watch('words'));
  for (const word of ['a', 'b', 'c']) bus.emit('word', word);
  bus.emit('stop');
  log('listeners left', bus.listenerCount('word'), bus.listenerCount('stop'));

  log(await rx.lastValueFrom(rx.from(Readable.from(['x', 'y', 'z'])).pipe(rx.toArray())));
  log(await rx.lastValueFrom(rx.interval(3).pipe(rx.take(4), rx.reduce((all, n) => [...all, n], []))));
  log(await rx.firstValueFrom(rx.race(rx.timer(60).pipe(rx.map(() => 'slow')), rx.timer(2).pipe(rx.map(() => 'fast')))));
  log(await rx.lastValueFrom(rx.forkJoin({ one: rx.of(1), two: Promise.resolve(2), three: rx.timer(2) })));
  log(await rx.firstValueFrom(rx.EMPTY).catch((error) => error.name), await rx.firstValueFrom(rx.EMPTY, { defaultValue: 7 }));

  const delays = (how) => rx.lastValueFrom(rx.of(12, 6, 1).pipe(rx[how]((ms) => rx.timer(ms * 3).pipe(rx.map(() => ms))), rx.toArray()));
  for (const how of ['mergeMap', 'concatMap', 'switchMap', 'exhaustMap']) log(how, await delays(how));

  let tries = 0;
  const flaky = rx.defer(() => (++tries < 3 ? rx.throwError(() => new Error(`try ${tries}`)) : rx.of(`came at ${tries}`)));
  log(await rx.lastValueFrom(flaky.pipe(rx.retry({ count: 5, delay: 2 }))));
  rx.throwError(() => new RangeError('bad')).pipe(rx.catchError((error) => rx.of(error.name)), rx.finalize(() => log('finalized'))).subscribe(watch('caught'));
  log(await rx.lastValueFrom(rx.NEVER.pipe(rx.timeout(4))).catch((error) => [error.name, error.message]));

  const subject = new rx.BehaviorSubject('now');
  const replay = new rx.ReplaySubject(2);
  subject.subscribe(replay);
  subject.next('then');
  subject.next('later');
  replay.subscribe(watch('replay'));
  const shared = rx.interval(4).pipe(rx.take(2), rx.tap((n) => log('made', n)), rx.share());
  await Promise.all([rx.lastValueFrom(shared), rx.lastValueFrom(shared.pipe(rx.map((n) => -n)))]).then((both) => log('shared', both));
  subject.error(new Error('over'));
  log(await rx.lastValueFrom(rx.combineLatest([rx.of('a', 'b'), rx.of(1, 2)]).pipe(rx.map(([a, b]) => a + b), rx.toArray())));
  log(await rx.lastValueFrom(rx.from(['b1', 'a1', 'b2']).pipe(rx.groupBy((s) => s[0]), rx.mergeMap((group) => group.pipe(rx.toArray())), rx.toArray())));
  log(await rx.lastValueFrom(rx.zip(rx.of(1, 2, 3), rx.of('x', 'y')).pipe(rx.toArray())));
  log(await rx.lastValueFrom(rx.of('k', 'k', 'l', 'k').pipe(rx.distinctUntilChanged(), rx.pairwise(), rx.toArray())));

  // Virtual time: marbles.
  new TestScheduler((actual, expected) => { assert.deepStrictEqual(actual, expected); log('marbles agree', actual.length); }).run(({ cold, expectObservable }) => {
    expectObservable(cold('-a-b--c|').pipe(rx.debounceTime(2))).toBe('-----b-(c|)');
    expectObservable(cold('a 500ms b 500ms (c|)').pipe(rx.delay(100))).toBe('100ms a 500ms b 500ms (c|)');
  });
}

// What an observer throws comes out of the loop, not out of next().
process.once('uncaughtException', (error) => log('uncaught', error.message));
main().catch((error) => log('failed', error.message.split('\n')[0])).then(async () => {
  rx.of(1).subscribe(() => { throw new Error('of an observer'); });
  log('after it');
  const bus = new EventEmitter();
  setImmediate(() => bus.emit('done', 'once'));
  log(await once(bus, 'done'));
});
