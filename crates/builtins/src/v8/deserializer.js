'use strict';
// `v8.Deserializer`: reads the format of V8's ValueSerializer. Input is untrusted: every length is checked against
// the remaining bytes before memory is allocated.

const { Buffer } = require('buffer');
const { invalid, kVersion, regexpBits, viewLetters } = require('internal/v8/serializer');

const errorKinds = { __proto__: null, E: EvalError, R: RangeError, F: ReferenceError, S: SyntaxError, T: TypeError, U: URIError };
const viewKinds = { __proto__: null };
for (const [name, letter] of Object.entries(viewLetters)) viewKinds[letter] = globalThis[name];

const broken = () => new Error('Unable to deserialize cloned data.');

class Deserializer {
  #at = 0;
  #bytes;
  #version = 0;
  #objects = [];
  #transfers = new Map();

  constructor(buffer) {
    if (!ArrayBuffer.isView(buffer)) throw invalid('buffer');
    this.buffer = buffer;
    this.#bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  readHeader() {
    if (this.#bytes[0] === 0xff) {
      this.#at = 1;
      this.#version = this.#varint('header');
      if (this.#version <= kVersion) return true;
    }
    throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
  }

  readValue() { return this.#value(); }

  getWireFormatVersion() { return this.#version; }

  transferArrayBuffer(id, buffer) { this.#transfers.set(id >>> 0, buffer); }

  readUint32() { return this.#varint('ReadUint32() failed'); }

  readUint64() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte('ReadUint64() failed');
      if (shift < 64n) value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    value = BigInt.asUintN(64, value);
    return [Number(value >> 32n), Number(value & 0xffffffffn)];
  }

  readDouble() { return this.#double('ReadDouble() failed'); }

  readRawBytes(length) {
    const offset = this._readRawBytes(length);
    return Buffer.from(this.buffer.buffer, this.buffer.byteOffset + offset, length);
  }

  _readRawBytes(length) {
    if (length > this.#bytes.length - this.#at) throw new Error('ReadRawBytes() failed');
    this.#at += length;
    return this.#at - length;
  }

  #byte(message) {
    if (this.#at >= this.#bytes.length) throw message === undefined ? broken() : new Error(message);
    return this.#bytes[this.#at++];
  }

  #tag() {
    for (;;) {
      const byte = this.#byte();
      if (byte !== 0) return String.fromCharCode(byte);
    }
  }

  // Peeks at the next tag.
  #next() {
    while (this.#bytes[this.#at] === 0) this.#at++;
    return this.#at < this.#bytes.length ? String.fromCharCode(this.#bytes[this.#at]) : undefined;
  }

  #varint(message) {
    if (message === 'header' && this.#at >= this.#bytes.length) return Infinity;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte(message === 'header' ? undefined : message);
      if (shift < 32) value = (value | ((byte & 0x7f) << shift)) >>> 0;
      if (byte < 0x80) return value;
    }
  }

  #double(message) {
    if (this.#bytes.length - this.#at < 8) throw message === undefined ? broken() : new Error(message);
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  // Takes `length` bytes, or throws if there are fewer.
  #take(length) {
    if (length > this.#bytes.length - this.#at) throw broken();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  // Registers an object under the next reference id.
  #made(object) {
    this.#objects.push(object);
    return object;
  }

  #value() {
    const value = this.#single();
    // A view follows its buffer.
    if (this.#next() === 'V' && value instanceof ArrayBuffer) {
      this.#at++;
      return this.#view(value);
    }
    return value;
  }

  #single() {
    const tag = this.#tag();
    switch (tag) {
      case '_': return undefined;
      case '0': return null;
      case 'T': return true;
      case 'F': return false;
      case 'I': {
        const value = this.#varint();
        return (value >>> 1) ^ -(value & 1);
      }
      case 'U': return this.#varint();
      case 'N': return this.#double();
      case 'Z': return this.#digits();
      case 'S': case '"': case 'c': return this.#text(tag);
      case '^': {
        const number = this.#varint();
        if (number >= this.#objects.length) throw broken();
        return this.#objects[number];
      }
      case 'o': return this.#plain();
      case 'a': return this.#sparse();
      case 'A': return this.#dense();
      default: return this.#special(tag);
    }
  }

  #special(tag) {
    switch (tag) {
      case 'D': return this.#made(new Date(this.#double()));
      case 'y': return this.#made(Object(true));
      case 'x': return this.#made(Object(false));
      case 'n': return this.#made(Object(this.#double()));
      case 'z': return this.#made(Object(this.#digits()));
      case 's': return this.#made(Object(this.#string()));
      case 'R': return this.#regexp();
      case ';': return this.#map();
      case "'": return this.#set();
      case 'B': return this.#made(this.#copy(this.#take(this.#varint())));
      case '~': return this.#resizable();
      case 't': {
        const buffer = this.#transfers.get(this.#varint());
        if (buffer === undefined) throw broken();
        return this.#made(buffer);
      }
      case 'u': {
        if (typeof this._getSharedArrayBufferFromId !== 'function') throw broken();
        return this.#made(this._getSharedArrayBufferFromId(this.#varint()));
      }
      case 'r': return this.#error();
      case '\\': {
        if (typeof this._readHostObject !== 'function') throw broken();
        const number = this.#objects.push(undefined) - 1;
        this.#objects[number] = this._readHostObject();
        return this.#objects[number];
      }
      default: throw broken();
    }
  }

  #digits() {
    const head = this.#varint();
    const bytes = this.#take(head >>> 1);
    let value = 0n;
    for (let at = bytes.length; at-- > 0;) value = (value << 8n) | BigInt(bytes[at]);
    return head & 1 ? -value : value;
  }

  #text(tag) {
    const bytes = this.#take(this.#varint());
    if (tag === 'c') {
      if (bytes.length % 2 === 1) throw broken();
      return bytes.toString('utf16le');
    }
    return bytes.toString(tag === '"' ? 'latin1' : 'utf8');
  }

  #string() {
    const tag = this.#tag();
    if (tag !== '"' && tag !== 'c' && tag !== 'S') throw broken();
    return this.#text(tag);
  }

