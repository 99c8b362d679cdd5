'use strict';
// The bits of a stream's state. Bit positions equal Node's, because `console.log(stream)` prints the number. readable.js and writable.js use the
// bits; only their names are here.

// The property of both state objects that holds the bits.
const kState = Symbol('kState');

// Bits common to Readable and Writable.
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

// Key of a method of state objects. It is called when `_construct` has finished.
const kOnConstructed = Symbol('kOnConstructed');

// A public state property that is stored as a bit.
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

// A tri-state property: `bit` is its value; it reads as `none` unless the bit `has` says that it was set.
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

// A property whose value is stored only if it is set; `bit` says whether it is set.
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

// State properties common to Readable and Writable.
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
