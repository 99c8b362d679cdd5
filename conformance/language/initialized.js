// Variables of `let`, `const` and `class` before, while and after they are initialized, on every way that leads past it.
const say = (name, f) => {
  try {
    console.log(name, f());
  } catch (error) {
    console.log(name, error.name, error.message);
  }
};

say('before', () => { x; let x = 1; });
say('own initializer', () => { let x = x + 1; return x; });
say('assigned before', () => { x = 2; let x = 1; return x; });
say('after', () => { let x = 1; x += 2; x++; return x; });
say('typeof', () => { typeof x; let x; });
say('without value', () => { let x; return x; });
say('block twice', () => {
  const seen = [];
  for (let i = 0; i < 2; i++) {
    try { seen.push(x); } catch (error) { seen.push(error.name); }
    let x = i;
    seen.push(x);
  }
  return seen.join();
});

for (const at of [0, 1, 2, 3]) {
  say(`switch ${at}`, () => {
    switch (at) {
      case 0: let x = 'zero'; return x;
      case 1: return x;
      case 2: x = 'two'; return x;
      default: return typeof x;
    }
  });
  say(`switch, default in the middle ${at}`, () => {
    switch (at) {
      case 0: let x = 'zero'; break;
      default: return x;
      case 1: x = 'one'; return x;
    }
    return 'out';
  });
  say(`switch, falling through ${at}`, () => {
    let seen = '';
    switch (at) {
      case 0: seen += 'a';
      case 1: let x = 'b'; seen += x;
      case 2: seen += x;
    }
    return seen;
  });
  say(`switch in a loop ${at}`, () => {
    let seen = '';
    for (let i = at; i < 3; i++) {
      switch (i) {
        case 1: let x = i; continue;
        case 2: seen += x;
        case 0: seen += i;
      }
    }
    return seen;
  });
}

say('broken out of', () => {
  out: {
    if (say.length === 2) break out;
    let x = 1;
    return x;
  }
  return 'past';
});
say('a closure too early', () => { const f = () => x; const y = f(); let x = 1; return y; });
say('a closure in time', () => { const f = () => x; let x = 1; x = 2; return f(); });
say('a hoisted function', () => { const y = f(); let x = 1; function f() { return x; } return y; });
say('a closure that assigns', () => { let x = 1; const f = () => { x = 5; }; f(); return x; });
say('closures of a loop', () => {
  const all = [];
  for (let i = 0; i < 3; i++) { let j = i * 2; all.push(() => `${i}${j++}`); }
  return all.map((f) => f() + f()).join();
});
say('closures of a loop that go on', () => {
  const all = [];
  for (let i = 0, step = () => { i++; }; i < 3; step(), i++) all.push(() => i);
  return all.length;
});
say('of, by its own name', () => { for (const x of [x]) return x; });
say('in, by its own name', () => { for (const x in x) return x; });
say('of', () => { let sum = 0; for (const x of [1, 2, 3]) { const y = x * 2; sum += y; } return sum; });
say('of, nested', () => {
  let sum = 0;
  for (const x of [1, 2]) for (const y of [x, 3]) { if (y === 3) continue; const z = x + y; sum += z; }
  return sum;
});
say('in', () => { let keys = ''; for (const key in { a: 1, b: 2 }) { let k = key; keys += k; } return keys; });
say('while', () => { let n = 3; let seen = ''; while (n > 0) { const m = n--; if (m === 2) continue; seen += m; } return seen; });
say('do', () => { let n = 0; do { const m = n; n = m + 1; } while (n < 5); return n; });
say('do, by a name of its body', () => { do { let m = 1; } while (m); });
say('try', () => { try { throw 1; let x = 1; } catch { return x; } let x; });
say('catch', () => { let x = 1; try { x = 2; throw x; } catch (y) { let z = y + x; return z; } finally { x = 3; } });
say('finally', () => {
  const seen = [];
  for (const at of [0, 1, 2]) {
    try {
      let x = at;
      if (x === 0) continue;
      if (x === 1) throw x;
      seen.push(x);
    } catch (error) {
      let y = error;
      seen.push('caught', y);
    } finally {
      let z = at * 10;
      seen.push(z);
    }
  }
  return seen.join();
});
say('finally, before its time', () => { try { return 1; } finally { x; } let x = 1; });
say('defaults', () => ((a = b, b = 1) => a)());
say('defaults, in order', () => ((a = 1, b = a + 1) => b)());
say('taken apart', () => { const { a = b, b } = { b: 1 }; return a; });
say('taken apart, in order', () => { const { a = 1, b = a } = {}; const [c = b, ...d] = [, 2, 3]; return [a, b, c, d].join(); });
say('swapped', () => { let a = 1, b = 2; [a, b] = [b, a]; return `${a}${b}`; });
say('a constant', () => { const x = 1; x = 2; return x; });
say('a constant in a loop', () => { for (const x = 0; x < 1; x++) return x; });
say('a class', () => { new A(); class A {} });
say('a class, in its own head', () => { class A extends A {} });
say('a class, in its own body', () => { class A { static name2 = A.name; } return A.name2; });
say('this', () => { class A {} class B extends A { constructor(go) { if (go) super(); this.x = 1; } } new B(true); return new B(false); });
say('and, or', () => { let x = false || 1; let y = x && x + 1; let z = y ?? x; return x ? y : z; });
say('not both ways', () => { if (say.length === 3) { let x = 1; } else { let x = 2; return x; } });
say('eval', () => { let x = 1; eval('x = x + 1'); return x; });
say('sloppy with', () => Function('o', 'let x = 1; with (o) { x = x + 1; } return x;')({}));
say('sloppy with, its own', () => Function('o', 'let x = 1; with (o) { x = x + 1; } return x + o.x;')({ x: 5 }));
say('labelled', () => {
  let n = 0;
  outer: for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const k = i * j;
      if (k === 2) continue outer;
      if (k === 4) break outer;
      n += k + 1;
    }
  }
  return n;
});
say('strings', () => { let s = ''; for (let i = 0; i < 3; i++) { s += i; s += ','; s = s + 'x'; } return s; });
say('counting', () => { let i = 5; const a = i++; const b = ++i; const c = i--; const d = --i; i += a; i -= 1; return [a, b, c, d, i].join(); });
say('kept', () => { let x = { n: 1 }; const y = x; x = { n: 2 }; x.n += y.n; return x.n; });

