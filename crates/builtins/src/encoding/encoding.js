'use strict';
// TextEncoder and TextDecoder.

const {
  ERR_ENCODING_INVALID_ENCODED_DATA,
  ERR_ENCODING_NOT_SUPPORTED,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_THIS,
} = require('internal/errors');
const { validateString } = require('internal/validators');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const bufferNatives = require('internal/buffer/natives');

const { isAnyArrayBuffer } = require('internal/util/types');

const typedArrayTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

// Node throws this error from C++, with a different message than its JavaScript validators.
function notBytes(name) {
  const error = new TypeError(
    `The "${name}" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

class TextEncoder {
  #branded = true;

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#branded in value)) throw new ERR_INVALID_THIS('TextEncoder');
  }

  get encoding() {
    TextEncoder.#check(this);
    return 'utf-8';
  }

  encode(input = '') {
    TextEncoder.#check(this);
    return new Uint8Array(bufferNatives.utf8Encode(`${input}`));
  }

  encodeInto(src, dest) {
    TextEncoder.#check(this);
    validateString(src, 'src');
    if (!dest || typedArrayTag.call(dest) !== 'Uint8Array') throw new ERR_INVALID_ARG_TYPE('dest', 'Uint8Array', dest);
    const [read, written] = bufferNatives.encodeInto(src, dest);
    return { read, written };
  }

  [inspectSymbol](depth, opts) {
    TextEncoder.#check(this);
    if (typeof depth === 'number' && depth < 0) return opts.stylize('[TextEncoder]', 'special');
    // `lib/internal/encoding.js: TextEncoder` prints no class name.
    return require('internal/util/inspect').inspect({ encoding: this.encoding }, opts);
  }
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  // The native decoder, created at first use.
  #decode;
  #streaming = false;

  constructor(encoding = 'utf-8', options = { __proto__: null }) {
    encoding = `${encoding}`;
    if (options === null || (typeof options !== 'object' && typeof options !== 'function')) {
      if (options !== null) throw new ERR_INVALID_ARG_TYPE('options', 'Object', options);
    }
    const name = native.encodingOf(encoding);
    if (name == null || name === 'x-user-defined') throw new ERR_ENCODING_NOT_SUPPORTED(encoding);
    this.#encoding = name;
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#encoding in value)) throw new ERR_INVALID_THIS('TextDecoder');
  }

  get encoding() {
    TextDecoder.#check(this);
    return this.#encoding;
  }

  get fatal() {
    TextDecoder.#check(this);
    return this.#fatal;
  }

  get ignoreBOM() {
    TextDecoder.#check(this);
    return this.#ignoreBOM;
  }

  decode(input = new Uint8Array(0), options = { __proto__: null }) {
    TextDecoder.#check(this);
    let bytes;
    if ((input?.buffer ?? input)?.detached === true) {
      // Node decodes a detached buffer as empty input (`src/encoding_binding.cc`).
      bytes = new Uint8Array(0);
    } else if (ArrayBuffer.isView(input)) {
      bytes = new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    } else if (isAnyArrayBuffer(input)) {
      bytes = new Uint8Array(input);
    } else {
      throw notBytes(this.#encoding === 'utf-8' && !options?.stream ? 'list' : 'input');
    }
    const stream = Boolean(options?.stream);
    if (!stream && !this.#streaming && this.#encoding === 'utf-8') return this.#whole(bytes);
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') {
      throw new ERR_INVALID_ARG_TYPE('options', 'object', options);
    }
    this.#decode ??= native.decoder(this.#encoding, this.#ignoreBOM);
    const text = this.#decode(bytes, !stream, this.#fatal);
    this.#streaming = stream && text != null;
    if (text == null) throw this.#invalid();
    return text;
  }

  // Fast path: decodes a complete UTF-8 input directly from its memory.
  #whole(bytes) {
    if (this.#fatal && !bufferNatives.isUtf8(bytes)) throw this.#invalid();
    const start = !this.#ignoreBOM && bytes[0] === 0xEF && bytes[1] === 0xBB && bytes[2] === 0xBF ? 3 : 0;
    return bufferNatives.utf8Slice(bytes, start, bytes.length);
  }

  #invalid() {
    return new ERR_ENCODING_INVALID_ENCODED_DATA(this.#encoding, undefined);
  }

  [inspectSymbol](depth, opts) {
    TextDecoder.#check(this);
    if (typeof depth === 'number' && depth < 0) return opts.stylize('[TextDecoder]', 'special');
    const { encoding, fatal, ignoreBOM } = this;
    return `TextDecoder ${require('internal/util/inspect').inspect({ encoding, fatal, ignoreBOM }, opts)}`;
  }
}

for (const Class of [TextEncoder, TextDecoder]) {
  for (const name of ['encode', 'encodeInto', 'decode', 'encoding', 'fatal', 'ignoreBOM']) {
    if (Object.hasOwn(Class.prototype, name)) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  }
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, configurable: true, value: Class.name });
}

module.exports = { TextEncoder, TextDecoder };
