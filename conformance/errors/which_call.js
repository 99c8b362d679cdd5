'use strict';
// Of calls inside of calls, the one that is none is named.
const o = { b() { return this; }, f: (...values) => values.length, list: [1] };
const { f } = o;
const nothing = undefined;
const tell = (run) => {
  try {
    run();
  } catch (error) {
    console.log(error.message, /which_call\.js:(\d+:\d+)/.exec(error.stack)[1]);
  }
};
tell(() => { o.nope(o.b()); });
tell(() => { o.b(o.nope()); });
tell(() => { o.b().nope(o.b()); });
tell(() => { o.b(o.b(o.b().nope())); });
tell(() => { o.b(o.nope(o.b())); });
tell(() => { f(nothing(o.list)); });
tell(() => { f(f(o.list), nothing(o.list)); });
tell(() => { nothing(f(o.list)); });
tell(() => { f(1)(2)(3); });
tell(() => { f(f(f(f)(1)))(2); });
tell(() => { f(...nothing(o.b())); });
tell(() => { f(`a${o.b()}`, o.nope(`${o.list}`)); });
tell(() => { new f.Nope(o.b()); });
tell(() => { f(new nothing(o.list)); });
tell(() => { o.list.map(o.nope()); });
tell(() => { o.list.map((x) => o.nope(x)); });
tell(() => { o.b()?.nope(o.b()); });
tell(() => { o.b().nope?.(o.b()).other(o.b()); o.b().list.other(o.b()); });
tell(() => { (function() { return nothing; })()(o.b()); });
tell(() => { console.log(JSON.stringify(o.nope(Math.max(1)))); });
tell(() => { for (const x of f(o.nope(o.b()))) f(x); });

// Frames of `call` and `apply` do not count.
Error.stackTraceLimit = 2;
const shown = (error) => error.stack.split('\n').slice(1).map((line) => line.trim().replace(/\(?\/.*\//, '')).join(' | ');
function outer() { return middle.call(null); }
function middle() { return Reflect.apply(inner, null, []); }
function inner() { return deepest.apply(null, []); }
function deepest() { return new Error('deep'); }
console.log(shown(outer()));
Error.prepareStackTrace = (error, sites) => sites.map((site) => `${site.getFunctionName()}`).join();
console.log(outer().stack);
