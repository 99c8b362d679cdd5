'use strict';
// The `v8` module, as far as it applies to SpiderMonkey: serialization in V8's format, heap statistics, the start-up
// snapshot API. Coverage and heap snapshots are not available; all of the heap is shown as V8's old space.

const { Buffer } = require('buffer');
const { ERR_NOT_BUILDING_SNAPSHOT } = require('internal/errors');
const { validateString } = require('internal/validators');
const { Deserializer } = require('internal/v8/deserializer');
const { Serializer } = require('internal/v8/serializer');

// Typed array types by their number in Node's format; 10 is Buffer.
const views = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, DataView,
  Buffer, BigInt64Array, BigUint64Array,
];

class DefaultSerializer extends Serializer {
  constructor() {
    super();
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }

  _writeHostObject(view) {
    const number = Buffer.isBuffer(view) ? 10 : views.findIndex((View, at) => at !== 10 && view instanceof View);
    if (number < 0) {
      throw new this._getDataCloneError(`Unserializable host object: ${require('util').inspect(view)}`);
    }
    this.writeUint32(number);
    this.writeUint32(view.byteLength);
    this.writeRawBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  }
}

class DefaultDeserializer extends Deserializer {
  _readHostObject() {
    const number = this.readUint32();
    const View = views[number];
    const length = this.readUint32();
    const offset = this.buffer.byteOffset + this._readRawBytes(length);
    const { buffer } = this.buffer;
    if (View === undefined) throw new Error('Unable to deserialize cloned data.');
    if (View === Buffer) return Buffer.from(buffer, offset, length);
    const size = View.BYTES_PER_ELEMENT ?? 1;
    if (offset % size === 0) return new View(buffer, offset, length / size);
    return new View(buffer.slice(offset, offset + length), 0, length / size);
  }
}

function serialize(value) {
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

function deserialize(buffer) {
  const deserializer = new DefaultDeserializer(buffer);
  deserializer.readHeader();
  return deserializer.readValue();
}

// The statistics that SpiderMonkey does not have are 0. The heap has no limit other than the memory of the process.
function getHeapStatistics() {
  const { heapTotal, heapUsed, external } = require('process').memoryUsage();
  // `constrainedMemory()` is 2 ** 64 if the cgroup sets no limit.
  const limit = Math.min(require('process').constrainedMemory() || Infinity, require('os').totalmem());
  return {
    total_heap_size: heapTotal,
    total_heap_size_executable: 0,
    total_physical_size: heapTotal,
    total_available_size: Math.max(limit - heapTotal, 0),
    used_heap_size: heapUsed,
    heap_size_limit: limit,
    malloced_memory: 0,
    peak_malloced_memory: 0,
    does_zap_garbage: 0,
    number_of_native_contexts: 1,
    number_of_detached_contexts: 0,
    total_global_handles_size: 0,
    used_global_handles_size: 0,
    external_memory: external,
  };
}

// V8's heap spaces. The engine reports one size for its heap, shown as the old space.
const spaces = [
  'read_only_space', 'new_space', 'old_space', 'code_space', 'shared_space', 'trusted_space', 'new_large_object_space',
  'large_object_space', 'code_large_object_space', 'shared_large_object_space', 'trusted_large_object_space',
];

function getHeapSpaceStatistics() {
  const { heapTotal, heapUsed } = require('process').memoryUsage();
  return spaces.map((name) => {
    const isOurs = name === 'old_space';
    return {
      space_name: name,
      space_size: isOurs ? heapTotal : 0,
      space_used_size: isOurs ? heapUsed : 0,
      space_available_size: isOurs ? Math.max(heapTotal - heapUsed, 0) : 0,
      physical_space_size: isOurs ? heapTotal : 0,
    };
  });
}

function isStringOneByteRepresentation(content) {
  validateString(content, 'content');
  return !/[^\0-\xff]/.test(content);
}

// The unsupported flags for which a warning was printed.
const refused = new Set();

// As in V8, `--expose-gc` defines `gc` in `vm` contexts that are created later. No other flag can change while a program runs.
function setFlagsFromString(flags) {
  validateString(flags, 'flags');
  for (const word of flags.split(/\s+/)) {
    if (!word.startsWith('-')) continue;
    const name = word.replace(/^--?/, '').replaceAll('_', '-');
    if (name === 'expose-gc' || name === 'no-expose-gc') {
      require('internal/gc').exposeInContexts(name === 'expose-gc');
    } else if (!refused.has(name)) {
      refused.add(name);
      require('process').emitWarning(`v8.setFlagsFromString() ignores --${name}: Phasor does not run on V8`);
    }
  }
}

function notBuilding() { throw new ERR_NOT_BUILDING_SNAPSHOT(); }

module.exports = {
  setFlagsFromString,
  getHeapStatistics,
  getHeapSpaceStatistics,
  Serializer,
  Deserializer,
  DefaultSerializer,
  DefaultDeserializer,
  deserialize,
  serialize,
  startupSnapshot: {
    addDeserializeCallback() { notBuilding(); },
    addSerializeCallback() { notBuilding(); },
    setDeserializeMainFunction() { notBuilding(); },
    isBuildingSnapshot() { return 0; },
  },
  isStringOneByteRepresentation,
  get promiseHooks() { return require('internal/async_hooks/promise_hooks'); },
};
