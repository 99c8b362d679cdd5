// What is said of something that cannot be walked over, or whose iterator is none: by `for`, `for await`, `yield*`, patterns and natives.
const show = (name, work) => {
  // The value of an iterator's result is V8's.
  const said = (error) => console.log(name, `${error.name}: ${error.message.replace(/result .* is not/, 'result is not')}`);
  try {
    const result = work();
    if (result && result.then) return result.then((value) => console.log(name, 'gave', value), said);
    console.log(name, 'gave', result);
  } catch (error) {
    said(error);
  }
};
const S = Symbol.asyncIterator, I = Symbol.iterator;

const first = async () => {
  const x = 5, o = { a: {} }, u = undefined;
  await show(1, async () => { for await (const y of 5); });
  await show(2, async () => { for await (const y of x); });
  await show(3, async () => { for await (const y of o.a); });
  await show(4, async () => { for await (const y of u); });
  await show(5, async () => { for await (const y of o.b); });
  await show(6, async () => { for await (const y of null) console.log(1); });
  const a5 = { [S]: 5 }, i5 = { [I]: 5 };
  await show(8, async () => { for await (const y of a5); });
  await show(9, async () => { for await (const y of i5) console.log(y); });
  const ap = { [S]() { return 1; } }, ip = { [I]() { return 1; } };
  await show(10, async () => { for await (const y of ap); });
  await show(11, async () => { for await (const y of ip); });
  show(12, () => { for (const y of ip); });
  show(13, () => [...ip]);
  show(14, () => { const [y] = ip; });
  show(15, () => { for (const y of i5); });
  show(16, () => [...i5]);
  show(17, () => Math.max(...i5));
  show(18, () => { const [y] = i5; });
  const next = v => ({ [I]() { return { next() { return v; } }; } });
  const anext = v => ({ [S]() { return { next() { return v; } }; } });
  const ret = v => ({ [I]() { return { next() { return { value: 1, done: false }; }, return() { return v; } }; } });
  const aret = v => ({ [S]() { return { next() { return { value: 1, done: false }; }, return() { return v; } }; } });
  const sym = Symbol('s');
  for (const v of [1, undefined, null, 'text', true, 1.5, 10n, -0]) {
    show(['next', v], () => { for (const y of next(v)); });
    show(['spread', v], () => [...next(v)]);
    show(['apart', v], () => { const [y] = next(v); });
    await show(['async next', v], async () => { for await (const y of anext(v)); });
    await show(['async sync next', v], async () => { for await (const y of next(v)); });
    show(['return', v], () => { for (const y of ret(v)) break; });
    show(['return apart', v], () => { const [y] = ret(v); });
    await show(['async return', v], async () => { for await (const y of aret(v)) break; });
    await show(['async sync return', v], async () => { for await (const y of ret(v)) break; });
    show(['yield* next', v], () => { function* g() { yield* next(v); } g().next(); });
    await show(['async yield* next', v], async () => { async function* g() { yield* anext(v); } await g().next(); });
    show(['yield* return', v], () => { function* g() { yield* ret(v); } const i = g(); i.next(); i.return(3); });
    await show(['async yield* return', v], async () => { async function* g() { yield* aret(v); } const i = g(); await i.next(); await i.return(3); });
    show(['from', v], () => Array.from(next(v)));
    show(['map', v], () => new Map(next(v)));
    show(['all', v], () => Promise.all(next(v)));
  }
  show('symbol', () => { for (const y of next(sym)); });
  show('symbol r', () => { for (const y of ret(sym)) break; });
  show('y1', () => { function* g() { yield* 5; } g().next(); });
  await show('y4', async () => { async function* g() { yield* ap; } await g().next(); });
  show('r1', () => { for (const y of { [I]() { return { next() { return { done: false }; }, return: 5 }; } }) break; });
  await show('c2', async () => { console.log.bind; for await (const y of (() => 7)()) console.log(3); });
  await show('c3', async () => { for await (const y of o.a.b.c); });
  await show('c9', async () => { for await (const y of Math.max(1)); });
};

const second = async () => {
  const ret = r => ({ [I]() { return { next() { return { value: 1, done: false }; }, return: r }; } });
  for (const r of [5, 'text', {}, true]) {
    show([r, 1], () => { for (const a of ret(r)) break; });
    show([r, 2], () => { const [a] = ret(r); });
    show([r, 3], () => { for (const a of ret(r)) throw new Error('own'); });
    show([r, 5], () => (() => { for (const a of ret(r)) return 1; })());
  }
  const o = { f: 1, g: { h: null } };
  show('f1', () => { for (const a of [1]) o.f(a); });
  show('f2', () => { for (const a of [1]) { console.log(a); o.g.i(); } });
  await show('f3', async () => { for await (const a of [1]) o.f(a); });
  await show('f4', async () => { await o.f(); });
  await show('f6', async () => { for await (const a of (await o.f())) console.log(a); });
  show('f10', () => Math.max(...o.f()));
  await show('f11', async () => { for await (const a of [o.f]) await a(); });
  await show('f12', async () => { const x = 5; for await (const a of x) await a(); });
  await show('f13', async () => { for await (const a of [1]) { for await (const b of a) console.log(b); } });
};

first().then(second);
