'use strict';

// Deep equality for `util.isDeepStrictEqual` and `assert`, in three modes: strict, loose (`==`), and partial, in which `actual` may contain more than
// `expected` (`lib/internal/util/comparisons.js: innerDeepEqual`).

const { classOf, nonIndexKeys, proxyParts } = native;
const { isError } = require('internal/util/inspect');

const LOOSE = 0;
const STRICT = 1;
const PARTIAL = 2;

const hasOwn = (object, key) => ObjectPrototypeHasOwnProperty(object, key);
const isEnumerable = (object, key) => ObjectPrototypePropertyIsEnumerable(object, key);
const isObject = (value) => typeof value === 'object' && value !== null;

// The state of one call of a comparison function: its mode, and the pairs of objects that are being compared.
class Comparison {
  constructor(mode, skipPrototype) {
    this.mode = mode;
    this.skipPrototype = skipPrototype;
    // Cycle detection: maps each object of the left side to the objects of the right side with which it is being compared.
    this.open = new SafeMap();
  }

  equal(a, b) {
    if (a === b) return a !== 0 || this.mode === LOOSE || Object.is(a, b);
    if (this.mode === LOOSE) {
      if (!isObject(a)) return !isObject(b) && this.loose(a, b);
      if (!isObject(b)) return false;
    } else {
      if (!isObject(a) || !isObject(b)) return Number.isNaN(a) && Number.isNaN(b);
      if (!this.skipPrototype && this.mode === STRICT && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) {
        return false;
      }
    }
    return this.objects(a, b);
  }

  loose(a, b) {
    // eslint-disable-next-line eqeqeq
    return a == b || (a !== a && b !== b);
  }

  objects(a, b) {
    if (ObjectPrototypeToString(a) !== ObjectPrototypeToString(b)) return false;
    const kind = kindOf(a);
    const isSameKind = kind === kindOf(b);
    if (Array.isArray(a)) return Array.isArray(b) && this.arrays(a, b);
    if (Array.isArray(b)) return false;
    if (isError(a) || isError(b)) {
      // Own properties of errors that are not enumerable (message, name, cause, errors) are compared as well.
      return isError(a) && isError(b) && this.errors(a, b) && this.keys(a, b, kind);
    }
    if (!isSameKind) return !isSpecial(kind) && !isSpecial(kindOf(b)) && this.keys(a, b, kind);
    switch (kind) {
      case 'Date':
        // Two invalid dates are not equal: their time values are NaN.
        return Date.prototype.getTime.call(a) === Date.prototype.getTime.call(b) && this.keys(a, b, kind);
      case 'RegExp':
        return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex && this.keys(a, b, kind);
      case 'Map':
      case 'Set':
        return (this.mode === PARTIAL ? a.size >= b.size : a.size === b.size) && this.keys(a, b, kind);
      case 'ArrayBuffer':
      case 'SharedArrayBuffer':
        return this.bytes(new Uint8Array(a), new Uint8Array(b)) && this.keys(a, b, kind);
      case 'Number':
      case 'String':
      case 'Boolean':
      case 'BigInt':
      case 'Symbol':
        return this.boxes(a, b, kind);
      case 'WeakMap':
      case 'WeakSet':
        // The contents of these objects cannot be inspected: only identical objects are equal
        // (`lib/internal/util/comparisons.js: objectComparisonStart`).
        return false;
      default:
        if (ArrayBuffer.isView(a)) return this.views(a, b, kind);
        if (isURL(a) || isURL(b)) return isURL(a) && isURL(b) && a.href === b.href && this.keys(a, b, kind);
        return this.keys(a, b, kind);
    }
  }

  boxes(a, b, kind) {
    const { valueOf } = { BigInt, Boolean, Number, String, Symbol }[kind].prototype;
    const same = kind === 'Number' ?
      Object.is(valueOf.call(a), valueOf.call(b)) : valueOf.call(a) === valueOf.call(b);
    return same && this.keys(a, b, kind);
  }

  arrays(a, b) {
    if (this.mode === PARTIAL ? a.length < b.length : a.length !== b.length) return false;
    return this.keys(a, b, 'Array');
  }

  errors(a, b) {
    for (const key of ['message', 'name', 'cause', 'errors']) {
      const own = hasOwn(b, key);
      if (this.mode === PARTIAL && !own && key !== 'message' && key !== 'name') continue;
      if (key === 'cause' || key === 'errors') {
        if (hasOwn(a, key) !== own) return false;
        if (own && !this.equal(a[key], b[key])) return false;
      } else if ((this.mode === PARTIAL || !isEnumerable(a, key)) && !isEnumerable(b, key) &&
          !this.equal(a[key], b[key])) {
        return false;
      }
    }
    return true;
  }

  // In partial mode `b` may be shorter: its bytes must be a subsequence of the bytes of `a`
  // (`lib/internal/util/comparisons.js: isPartialUint8Array`).
  bytes(a, b) {
    return this.mode === PARTIAL && b.length < a.length ? isSubsequence(a, b) : sameBytes(a, b);
  }

  views(a, b, kind) {
    if (kind.startsWith('Float') && this.mode === LOOSE) {
      if (a.length !== b.length) return false;
      for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
    } else if (!this.bytes(bytesOf(a), bytesOf(b))) {
      return false;
    }
    return this.keys(a, b, kind);
  }

