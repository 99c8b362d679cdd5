// p-queue: concurrency, priorities, intervals, timeouts and abort signals, from an ES module.
import PQueue, { TimeoutError } from 'p-queue';
import { setTimeout as delay } from 'node:timers/promises';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const log = (...words) => console.log(...words);
const queue = new PQueue({ concurrency: 2 });
let running = 0, most = 0;
const task = (name, ms) => async () => {
  most = Math.max(most, ++running);
  log('start', name);
  await delay(ms);
  running -= 1;
  return name;
};
for (const event of ['active', 'idle', 'empty']) queue.on(event, () => log('event', event, queue.size, queue.pending));
queue.on('completed', (result) => log('completed', result));
queue.on('error', (error) => log('error', error.message));

const added = queue.addAll([task('one', 15), task('two', 400), task('three', 5)]);
const urgent = queue.add(task('urgent', 5), { priority: 1 });
const bad = queue.add(async () => { throw new Error('bad'); }).catch((error) => error.message);
log('waiting', queue.size, queue.pending, queue.sizeBy({ priority: 1 }));
log(await added, await urgent, await bad);
await queue.onIdle();
log('most at once', most);
queue.removeAllListeners();

// Paused, started, cleared.
const paused = new PQueue({ autoStart: false });
const done = [];
for (const name of ['a', 'b', 'c']) paused.add(() => done.push(name), { id: name, priority: 0 });
paused.setPriority('c', 5);
log(paused.isPaused, paused.size, done);
paused.start();
await paused.onEmpty();
log(done, paused.isPaused);
paused.pause();
paused.add(() => done.push('never'));
paused.clear();
log(paused.size, done.length);

// An interval's cap: two tasks each 40 ms.
const capped = new PQueue({ intervalCap: 2, interval: 40 });
const began = performance.now();
const turns = await capped.addAll([0, 0, 1, 1, 2].map((interval) => async () => performance.now() - began >= interval * 40 - 2));
log('none too early', turns);

// Time runs out, and signals.
const timed = new PQueue({ timeout: 10 });
await timed.add(() => delay(1000, null, { ref: false })).catch((error) => log(error instanceof TimeoutError, error.name));
log(await timed.add(async () => 'in time'));
const controller = new AbortController();
const single = new PQueue({ concurrency: 1 });
const first = single.add(() => delay(10, 'first'));
const second = single.add(async () => 'second', { signal: controller.signal }).catch((error) => `${error.name}: ${error.message}`);
controller.abort();
log(await first, await second);

// Files through a queue: never more than three descriptors are open.
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'npm-p-queue-'));
const files = new PQueue({ concurrency: 3 });
let open = 0, mostOpen = 0;
await files.addAll(Array.from({ length: 12 }, (_, at) => async () => {
  const handle = await fs.open(path.join(folder, `${at}`), 'w+');
  mostOpen = Math.max(mostOpen, ++open);
  await handle.writeFile(`${at}`.repeat(at));
  await handle.close();
  open -= 1;
}));
log('open at most', mostOpen, 'left', open);
const sizes = await files.addAll((await fs.readdir(folder)).sort((a, b) => a - b).map((name) => async () => (await fs.stat(path.join(folder, name))).size));
log(sizes);
await fs.rm(folder, { recursive: true });
await files.onSizeLessThan(1);
files.concurrency = 7;
log(files.concurrency);
try { files.concurrency = 0; } catch (error) { log(error.name, error.message); }