  // Reads properties up to an end tag, which is followed by their count.
  #properties(object, end) {
    let count = 0;
    while (this.#next() !== end) {
      const key = this.#value();
      if (typeof key !== 'string' && typeof key !== 'number') throw broken();
      const value = this.#value();
      Object.defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
      count++;
    }
    this.#at++;
    if (this.#varint() !== count) throw broken();
  }

  #plain() {
    const object = this.#made({});
    this.#properties(object, '{');
    return object;
  }

  #sparse() {
    const length = this.#varint();
    const array = this.#made([]);
    array.length = length;
    this.#properties(array, '@');
    if (this.#varint() !== length) throw broken();
    return array;
  }

  #dense() {
    const length = this.#varint();
    // Each element takes one byte at least, so this bounds the allocation.
    if (length > this.#bytes.length - this.#at) throw broken();
    const array = this.#made(new Array(length));
    for (let at = 0; at < length; at++) {
      if (this.#next() === '-') this.#at++;
      else array[at] = this.#value();
    }
    this.#properties(array, '$');
    if (this.#varint() !== length) throw broken();
    return array;
  }

  #regexp() {
    const number = this.#objects.push(undefined) - 1;
    const source = this.#string();
    const bits = this.#varint();
    let flags = '';
    for (const [letter, bit] of Object.entries(regexpBits)) if (bits & bit) flags += letter;
    this.#objects[number] = new RegExp(source, flags);
    return this.#objects[number];
  }

  #map() {
    const map = this.#made(new Map());
    let count = 0;
    for (; this.#next() !== ':'; count += 2) {
      const key = this.#value();
      Map.prototype.set.call(map, key, this.#value());
    }
    this.#at++;
    if (this.#varint() !== count) throw broken();
    return map;
  }

  #set() {
    const set = this.#made(new Set());
    let count = 0;
    for (; this.#next() !== ','; count++) Set.prototype.add.call(set, this.#value());
    this.#at++;
    if (this.#varint() !== count) throw broken();
    return set;
  }

  #copy(bytes) {
    const buffer = new ArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  }

  #resizable() {
    const length = this.#varint();
    const maxByteLength = this.#varint();
    if (length > maxByteLength) throw broken();
    const bytes = this.#take(length);
    const buffer = new ArrayBuffer(length, { maxByteLength });
    new Uint8Array(buffer).set(bytes);
    return this.#made(buffer);
  }

  #view(buffer) {
    const View = viewKinds[this.#tag()];
    const offset = this.#varint();
    const length = this.#varint();
    if (this.#version >= 14) this.#varint();
    const size = View?.BYTES_PER_ELEMENT ?? 1;
    if (View === undefined || offset % size !== 0 || length % size !== 0 || offset + length > buffer.byteLength) throw broken();
    return this.#made(new View(buffer, offset, length / size));
  }

  #error() {
    const number = this.#objects.push(undefined) - 1;
    let Kind = Error;
    const words = {};
    let tag = this.#tag();
    if (tag in errorKinds) {
      Kind = errorKinds[tag];
      tag = this.#tag();
    }
    for (; tag !== '.'; tag = this.#tag()) {
      if (tag === 'm') words.message = this.#string();
      else if (tag === 's') words.stack = this.#string();
      else if (tag === 'c') words.cause = this.#value();
      else throw broken();
    }
    const error = 'cause' in words ? new Kind(words.message, { cause: words.cause }) : new Kind(words.message);
    Object.defineProperty(error, 'stack', {
      __proto__: null, value: words.stack, writable: true, enumerable: false, configurable: true,
    });
    this.#objects[number] = error;
    return error;
  }
}

module.exports = { Deserializer };