  // Compares the enumerable own properties, for arrays without the elements; then compares the contents.
  keys(a, b, kind) {
    const isList = kind === 'Array' || (ArrayBuffer.isView(a) && kind !== 'DataView');
    const left = isList ? nonIndexKeys(a, true) : Object.keys(a);
    const right = isList ? nonIndexKeys(b, true) : Object.keys(b);
    if (this.mode === PARTIAL ? left.length < right.length : left.length !== right.length) return false;
    const keys = this.mode === PARTIAL ? right : left;
    const other = this.mode === PARTIAL ? a : b;
    for (const key of keys) if (!isEnumerable(other, key)) return false;
    if (this.mode !== LOOSE) {
      const symbols = ArrayPrototypeFilter(Object.getOwnPropertySymbols(a), (key) => isEnumerable(a, key));
      const others = ArrayPrototypeFilter(Object.getOwnPropertySymbols(b), (key) => isEnumerable(b, key));
      if (this.mode === PARTIAL ? symbols.length < others.length : symbols.length !== others.length) return false;
      const from = this.mode === PARTIAL ? others : symbols;
      for (const key of from) if (!isEnumerable(other, key)) return false;
      keys.push(...from);
    }
    return this.guarded(a, b, () => this.inside(a, b, kind) && ArrayPrototypeEvery(keys, (key) => this.equal(a[key], b[key])));
  }

  // Calls `compare` unless this pair of objects is already being compared. Cyclic structures are equal if their cycles end at the same pair.
  guarded(a, b, compare) {
    const partner = this.open.get(a);
    if (partner !== undefined) {
      if (partner.includes(b)) return true;
      partner.push(b);
    } else {
      this.open.set(a, [b]);
    }
    const result = compare();
    const partners = this.open.get(a);
    if (partners.length === 1) this.open.delete(a);
    else partners.splice(partners.lastIndexOf(b), 1);
    return result;
  }

  inside(a, b, kind) {
    if (kind === 'Array') return this.elements(a, b);
    if (kind === 'Set') return this.sets(a, b);
    if (kind === 'Map') return this.maps(a, b);
    return true;
  }

  elements(a, b) {
    if (this.mode === PARTIAL) return this.subsequence(a, b);
    for (let at = 0; at < a.length; at++) {
      // A hole is not equal to undefined.
      if (hasOwn(a, at) !== hasOwn(b, at)) return false;
      if (!this.equal(a[at], b[at])) return false;
    }
    return true;
  }

  // True if every element of `b` occurs in `a` in the same order. Holes of `b` are skipped.
  subsequence(a, b) {
    let from = 0;
    for (let at = 0; at < b.length; at++) {
      if (!hasOwn(b, at)) continue;
      while (from < a.length && !(hasOwn(a, from) && this.equal(a[from], b[at]))) from++;
      if (from++ >= a.length) return false;
    }
    return true;
  }

  sets(a, b) {
    // Members of the smaller set that have no identical member in the larger one: objects, and in loose mode primitives
    // that may be equal by `==`.
    const pending = [];
    const [small, large] = this.mode === PARTIAL ? [b, a] : [a, b];
    for (const value of small) {
      if (large.has(value)) continue;
      if (!isObject(value) && (this.mode !== LOOSE || !mayBeLooselyEqual(value))) return false;
      pending.push(value);
    }
    const candidates = [...large].filter((value) => !small.has(value));
    return pending.every((value) => this.removeMatch(candidates, (other) =>
      (this.mode === PARTIAL ? this.equal(other, value) : this.equal(value, other))));
  }

  maps(a, b) {
    const pending = [];
    const [small, large] = this.mode === PARTIAL ? [b, a] : [a, b];
    const pair = (mine, other) => (this.mode === PARTIAL ? this.equal(other, mine) : this.equal(mine, other));
    for (const [key, value] of small) {
      if (large.has(key) && pair(value, large.get(key))) continue;
      // A primitive key whose value differs: only in loose mode another key can be equal.
      if (!isObject(key) && (this.mode !== LOOSE || !mayBeLooselyEqual(key))) return false;
      pending.push([key, value]);
    }
    const candidates = [...large].filter(([key, value]) => !(small.has(key) && pair(small.get(key), value)));
    return pending.every(([key, value]) => this.removeMatch(candidates, ([otherKey, other]) =>
      pair(key, otherKey) && pair(value, other)));
  }

  removeMatch(candidates, matches) {
    const at = candidates.findIndex(matches);
    if (at === -1) return false;
    candidates.splice(at, 1);
    return true;
  }
}

// A proxy is compared only by its properties.
const kindOf = (value) => (proxyParts(value) === undefined ? classOf(value) : 'Object');

// True for objects with internal contents, such as Map or Date: they never equal an object of another kind.
function isSpecial(kind) {
  return kind !== 'Object' && kind !== 'Arguments' && kind !== 'Module';
}

// True if a value that is not identical to this value can be equal to it by `==`.
function mayBeLooselyEqual(value) {
  return typeof value !== 'symbol' && !(typeof value === 'number' && Number.isNaN(value));
}

function isURL(value) {
  return value instanceof require('internal/url').URL;
}

const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

// True if the elements of `part` occur in `whole` in the same order, with gaps allowed.
function isSubsequence(whole, part) {
  let matched = 0;
  for (let at = 0; at < whole.length && matched < part.length; at++) if (whole[at] === part[matched]) matched++;
  return matched === part.length;
}

const compare = (mode) => (a, b, skipPrototype = false) => new Comparison(mode, skipPrototype === true).equal(a, b);

module.exports = {
  isDeepEqual: compare(LOOSE),
  isDeepStrictEqual: compare(STRICT),
  isPartialStrictEqual: compare(PARTIAL),
};
