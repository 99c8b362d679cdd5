// What an `await` cannot make a promise of, as its `constructor` throws, is thrown where it is awaited.
const poisoned = (text = 'poison') => Object.defineProperty(Promise.resolve(1), 'constructor', { get() { throw new Error(text); } });
const order = [];
async function caught() {
  try {
    await poisoned();
    order.push('not here');
  } catch (error) {
    order.push(`caught ${error.message}`);
  } finally {
    order.push('finally');
  }
  return 'went on';
}
async function uncaught() {
  try {
    await poisoned('past');
  } finally {
    order.push('finally too');
  }
}
async function* generated() {
  try {
    await poisoned();
  } catch (error) {
    yield `generator caught ${error.message}`;
  }
  try {
    yield poisoned('yielded');
  } catch (error) {
    yield `generator caught ${error.message}`;
  }
  return poisoned('returned');
}
async function many() {
  let count = 0;
  for (let at = 0; at < 50000; at++) {
    try {
      await poisoned();
    } catch {
      count++;
    }
  }
  return count;
}
async function twice() {
  try {
    await poisoned('one');
  } catch {
    await poisoned('two');
  }
}
async function later() {
  await null;
  try { await poisoned(); } catch (error) { order.push(`later ${error.message}`); }
  await null;
  order.push('later still');
}
(async () => {
  Promise.resolve().then(() => order.push('tick 1')).then(() => order.push('tick 2')).then(() => order.push('tick 3'));
  const all = [caught(), uncaught().catch(error => `rejected ${error.message}`), twice().catch(error => `rejected ${error.message}`), later()];
  order.push('sync end');
  console.log(await Promise.all(all));
  console.log(order.join('\n'));
  const generator = generated();
  for (let at = 0; at < 4; at++) console.log(await generator.next().catch(error => `rejected ${error.message}`));
  console.log(await many());
  try {
    for await (const value of [poisoned('in a list'), 2]) console.log(value);
  } catch (error) {
    console.log('for await', error.message);
  }
  const closing = { [Symbol.asyncIterator]() { return this; }, next() { return { value: 1 }; }, return() { return poisoned('closing'); } };
  try {
    for await (const value of closing) break;
  } catch (error) {
    console.log(error.message);
  }
  try {
    for await (const value of closing) throw new Error('own');
  } catch (error) {
    console.log(error.message);
  }
  try {
    for await (const { x: { y } } of closing);
  } catch (error) {
    console.log(error.message);
  }
  const strange = { [Symbol.asyncIterator]() { return this; }, next() { return poisoned('next'); }, return() { console.log('no return'); } };
  try {
    for await (const value of strange);
  } catch (error) {
    console.log(error.message);
  }
  await import('data:text/javascript,' + encodeURIComponent(`
    const poisoned = Object.defineProperty(Promise.resolve(1), 'constructor', { get() { throw new Error('poison'); } });
    try { await poisoned; } catch (error) { console.log('module caught', error.message); }
  `));
})();
