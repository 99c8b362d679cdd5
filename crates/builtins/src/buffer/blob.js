'use strict';
// Blob and File: immutable bytes with a type, and the blob: URLs of this process.

const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MISSING_ARGS } = require('internal/errors');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const inspect = (value, options) => require('internal/util/inspect').inspect(value, options);

// Third argument of the constructor: the blob uses the bytes of the first argument without copying them.
const kOwn = Symbol('kOwn');

const { isAnyArrayBuffer } = require('internal/util/types');

const readType = (type) => (/[^\u0020-\u007E]/.test(type) ? '' : type.toLowerCase());

// A concatenation of blob contents. A content is either bytes, or an object with `length`, `subarray(from, to)` and `read()` that reads its bytes on
// demand, such as this class.
class Joined {
  constructor(parts) {
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  subarray(from, to) {
    const parts = [];
    let at = 0;
    for (const part of this.parts) {
      const [first, last] = [Math.max(from - at, 0), Math.min(to - at, part.length)];
      if (first < last) parts.push(part.subarray(first, last));
      at += part.length;
    }
    return new Joined(parts);
  }

  refuseClone() { return this.parts.find((part) => part.refuseClone !== undefined)?.refuseClone(); }

  async read() {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      all.set(areBytes(part) ? part : await part.read(), at);
      at += part.length;
    }
    return all;
  }
}

// True if the content is bytes. Checks the type and not the method `read`, which a polluted `Object.prototype` may have.
const areBytes = (content) => ArrayBuffer.isView(content);

// Resolves to a copy of the bytes of a content.
const read = async (content) => (areBytes(content) ? content.slice() : content.read());

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

  get type() {
    Blob.#check(this);
    return this.#type;
  }

  get size() {
    Blob.#check(this);
    return this.#bytes.length;
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

  // The method is `async`, so that exceptions become rejections.
  async arrayBuffer() {
    Blob.#check(this);
    return (await read(this.#bytes)).buffer;
  }

  async text() {
    Blob.#check(this);
    const bytes = areBytes(this.#bytes) ? this.#bytes : await this.#bytes.read();
    return native.utf8Slice(bytes, 0, bytes.length);
  }

  async bytes() {
    Blob.#check(this);
    return read(this.#bytes);
  }

  stream() {
    Blob.#check(this);
    const { ReadableStream } = require('stream/web');
    const bytes = this.#bytes;
    let at = 0;
    return new ReadableStream({
      __proto__: null,
      type: 'bytes',
      async pull(controller) {
        const part = bytes.subarray(at, Math.min(at + 65536, bytes.length));
        const chunk = areBytes(part) ? part.slice() : await part.read();
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
    if (depth < 0) return options.stylize('[Blob]', 'special');
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `Blob ${inspect({ size: this.size, type: this.type }, inner)}`;
  }
}

// File inherits this method, so a clone of a File is a Blob (`lib/internal/blob.js: [kClone]`).
{
  const { kClone, kDeserialize } = require('internal/clone_symbols');
  Object.defineProperty(Blob.prototype, kClone, {
    __proto__: null,
    configurable: true,
    writable: true,
    value() {
      const refusal = bytesOf(this).refuseClone?.();
      if (refusal !== undefined) throw refusal;
      return { class: 'internal/blob:Blob', data: { bytes: bytesOf(this), type: this.type } };
    },
  });
  Object.defineProperty(Blob, kDeserialize, {
    __proto__: null,
    value: {
      shell: () => new Blob(new Uint8Array(0), '', kOwn),
      fill(blob, { bytes, type }) { fillBlob(blob, bytes, type); },
    },
  });
}

// Creates a Blob over a content that is read on demand.
const blobOf = (content, type) => new Blob(content, type, kOwn);

// Concatenates bytes, blobs, and the string forms of all other values.
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
  if (!parts.every(areBytes)) return new Joined(parts);
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
    if (depth < 0) return options.stylize('[File]', 'special');
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

// The blobs of `URL.createObjectURL()`, by id.
const objectUrls = new SafeMap();

// Returns a random id for this process. The id is not secret, so Math.random() is enough.
function newId() {
  const digits = (count) => Array.from({ length: count }, () => Math.floor(Math.random() * 16).toString(16)).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${'89ab'[Math.floor(Math.random() * 4)]}${digits(3)}-${digits(12)}`;
}

function createObjectURL(obj) {
  if (!isBlob(obj)) throw new ERR_INVALID_ARG_TYPE('obj', 'Blob', obj);
  const url = `blob:nodedata:${newId()}`;
  objectUrls.set(url, obj);
  return url;
}

function revokeObjectURL(url) {
  objectUrls.delete(`${url}`);
}

function resolveObjectURL(url) {
  const blob = objectUrls.get(`${url}`);
  return blob === undefined ? undefined : blob.slice(0, blob.size, blob.type);
}

module.exports = { Blob, File, blobOf, createObjectURL, isBlob, resolveObjectURL, revokeObjectURL };