function* numbers() {
  let i = 0;
  while (i < 3) { const got = yield i; if (got) i += got; else i++; }
}
say('generator', () => { const g = numbers(); return [g.next().value, g.next().value, g.next(1).value, g.next().done].join(); });
say('generator too early', () => [...(function* () { yield x; let x = 1; })()]);
(async () => {
  let sum = 0;
  for await (const x of [1, Promise.resolve(2)]) { const y = await x; sum += y; }
  const z = await sum;
  console.log('async', z);
  try { await w; let w = 1; } catch (error) { console.log('async too early', error.message); }
})();

// Numbers that are not small ones.
const numbersOf = [0, -0, 1, -1, 0.5, -0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 32 + 5, 2 ** 53, -(2 ** 53), 2 ** 62, 2 ** 63, -(2 ** 64), 1e300, NaN, Infinity];
console.log(numbersOf.map((n) => [n & 0xff, n | 0, n ^ 1, n + 1, 1 + n, n + 0.5].join(' ')).join('\n'));
console.log(Object.is(-0 + -0, -0), Object.is(0 + -0, 0), 0.1 + 1, (2 ** 31 - 1) + 1, 1n & 3n, '1' + 1, 1 + '1', null + 1, [] + 1);
const key = Symbol('key');
const inherits = Object.create({ [key]: 1, get [Symbol.toStringTag]() { return 'Got'; } });
console.log(inherits[key], inherits[Symbol.toStringTag], (1)[Symbol.iterator], 'ab'[Symbol.iterator].name, [][Symbol.iterator].name);
console.log(new Proxy({}, { get: (target, name) => String(name) })[key], new Uint8Array(2)[Symbol.toStringTag]);

// Who assigns to a constant before that has its value hears that it has none, and afterwards that it is one.
say('const, assigned early', () => { x = 1; const x = 2; });
say('const, added to early', () => { x += 1; const x = 2; });
say('const, counted early', () => { x++; const x = 2; });
say('const, perhaps assigned early', () => { x ||= 1; const x = 2; });
say('const, taken apart early', () => { [x] = [1]; const x = 2; });
say('const, in a property early', () => { ({ a: x } = { a: 1 }); const x = 2; });
say('const, in a loop early', () => { for (x of [1]); const x = 2; });
say('const, from a function early', () => { set(); const x = 2; function set() { x = 3; } });
say('const, from a function late', () => { const x = 2; const set = () => { x = 3; }; set(); });
say('const, by itself', () => { const x = (x = 1); });
say('const, late', () => { const x = 2; x = 1; });
say('const, of a loop', () => { for (const x of [1]) x = 2; });
say('const, in another case', () => { switch (1) { case 0: const x = 1; break; case 1: x = 2; } });
say('const, compiled', () => eval('x = 1; const x = 2'));
say('const, compiled globally', () => (0, eval)('x = 1; const x = 2'));
say('const, the value first', () => { const seen = []; try { x = seen.push(1); const x = 1; } catch (error) { return [seen.length, error.name]; } });
say('class, in its heritage', () => { class A extends (A = Object) {} });
say('class, in a field', () => { class A { static field = (A = 1); } });
say('class, in a method', () => { (class A { static set() { A = 1; } }).set(); });
say('function, by its name', () => { (function f() { f = 1; })(); });
