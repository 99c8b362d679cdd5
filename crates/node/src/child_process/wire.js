'use strict';
// How messages go through a channel: as lines of JSON, or as clones with their length before them ('advanced').

const { Buffer } = require('buffer');

class Lines {
  #decoder;
  #rest = '';

  // Whether a message has begun and not ended.
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

// A length, which is sent first, the highest byte first.
const kHeadBytes = 4;

// As Node: a view takes only its own bytes along, and Buffers stay Buffers; an object of one of Node's classes is one like
// any other.
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
  // Of the message that is being read, with its head; 0 if that is not known.
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
    // As Node: a plain error.
    throw new Error(why);
  }

  * take(bytes) {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    // Chunks are put together only when a message is whole.
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
