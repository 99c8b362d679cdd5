'use strict';
// Collections, and classes of weak references, whose methods no program can replace or delete, as
// `lib/internal/per_context/primordials.js: makeSafe`. Loaded before any other builtin. Other sources use `SafeMap` and the like without
// importing them (crates/js/src/primordials.rs).
//
// Each class has copies of the methods on its own prototype, so a call costs the same as one of the original. A collection that
// programs can see must be of the original class.

for (const Class of [FinalizationRegistry, Map, Set, WeakMap, WeakRef, WeakSet]) {
  const Safe = class extends Class {};
  Object.defineProperties(Safe.prototype, Object.getOwnPropertyDescriptors(Class.prototype));
  primordials[`Safe${Class.name}`] = Safe;
}
