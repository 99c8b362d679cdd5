// Who looks at a timer or an immediate finds the one that it was, however many were set since and whatever it was given.
'use strict';
// Each by itself: which of them comes first is the clock's business.
const lines = {};
const log = (name, ...what) => (lines[name] ??= []).push(what);
process.on('exit', () => Object.keys(lines).sort().forEach((name) => lines[name].forEach((line) => console.log(name, ...line))));
const many = (set) => { for (let i = 0; i < 3; i++) set(() => {}); };

for (const [name, set] of [['timeout', (f, ...args) => setTimeout(f, 1, ...args)], ['immediate', setImmediate]]) {
  // Held by nobody but by what it was given.
  set(function() { log(name, 'property', this.tag, Object.keys(this).includes('tag')); }).tag = 'kept';
  many(set);
  Object.defineProperty(set(function() { log(name, 'hidden', this.tag); }), 'tag', { value: 'kept' });
  many(set);
  set(function() { log(name, 'symbol', this[Symbol.for('tag')]); })[Symbol.for('tag')] = 'kept';
  many(set);
  { const one = set(function() { log(name, 'itself', this.self === this); }); one.self = one; }
  many(set);
  Object.setPrototypeOf(set(function() { log(name, 'prototype', Object.getPrototypeOf(this).tag); }), { tag: 'kept' });
  many(set);
  Object.preventExtensions(set(function() { log(name, 'extensible', Object.isExtensible(this)); }));
  many(set);
  // Held weakly.
  const weak = new WeakMap();
  const map = new WeakSet();
  let ref;
  (() => {
    const one = set(function() { log(name, 'weak', weak.get(this), map.has(this), ref.deref() === this); });
    weak.set(one, 'kept');
    map.add(one);
    ref = new WeakRef(one);
  })();
  many(set);
  // Held as ever.
  const held = set(function(...args) { log(name, 'held', this === held, args, this.hasRef()); }, 1, 2);
  many(set);
  // Seen only inside.
  const seen = [];
  for (let i = 0; i < 3; i++) {
    set(function() {
      seen.push(this);
      this.number = i;
      if (seen.length === 3) log(name, 'seen', new Set(seen).size, seen.map((one) => one.number), this.constructor.name);
    });
  }
  // What was given in a callback is not there in the next.
  for (let i = 0; i < 3; i++) set(function() { log(name, 'new', 'mark' in this); this.mark = i; });
  for (let i = 0; i < 3; i++) {
    set(function() {
      log(name, 'plain', Object.getPrototypeOf(this).constructor.name, Object.isExtensible(this));
      Object.preventExtensions(this);
    });
  }
  // Cleared, or set again, by those that hold them.
  const cleared = set(() => log(name, 'is not called'));
  many(set);
  (name === 'timeout' ? clearTimeout : clearImmediate)(cleared);
}

// By number, with the object out of reach.
const number = +setTimeout(() => log('is not called'), 5);
many((f) => setTimeout(f, 5));
clearTimeout(number);
// One that repeats is the same each time, and one that is set again fires again.
let count = 0;
setInterval(function() {
  log('interval', this.count = (this.count ?? 0) + 1);
  setTimeout(() => {}, 1);
  if (this.count === 3) clearInterval(this);
}, 1);
many((f) => setTimeout(f, 1));
setTimeout(function() {
  log('again', count);
  if (count++ < 2) this.refresh();
  many((f) => setTimeout(f, 1));
}, 1);
many((f) => setTimeout(f, 1));
// Without a reference.
setTimeout(() => log('is not called'), 1e6).unref();
many((f) => setTimeout(f, 1));
