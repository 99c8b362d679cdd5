'use strict';
// Async functions as a server uses them: nested awaits, Promise.all, try and finally, an async generator.
const load = async (id) => ({ id, parent: id >> 1 });
const path = async (id) => (id === 0 ? [] : [id, ...(await path((await load(id)).parent))]);
async function* pages(count) { for (let at = 0; at < count; at++) yield await load(at); }
require('./harness.js')('async_await', async () => {
  let sum = 0;
  for (let at = 0; at < 20; at++) {
    try {
      sum += (await path(1000 + at)).length;
      if (at % 5 === 0) throw new Error('retry');
    } catch {
      sum += (await Promise.all([load(1), load(2), load(3)])).length;
    } finally {
      await null;
    }
  }
  for await (const page of pages(100)) sum += page.parent & 1;
  if (sum !== 262) throw new Error(`wrong result: ${sum}`);
});
