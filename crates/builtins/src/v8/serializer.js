'use strict';
// `v8.Serializer`: writes the format of V8's ValueSerializer, version 15, compatible with Node in both directions.

const { Buffer } = require('buffer');
const { describe } = require('internal/clone');
const { classOf } = native;

const kVersion = 15;
// Bits of the RegExp flags.
const regexpBits = { __proto__: null, g: 1, i: 2, m: 4, y: 8, u: 16, s: 32, d: 128, v: 256 };
// Tags of errors by prototype.
const errorLetters = {
  __proto__: null, EvalError: 'E', RangeError: 'R', ReferenceError: 'F', SyntaxError: 'S', TypeError: 'T', URIError: 'U',
};
// Tags of typed arrays.
const viewLetters = {
  __proto__: null, Int8Array: 'b', Uint8Array: 'B', Uint8ClampedArray: 'C', Int16Array: 'w', Uint16Array: 'W', Int32Array: 'd',
  Uint32Array: 'D', Float16Array: 'h', Float32Array: 'f', Float64Array: 'F', DataView: '?', BigInt64Array: 'q', BigUint64Array: 'Q',
};
const wideLetters = /[^\0-\xff]/;

function hasHoles(array) {
  for (let at = 0; at < array.length; at++) if (!Object.hasOwn(array, at)) return true;
  return false;
}

class Serializer {
  #bytes = Buffer.allocUnsafeSlow(64);
  #length = 0;
  // Reference ids of the objects written so far.
  #seen = new Map();
  #transfers = new Map();
  #viewsAreHosts = false;

  writeHeader() {
    this.#tag('\xff');
    this.#byte(kVersion);
  }

  writeValue(value) {
    this.#value(value);
    return true;
  }

  releaseBuffer() {
    // A copy of the exact size: the caller can access the whole ArrayBuffer.
    const bytes = Buffer.from(this.#bytes.buffer.slice(0, this.#length));
    this.#bytes = Buffer.allocUnsafeSlow(64);
    this.#length = 0;
    return bytes;
  }

  transferArrayBuffer(id, buffer) { this.#transfers.set(buffer, id >>> 0); }

  writeUint32(value) { this.#varint(value >>> 0); }

  writeUint64(high, low) { this.#bigVarint((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)); }

  writeDouble(value) {
    this.#room(8);
    this.#length = this.#bytes.writeDoubleLE(Number(value), this.#length);
  }

  writeRawBytes(source) {
    if (!ArrayBuffer.isView(source)) throw invalid('source');
    this.#raw(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }

  _setTreatArrayBufferViewsAsHostObjects(flag) { this.#viewsAreHosts = Boolean(flag); }

  #room(count) {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  #byte(value) {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  #tag(letter) { this.#byte(letter.charCodeAt(0)); }

  #varint(value) {
    for (; value >= 0x80; value = Math.floor(value / 0x80)) this.#byte((value % 0x80) | 0x80);
    this.#byte(value);
  }

  #bigVarint(value) {
    for (; value >= 0x80n; value >>= 7n) this.#byte(Number(value & 0x7fn) | 0x80);
    this.#byte(Number(value));
  }

  #raw(bytes) {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #refuse(value) {
    const Refusal = this._getDataCloneError ?? Error;
    throw new Refusal(`${describe(value)} could not be cloned.`);
  }

  #value(value) {
    switch (typeof value) {
      case 'undefined': return this.#tag('_');
      case 'boolean': return this.#tag(value ? 'T' : 'F');
      case 'number': return this.#number(value);
      case 'bigint':
        this.#tag('Z');
        return this.#digits(value);
      case 'string': return this.#string(value);
      case 'object': return value === null ? this.#tag('0') : this.#object(value);
      default: return this.#refuse(value);
    }
  }

  #number(value) {
    if (Number.isInteger(value) && value >= -0x80000000 && value < 0x80000000 && !Object.is(value, -0)) {
      this.#tag('I');
      return this.#varint(((value << 1) ^ (value >> 31)) >>> 0);
    }
    this.#tag('N');
    this.writeDouble(value);
  }

  // A BigInt: sign and length, then 64-bit digits.
  #digits(value) {
    let rest = value < 0n ? -value : value;
    const digits = [];
    for (; rest > 0n; rest >>= 64n) digits.push(rest & 0xffffffffffffffffn);
    this.#varint(digits.length * 16 + (value < 0n ? 1 : 0));
    for (const digit of digits) {
      this.#room(8);
      this.#length = this.#bytes.writeBigUInt64LE(digit, this.#length);
    }
  }

