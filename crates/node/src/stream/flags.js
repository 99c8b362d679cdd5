'use strict';
// The bits of a stream's state. Positions are Node's, as `console.log(stream)` shows the number. What a bit does is decided
// in readable.js and writable.js; this file only names them.

// Under this symbol both states keep their bits.
const kState = Symbol('kState');

// Bits that both sides have.
const kObjectMode = 1 << 0;
const kErrorEmitted = 1 << 1;
const kAutoDestroy = 1 << 2;
const kEmitClose = 1 << 3;
const kDestroyed = 1 << 4;
const kClosed = 1 << 5;
const kCloseEmitted = 1 << 6;
const kErrored = 1 << 7;
const kConstructed = 1 << 8;

const kErroredValue = Symbol('kErroredValue');
const kDefaultEncodingValue = Symbol('kDefaultEncodingValue');

// Called on a state when `_construct` is done.
const kOnConstructed = Symbol('kOnConstructed');

// A property of old that is a bit now.
function bitProperty(bit) {
  return {
    __proto__: null,
    enumerable: false,
    get() { return (this[kState] & bit) !== 0; },
    set(value) {
      if (value) this[kState] |= bit;
      else this[kState] &= ~bit;
    },
  };
}

// A bit that may be unknown as well: `has` tells whether it was ever set, `none` is what an unknown one reads as.
function maybeProperty(has, bit, none) {
  return {
    __proto__: null,
    enumerable: false,
    get() {
      const bits = this[kState];
      return (bits & has) === 0 ? none : (bits & bit) !== 0;
    },
    set(value) {
      if (value == null) this[kState] &= ~(has | bit);
      else if (value) this[kState] |= has | bit;
      else this[kState] = (this[kState] | has) & ~bit;
    },
  };
}

// A value with a bit that says whether there is one.
function valueProperty(bit, symbol, none) {
  return {
    __proto__: null,
    enumerable: false,
    get() { return (this[kState] & bit) !== 0 ? this[symbol] : none(); },
    set(value) {
      if (value) {
        this[symbol] = value;
        this[kState] |= bit;
      } else {
        this[kState] &= ~bit;
      }
    },
  };
}

function encodingProperty(utf8Bit) {
  return {
    __proto__: null,
    enumerable: false,
    get() { return (this[kState] & utf8Bit) !== 0 ? 'utf8' : this[kDefaultEncodingValue]; },
    set(value) {
      if (value === 'utf8' || value === 'utf-8') {
        this[kState] |= utf8Bit;
      } else {
        this[kState] &= ~utf8Bit;
        this[kDefaultEncodingValue] = value;
      }
    },
  };
}

const nothing = () => null;

// What the states of both sides have in common.
const sharedProperties = {
  __proto__: null,
  objectMode: bitProperty(kObjectMode),
  constructed: bitProperty(kConstructed),
  errorEmitted: bitProperty(kErrorEmitted),
  emitClose: bitProperty(kEmitClose),
  autoDestroy: bitProperty(kAutoDestroy),
  destroyed: bitProperty(kDestroyed),
  closed: bitProperty(kClosed),
  closeEmitted: bitProperty(kCloseEmitted),
  errored: valueProperty(kErrored, kErroredValue, nothing),
};

module.exports = {
  bitProperty,
  encodingProperty,
  kAutoDestroy,
  kCloseEmitted,
  kClosed,
  kConstructed,
  kDefaultEncodingValue,
  kDestroyed,
  kEmitClose,
  kErrorEmitted,
  kErrored,
  kErroredValue,
  kObjectMode,
  kOnConstructed,
  kState,
  maybeProperty,
  nothing,
  sharedProperties,
  valueProperty,
};
