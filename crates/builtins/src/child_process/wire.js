'use strict';
// Serialization of IPC messages: as lines of JSON, or as structured clones with a length prefix ('advanced').

const { Buffer } = require('buffer');

class Lines {
  #decoder;
  #rest = '';

  // True after a part of a message has been read.
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

// Tags of host objects (`lib/internal/child_process/serialization.js`).
const kView = 0, kNoView = 1;

// Created for the first channel with 'advanced' serialization, so that `v8` is not loaded at startup.
let classes;

// `ChildProcessSerializer` and `ChildProcessDeserializer` of `lib/internal/child_process/serialization.js`: a host object that is not a view is sent
// as a plain object.
function serializers() {
  if (classes !== undefined) return classes;
  const { DefaultDeserializer, DefaultSerializer } = require('v8');
  classes = {
    Serializer: class extends DefaultSerializer {
      _writeHostObject(object) {
        if (ArrayBuffer.isView(object)) {
          this.writeUint32(kView);
          super._writeHostObject(object);
          return;
        }
        this.writeUint32(kNoView);
        this.writeValue({ ...object });
      }
    },
    Deserializer: class extends DefaultDeserializer {
      _readHostObject() { return this.readUint32() === kView ? super._readHostObject() : this.readValue(); }
    },
  };
  return classes;
}

class Frames {
  #chunks = [];
  #bytes = 0;
  // Total size of the message that is being read; 0 if it is not known yet.
  #wanted = 0;

  get isHalf() { return this.#bytes > 0; }

  forget() {
    this.#chunks = [];
    this.#bytes = 0;
    this.#wanted = 0;
  }

  encode(message) {
    const serializer = new (serializers().Serializer)();
    // Reserves space for the length.
    serializer.writeRawBytes(Buffer.allocUnsafe(kHeadBytes));
    serializer.writeHeader();
    serializer.writeValue(message);
    const frame = serializer.releaseBuffer();
    frame.writeUInt32BE(frame.length - kHeadBytes);
    return frame;
  }

  * take(bytes) {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    // Chunks are concatenated only when a message is complete.
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
      const deserializer = new (serializers().Deserializer)(body);
      deserializer.readHeader();
      yield deserializer.readValue();
    }
  }
}

module.exports = { advanced: Frames, json: Lines };