  #string(text) {
    if (!wideLetters.test(text)) {
      this.#tag('"');
      this.#varint(text.length);
      return this.#raw(Buffer.from(text, 'latin1'));
    }
    const size = text.length * 2;
    let lengthBytes = 1;
    for (let rest = size; rest >= 0x80; rest = Math.floor(rest / 0x80)) lengthBytes++;
    // Two-byte strings start at an even offset.
    if ((this.#length + 1 + lengthBytes) % 2 === 1) this.#byte(0);
    this.#tag('c');
    this.#varint(size);
    this.#raw(Buffer.from(text, 'utf16le'));
  }

  #object(object) {
    const isView = ArrayBuffer.isView(object);
    // A view's buffer is written before the view.
    if (isView && !this.#viewsAreHosts && !this.#seen.has(object) && !this.#seen.has(object.buffer)) this.#object(object.buffer);
    const number = this.#seen.get(object);
    if (number !== undefined) {
      this.#tag('^');
      return this.#varint(number);
    }
    this.#seen.set(object, this.#seen.size);
    if (isView) return this.#viewsAreHosts ? this.#host(object) : this.#view(object);
    if (Array.isArray(object) && classOf(object) === 'Array') return this.#array(object);
    switch (classOf(object)) {
      case 'Object': case 'Arguments': return this.#plain(object);
      case 'Date':
        this.#tag('D');
        return this.writeDouble(Date.prototype.getTime.call(object));
      case 'Boolean': return this.#tag(Boolean.prototype.valueOf.call(object) ? 'y' : 'x');
      case 'Number':
        this.#tag('n');
        return this.writeDouble(Number.prototype.valueOf.call(object));
      case 'BigInt':
        this.#tag('z');
        return this.#digits(BigInt.prototype.valueOf.call(object));
      case 'String':
        this.#tag('s');
        return this.#string(String.prototype.valueOf.call(object));
      case 'RegExp': return this.#regexp(object);
      case 'Map': return this.#map(object);
      case 'Set': return this.#set(object);
      case 'ArrayBuffer': return this.#buffer(object);
      case 'SharedArrayBuffer': return this.#shared(object);
      case 'Error': return this.#error(object);
      default: return this.#refuse(object);
    }
  }

  #host(object) {
    this.#tag('\\');
    if (typeof this._writeHostObject !== 'function') this.#refuse(object);
    this._writeHostObject(object);
  }

  // Writes properties that still exist; a getter may delete later ones.
  #properties(object, keys) {
    let count = 0;
    for (const key of keys) {
      if (!Object.prototype.propertyIsEnumerable.call(object, key)) continue;
      const value = object[key];
      const index = Number(key);
      if (String(index) === key && index >= 0 && index < 0xffffffff && Number.isInteger(index)) this.#number(index);
      else this.#string(key);
      this.#value(value);
      count++;
    }
    return count;
  }

  #plain(object) {
    this.#tag('o');
    const count = this.#properties(object, Object.keys(object));
    this.#tag('{');
    this.#varint(count);
  }

  #array(array) {
    const { length } = array;
    if (hasHoles(array)) {
      this.#tag('a');
      this.#varint(length);
      const count = this.#properties(array, Object.keys(array));
      this.#tag('@');
      this.#varint(count);
      return this.#varint(length);
    }
    this.#tag('A');
    this.#varint(length);
    for (let at = 0; at < length; at++) {
      // An element deleted by a getter becomes a hole.
      if (at < array.length && Object.hasOwn(array, at)) this.#value(array[at]);
      else this.#tag('-');
    }
    const count = this.#properties(array, Object.keys(array).slice(length));
    this.#tag('$');
    this.#varint(count);
    this.#varint(length);
  }

  #regexp(regexp) {
    this.#tag('R');
    this.#string(regexp.source);
    let bits = 0;
    for (const letter of regexp.flags) bits |= regexpBits[letter] ?? 0;
    this.#varint(bits);
  }

  #map(map) {
    // Copy the entries first: writing them may run getters.
    const entries = [...Map.prototype.entries.call(map)];
    this.#tag(';');
    for (const [key, value] of entries) {
      this.#value(key);
      this.#value(value);
    }
    this.#tag(':');
    this.#varint(entries.length * 2);
  }

  #set(set) {
    const values = [...Set.prototype.values.call(set)];
    this.#tag("'");
    for (const value of values) this.#value(value);
    this.#tag(',');
    this.#varint(values.length);
  }

  #buffer(buffer) {
    const id = this.#transfers.get(buffer);
    if (id !== undefined) {
      this.#tag('t');
      return this.#varint(id);
    }
    if (buffer.detached) {
      const Refusal = this._getDataCloneError ?? Error;
      throw new Refusal('An ArrayBuffer is detached and could not be cloned.');
    }
    this.#tag(buffer.resizable ? '~' : 'B');
    this.#varint(buffer.byteLength);
    if (buffer.resizable) this.#varint(buffer.maxByteLength);
    this.#raw(new Uint8Array(buffer));
  }

  #shared(buffer) {
    if (typeof this._getSharedArrayBufferId !== 'function') this.#refuse(buffer);
    const id = this._getSharedArrayBufferId(buffer) >>> 0;
    this.#tag('u');
    this.#varint(id);
  }

  #view(view) {
    this.#tag('V');
    this.#tag(viewLetters[classOf(view)]);
    this.#varint(view.byteOffset);
    this.#varint(view.byteLength);
    this.#varint(0);
  }

  #error(error) {
    this.#tag('r');
    const letter = errorLetters[String(error.name)];
    if (letter !== undefined) this.#tag(letter);
    const message = Object.getOwnPropertyDescriptor(error, 'message');
    if (message !== undefined && 'value' in message) {
      this.#tag('m');
      this.#string(String(message.value));
    }
    const { stack } = error;
    if (typeof stack === 'string') {
      this.#tag('s');
      this.#string(stack);
    }
    const cause = Object.getOwnPropertyDescriptor(error, 'cause');
    if (cause !== undefined && 'value' in cause) {
      this.#tag('c');
      this.#value(cause.value);
    }
    this.#tag('.');
  }
}
Serializer.prototype._getDataCloneError = Error;

function invalid(name) {
  const error = new TypeError(`${name} must be a TypedArray or a DataView`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

module.exports = { Serializer, invalid, kVersion, regexpBits, viewLetters };
