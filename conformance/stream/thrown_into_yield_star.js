'use strict';
// What is thrown into an async generator that goes through a sync generator is what was thrown, and a stream of one is destroyed with it.
const { Readable, Writable, pipeline } = require('stream');

function* numbers() { yield 1; yield 2; }
async function* plain() { yield* numbers(); }
async function* caught() {
  try { yield* numbers(); } catch (error) { console.log('caught', error.message); yield 9; }
}
async function* nested() { yield* plain(); }
async function* throwable() {
  yield* (function*() { try { yield 1; } catch (error) { console.log('inner', error.message); yield 2; } })();
}

(async () => {
  for (const generator of [plain, caught, nested, throwable]) {
    const iterator = generator();
    await iterator.next();
    try {
      console.log(generator.name, await iterator.throw(new Error('mine')));
    } catch (error) {
      console.log(generator.name, String(error));
    }
    console.log(await iterator.next());
  }

  for (const source of [Readable.from(plain()), Readable.from([1, 2, 3]).flatMap((value) => [value, value])]) {
    await new Promise((resolve) => {
      const sink = new Writable({ objectMode: true, write(chunk, encoding, callback) { callback(new Error('full')); } });
      source.on('error', (error) => console.log('source', String(error)));
      pipeline(source, sink, (error) => { console.log(String(error)); resolve(); });
    });
  }
})();
