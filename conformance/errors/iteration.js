// What is said of something that cannot be walked over, or whose iterator is none: by `for`, `for await`, `yield*`, patterns and natives.
const show = (name, work) => {
  const said = (error) => console.log(name, `${error.name}: ${error.message}`);
  try {
    const result = work();
    if (result && result.then) return result.then((value) => console.log(name, 'gave', value), said);
    console.log(name, 'gave', result);
  } catch (error) {
    said(error);
  }
};
const S = Symbol.asyncIterator, I = Symbol.iterator;
const no = { [I]() { return {}; } }, five = { [I]() { return { next: 5 }; } }, obj = { [I]() { return { next: {} }; } };
const text = { [I]() { return { next: 'text' }; } };

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
  await show('y2', async () => { async function* g() { yield* 5; } await g().next(); });
  await show('y3', async () => { async function* g() { yield* x; } await g().next(); });
  await show('y4', async () => { async function* g() { yield* ap; } await g().next(); });
  show('y5', () => { function* g() { yield* i5; } g().next(); });
  show('n1', () => { for (const y of { [I]() { return {}; } }); });
  show('n2', () => { for (const y of { [I]() { return { next: 5 }; } }); });
  await show('n3', async () => { for await (const y of { [S]() { return {}; } }); });
  await show('n4', async () => { for await (const y of { [S]() { return { next: 5 }; } }); });
  show('r1', () => { for (const y of { [I]() { return { next() { return { done: false }; }, return: 5 }; } }) break; });
  await show('r2', async () => { for await (const y of { [S]() { return { next() { return { done: false }; }, return: 5 }; } }) break; });
  await show('c2', async () => { console.log.bind; for await (const y of (() => 7)()) console.log(3); });
  await show('c3', async () => { for await (const y of o.a.b.c); });
  await show('c4', async () => { for await (const y of function f() {}); });
  await show('c5', async () => { for await (const y of new Date(0)); });
  await show('c6', async () => { for await (const y of { a: 1 }); });
  await show('c7', async () => { for await (const y of x + 1); });
  await show('c8', async () => { for await (const y of await 7); });
  await show('c9', async () => { for await (const y of Math.max(1)); });
};

const second = async () => {
  for (const [n, v] of Object.entries({ no, five, obj, text })) {
    show(n + 3, () => Math.max(1, ...v, console.log.name));
    show(n + 4, () => { const [a] = v; });
    show(n + 5, () => { const [...a] = v; });
    show(n + 6, () => { let a; [a] = v; });
    show(n + 7, () => { for (const a of v) console.log(a); });
    show(n + 8, () => { function* g() { yield* v; } [...g()]; });
    show(n + 9, () => Array.from(v));
    show(n + 10, () => new Set(v));
    show(n + 11, () => (([a]) => a)(v));
    await show(n + 12, () => Promise.all(v));
    await show(n + 13, async () => { for await (const a of v) console.log(a); });
    await show(n + 14, async () => { async function* g() { yield* v; } await g().next(); });
    show(n + 15, () => new Map(v));
    show(n + 16, () => Object.fromEntries(v));
  }
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
