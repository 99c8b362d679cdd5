// What is said of values that patterns cannot take apart or walk over.
'use strict';

function tell(work) {
  try {
    work();
    console.log('nothing');
  } catch (error) {
    // The value of an iterator's result is V8's.
    console.log(`${error}`.replace(/result .* is not/, 'result is not'));
  }
}

const empty = {};
const some = { flag: true, inner: {}, number: 1 };
const give = (value) => value;
function named({ a, b }) { return [a, b]; }
class Point {
  constructor({ x }) { this.x = x; }
  move({ y } = null) { return y; }
}

tell(() => named());
tell(() => named(null));
tell(() => (function ({ a }) { return a; })());
tell(() => (({ a }) => a)(null));
tell(() => ((first, { b }) => b)(1));
tell(() => ((first, { b } = null) => b)());
tell(() => [null].map(({ id }) => id));
tell(() => new Point());
tell(() => new Point({}).move());
tell(() => { const { a } = null; });
tell(() => { const { a } = undefined; });
tell(() => { const { a } = empty.missing; });
tell(() => { const { a } = give(); });
tell(() => { const { a } = some.inner.give?.(1) ?? give(null); });
tell(() => { const { length } = null; });
tell(() => { const { a, ...rest } = undefined; });
tell(() => { const { ...rest } = null; });
tell(() => { const {} = null; });
tell(() => { const key = 'z'; const { [key]: value } = null; });
tell(() => { const { 'q w': value } = null; });
tell(() => { const { a: { b } } = {}; });
tell(() => { const { a: { b } } = { a: null }; });
tell(() => { const { a: { b: { c } } } = { a: {} }; });
tell(() => { const [{ e }] = [null]; });
tell(() => { const [{ f } = null] = []; });
tell(() => { let g; ({ g } = null); });
tell(() => { let h; ({ h } = empty.missing); });
tell(() => { let i; [{ i }] = [null]; });
tell(() => { for (const { j } of [null]); });
tell(() => { for (const { k } of [empty.missing]); });
tell(() => { for (const [l, { m }] of new Map([[1, null]])); });
tell(() => { try { throw null; } catch ({ message }) { console.log(message); } });

tell(() => { const [a] = null; });
tell(() => { const [a] = undefined; });
tell(() => { const [a] = {}; });
tell(() => { const [a] = empty; });
tell(() => { const [a] = empty.missing; });
tell(() => { const [a] = give(5); });
tell(() => [...5]);
tell(() => [...null]);
tell(() => [...{}]);
tell(() => give(...empty));
tell(() => { for (const a of some.inner); });

tell(() => { const broken = { [Symbol.iterator]() { return 5; } }; [...broken]; });
tell(() => { const broken = { [Symbol.iterator]() { return { next() {} }; } }; [...broken]; });
tell(() => { const broken = { [Symbol.iterator]() { return { next: () => 5 }; } }; for (const one of broken) give(one); });

(async () => {
  try {
    const { a } = await null;
  } catch (error) {
    console.log(`${error}`);
  }
})();

// Where it is said to be: at the first name of the pattern.
const place = (error) => /taken_apart\.js:\d+:\d+/.exec(error.stack)?.[0];
for (const work of [
  () => { const { a } = null; },
  () => { give(1); for (const { b } of [null]); },
  () => named(),
  () => { const { c,
                  d } = empty.missing; },
]) {
  try { work(); } catch (error) { console.log(place(error)); }
}
