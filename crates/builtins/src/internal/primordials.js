'use strict';
// Collections, and classes of weak references, whose methods no program can replace or delete, as
// `lib/internal/per_context/primordials.js: makeSafe`. Loaded before any other builtin. Other sources use `SafeMap` and the like without
// importing them (crates/js/src/primordials.rs).
//
// Each class has copies of the methods on its own prototype, so a call costs the same as one of the original. A collection that
// programs can see must be of the original class.

for (const Class of [FinalizationRegistry, Map, Set, WeakMap, WeakRef, WeakSet]) {
  const { prototype } = Class;
  const Safe = class extends Class {};
  for (const key of [...Object.getOwnPropertyNames(prototype), Symbol.iterator]) {
    // An assignment costs a tenth of a definition, and every start pays for it. The methods become enumerable, which nothing sees.
    if (key === 'size') Object.defineProperty(Safe.prototype, key, Object.getOwnPropertyDescriptor(prototype, key));
    else if (key !== 'constructor' && key in prototype) Safe.prototype[key] = prototype[key];
  }
  primordials.push(Safe);
}
