'use strict';
// Serialization of IPC messages: lines of JSON, or structured clones with a length prefix ('advanced').

const { Buffer } = require('buffer');

class Lines {
  #decoder;
  #rest = '';

  // True while a message is partially received.
  get isHalf() { return this.#rest !== ''; }

  forget() { this.#rest = ''; }

  encode(message) { return `${JSON.stringify(message)}\n`; }

  * take(bytes) {
    this.#decoder ??= new (require('string_decoder').StringDecoder)('utf8');
    const lines = this.#decoder.write(bytes).split('\n');
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

// Size of the big-endian length prefix.
const kHeadBytes = 4;

// Serializer hooks as in Node's `lib/internal/child_process/serialization.js`: a view is sent with its own bytes
// only, a Buffer stays a Buffer, and host objects are treated as plain objects.
function cloneParts() {
  const { parts } = require('internal/clone');
  return {
    ...parts,
    host: () => undefined,
    take(kind, value) {
      const taken = parts.take(kind, value);
      if (kind !== 'view') return taken;
      const [name, buffer, offset] = taken;
      const bytes = buffer.slice(offset, offset + value.byteLength);
      return [Buffer.isBuffer(value) ? 'Buffer' : name, bytes, 0, taken[3]];
    },
    make(kind, given) {
      return kind === 'view' && given[0] === 'Buffer' ? Buffer.from(given[1]) : parts.make(kind, given);
    },
  };
}

class Frames {
  #parts = cloneParts();
  #chunks = [];
  #bytes = 0;
  // Total size of the message being read, 0 if not known yet.
  #wanted = 0;

  get isHalf() { return this.#bytes > 0; }

  forget() {
    this.#chunks = [];
    this.#bytes = 0;
    this.#wanted = 0;
  }

  encode(message) {
    const body = this.#clone(message);
    const frame = Buffer.allocUnsafe(kHeadBytes + body.length);
    frame.writeUInt32BE(body.length);
    frame.set(body, kHeadBytes);
    return frame;
  }

  #clone(message) {
    let why = '#<SharedArrayBuffer> could not be cloned.';
    try {
      const bytes = require('internal/clone').toBytes(message, this.#parts);
      if (bytes !== undefined) return bytes;
    } catch (error) {
      if (error?.name !== 'DataCloneError') throw error;
      why = error.message;
    }
    // Node throws a plain Error here.
    throw new Error(why);
  }

  * take(bytes) {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    // Concatenate chunks only when a message is complete.
    while (this.#bytes >= Math.max(this.#wanted, kHeadBytes)) {
      const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks, this.#bytes);
      this.#chunks = [all];
      this.#wanted = kHeadBytes + new DataView(all.buffer, all.byteOffset).getUint32(0);
      if (this.#bytes < this.#wanted) return;
      const body = all.subarray(kHeadBytes, this.#wanted);
      const rest = all.subarray(this.#wanted);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
      this.#wanted = 0;
      const message = require('internal/clone').fromBytes(body, this.#parts);
      if (message === undefined) throw new Error('Unable to deserialize cloned data.');
      yield message;
    }
  }
}

module.exports = { advanced: Frames, json: Lines };
