'use strict';
// fs.openAsBlob: a Blob that reads its bytes from the file on demand.

const { ERR_INVALID_STATE } = require('internal/errors');
const { validateObject, validateString } = require('internal/validators');
const { toPath } = require('internal/fs/arguments');
const { closing } = require('internal/fs/steps');
const { runPromise } = require('internal/fs/run');
const { kEmptyObject } = require('internal/util');

const notReadable = () => {
  const { DOMException } = require('internal/domexception');
  return new DOMException('The blob could not be read', 'NotReadableError');
};

// The bytes of a range of a file. Reads fail if the size or the modification time of the file has changed.
class FileBytes {
  #path;
  #stamp;
  #from;

  constructor(path, stamp, from, length) {
    this.#path = path;
    this.#stamp = stamp;
    this.#from = from;
    this.length = length;
  }

  subarray(from, to) { return new FileBytes(this.#path, this.#stamp, this.#from + from, to - from); }

  refuseClone() { return new ERR_INVALID_STATE.TypeError('File-backed Blobs are not cloneable'); }

  async read() {
    try {
      return await runPromise(this.#steps());
    } catch {
      throw notReadable();
    }
  }

  * #steps() {
    const fd = yield ['open', [this.#path, 0, 0], this.#path];
    return yield* closing(fd, this.#fill(fd));
  }

  * #fill(fd) {
    if (stampOf(yield ['fstat', [fd]]) !== this.#stamp) throw notReadable();
    const bytes = new Uint8Array(this.length);
    for (let at = 0; at < bytes.length;) {
      const count = yield ['read', [fd, bytes, at, Math.min(bytes.length - at, 1 << 30), this.#from + at]];
      if (count === 0) throw notReadable();
      at += count;
    }
    return bytes;
  }
}

// A string that identifies the state of a file: its size and modification time.
const stampOf = ({ size, mtimeMs }) => `${size} ${mtimeMs}`;

function openAsBlob(path, options = kEmptyObject) {
  validateObject(options, 'options');
  const type = options.type || '';
  validateString(type, 'options.type');
  path = toPath(path);
  const found = native.callback.stat(undefined, path);
  if (typeof found === 'number') {
    const error = new TypeError('Unable to open file as blob');
    error.code = 'ERR_INVALID_ARG_VALUE';
    throw error;
  }
  const { blobOf } = require('internal/blob');
  return Promise.resolve(blobOf(new FileBytes(path, stampOf(found), 0, found.size), type));
}

module.exports = { openAsBlob };
