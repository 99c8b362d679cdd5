'use strict';
// Blob and File: bytes that do not change, with a type; and the URLs that name them within the process.

const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MISSING_ARGS } = require('internal/errors');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const inspect = (value, options) => require('internal/util/inspect').inspect(value, options);

// Given as the first argument: the bytes are taken as they are.
const kOwn = Symbol('kOwn');

const { isAnyArrayBuffer } = require('internal/util/types');

const readType = (type) => (/[^\u0020-\u007E]/.test(type) ? '' : type.toLowerCase());

let bytesOf;
let fillBlob;
let isBlob;

class Blob {
  #bytes;
  #type = '';

  static {
    bytesOf = (blob) => blob.#bytes;
    fillBlob = (blob, bytes, type) => {
      blob.#bytes = bytes;
      blob.#type = type;
    };
    isBlob = (value) => typeof value === 'object' && value !== null && #bytes in value;
  }

  static #check(value) {
    if (!isBlob(value)) throw new ERR_INVALID_THIS('Blob');
  }

  constructor(sources = [], options = undefined, own = undefined) {
    if (own === kOwn) {
      this.#bytes = sources;
      this.#type = options;
      return;
    }
    if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function') {
      throw new ERR_INVALID_ARG_TYPE('sources', 'a sequence', sources);
    }
    if (options != null && typeof options !== 'object' && typeof options !== 'function') {
      throw new ERR_INVALID_ARG_TYPE('options', 'a dictionary', options);
    }
    const endings = options?.endings === undefined ? 'transparent' : `${options.endings}`;
    if (endings !== 'transparent' && endings !== 'native') {
      throw new ERR_INVALID_ARG_VALUE('options.endings', options.endings);
    }
    const type = options?.type === undefined ? '' : `${options.type}`;
    this.#bytes = gather(sources, endings === 'native');
    this.#type = readType(type);
  }

  get size() {
    Blob.#check(this);
    return this.#bytes.length;
  }

  get type() {
    Blob.#check(this);
    return this.#type;
  }

  slice(start = 0, end = this.size, contentType = '') {
    Blob.#check(this);
    const clamp = (value) => {
      value = Math.trunc(+value) || 0;
      return value < 0 ? Math.max(this.#bytes.length + value, 0) : Math.min(value, this.#bytes.length);
    };
    const from = clamp(start);
    const bytes = this.#bytes.subarray(from, Math.max(from, clamp(end)));
    return new Blob(bytes, readType(`${contentType}`), kOwn);
  }

  // Promises, so that what is wrong comes as a rejection.
  async arrayBuffer() {
    Blob.#check(this);
    return this.#bytes.slice().buffer;
  }

  async bytes() {
    Blob.#check(this);
    return this.#bytes.slice();
  }

  async text() {
    Blob.#check(this);
    return native.utf8Slice(this.#bytes, 0, this.#bytes.length);
  }

  stream() {
    Blob.#check(this);
    const { ReadableStream } = require('stream/web');
    const bytes = this.#bytes;
    let at = 0;
    return new ReadableStream({
      type: 'bytes',
      pull(controller) {
        const chunk = bytes.slice(at, at + 65536);
        at += chunk.length;
        if (chunk.length > 0) controller.enqueue(chunk);
        if (at >= bytes.length) {
          controller.close();
          controller.byobRequest?.respond(0);
        }
      },
    });
  }

  [inspectSymbol](depth, options) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `Blob ${inspect({ size: this.size, type: this.type }, inner)}`;
  }
}

// As Node: a File is cloned as a Blob.
{
  const { kClone, kDeserialize } = require('internal/clone_symbols');
  Object.defineProperty(Blob.prototype, kClone, {
    __proto__: null,
    configurable: true,
    writable: true,
    value() { return { class: 'internal/blob:Blob', data: { bytes: bytesOf(this), type: this.type } }; },
  });
  Object.defineProperty(Blob, kDeserialize, {
    __proto__: null,
    value: {
      shell: () => new Blob(new Uint8Array(0), '', kOwn),
      fill(blob, { bytes, type }) { fillBlob(blob, bytes, type); },
    },
  });
}

// One array of all the parts: bytes, other blobs, and what else as text.
function gather(sources, nativeEndings) {
  const parts = [];
  let length = 0;
  for (const source of sources) {
    let bytes;
    if (isAnyArrayBuffer(source)) {
      bytes = new Uint8Array(source.slice(0));
    } else if (ArrayBuffer.isView(source)) {
      bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice();
    } else if (isBlob(source)) {
      bytes = bytesOf(source);
    } else {
      let text = `${source}`;
      if (nativeEndings) text = text.replace(/\r\n|\n/g, '\n');
      bytes = new Uint8Array(native.utf8Encode(text));
    }
    parts.push(bytes);
    length += bytes.length;
  }
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

class File extends Blob {
  #name;
  #lastModified;

  constructor(fileBits, fileName, options = undefined) {
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('fileBits', 'fileName');
    super(fileBits, options);
    const lastModified = options?.lastModified;
    this.#lastModified = lastModified !== undefined ? Math.trunc(+lastModified) || 0 : Date.now();
    this.#name = `${fileName}`.toWellFormed();
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#name in value)) throw new ERR_INVALID_THIS('File');
  }

  get name() {
    File.#check(this);
    return this.#name;
  }

  get lastModified() {
    File.#check(this);
    return this.#lastModified;
  }

  [inspectSymbol](depth, options) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    const { size, type, name, lastModified } = this;
    return `File ${inspect({ size, type, name, lastModified }, inner)}`;
  }
}

function finish(Class, names) {
  for (const name of names) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, configurable: true, value: Class.name });
}
finish(Blob, ['size', 'type', 'slice', 'stream', 'text', 'arrayBuffer', 'bytes']);
finish(File, ['name', 'lastModified']);

// Blobs by the URLs that name them.
const held = new Map();

// A number that no other URL of this process has; it keeps no secret.
function newId() {
  const digits = (count) => Array.from({ length: count }, () => Math.floor(Math.random() * 16).toString(16)).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${'89ab'[Math.floor(Math.random() * 4)]}${digits(3)}-${digits(12)}`;
}

function createObjectURL(obj) {
  if (!isBlob(obj)) throw new ERR_INVALID_ARG_TYPE('obj', 'Blob', obj);
  const url = `blob:nodedata:${newId()}`;
  held.set(url, obj);
  return url;
}

function revokeObjectURL(url) {
  held.delete(`${url}`);
}

function resolveObjectURL(url) {
  const blob = held.get(`${url}`);
  return blob === undefined ? undefined : blob.slice(0, blob.size, blob.type);
}

module.exports = { Blob, File, createObjectURL, isBlob, resolveObjectURL, revokeObjectURL };
