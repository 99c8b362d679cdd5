'use strict';
// The methods of Buffer that read and write numbers. They access their first and last byte: for an invalid offset the access gives `undefined`, and
// only then the arguments are validated.

const { ERR_BUFFER_OUT_OF_BOUNDS, ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
const { validateNumber } = require('internal/validators');

const float32 = new Float32Array(1);
const float32Bytes = new Uint8Array(float32.buffer);
const float64 = new Float64Array(1);
const float64Bytes = new Uint8Array(float64.buffer);

function boundsError(value, length, type) {
  if (Math.floor(value) !== value) {
    validateNumber(value, type ?? 'offset');
    throw new ERR_OUT_OF_RANGE(type || 'offset', 'an integer', value);
  }
  if (length < 0) throw new ERR_BUFFER_OUT_OF_BOUNDS();
  throw new ERR_OUT_OF_RANGE(type || 'offset', `>= ${type ? 1 : 0} and <= ${length}`, value);
}

function failRead(buffer, offset, size) {
  validateNumber(offset, 'offset');
  boundsError(offset, buffer.length - size);
}

function failRange(value, min, max, size) {
  const n = typeof min === 'bigint' ? 'n' : '';
  let range;
  if (size > 4) {
    range = min === 0 || min === 0n ?
      `>= 0${n} and < 2${n} ** ${size * 8}${n}` :
      `>= -(2${n} ** ${size * 8 - 1}${n}) and < 2${n} ** ${size * 8 - 1}${n}`;
  } else {
    range = `>= ${min}${n} and <= ${max}${n}`;
  }
  throw new ERR_OUT_OF_RANGE('value', range, value);
}

// Throws if the value or the offset is out of range.
function checkWrite(buffer, value, min, max, offset, size) {
  if (value > max || value < min) failRange(value, min, max, size);
  if (typeof offset !== 'number' || buffer[offset] === undefined || buffer[offset + size - 1] === undefined) {
    failRead(buffer, offset, size);
  }
}

const readers = {
  readUInt8(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 1);
    const value = this[offset];
    if (value === undefined) failRead(this, offset, 1);
    return value;
  },
  readUInt16LE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 2);
    const first = this[offset];
    const last = this[offset + 1];
    if (first === undefined || last === undefined) failRead(this, offset, 2);
    return first + last * 256;
  },
  readUInt16BE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 2);
    const first = this[offset];
    const last = this[offset + 1];
    if (first === undefined || last === undefined) failRead(this, offset, 2);
    return first * 256 + last;
  },
  readUInt32LE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 4);
    const first = this[offset];
    const last = this[offset + 3];
    if (first === undefined || last === undefined) failRead(this, offset, 4);
    return (first | this[offset + 1] << 8 | this[offset + 2] << 16 | last << 24) >>> 0;
  },
  readUInt32BE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 4);
    const first = this[offset];
    const last = this[offset + 3];
    if (first === undefined || last === undefined) failRead(this, offset, 4);
    return (first << 24 | this[offset + 1] << 16 | this[offset + 2] << 8 | last) >>> 0;
  },
  readUIntLE(offset, byteLength) {
    checkLength(offset, byteLength);
    return lowFirst(this, offset, byteLength);
  },
  readUIntBE(offset, byteLength) {
    checkLength(offset, byteLength);
    return highFirst(this, offset, byteLength);
  },
  readInt8(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 1);
    const value = this[offset];
    if (value === undefined) failRead(this, offset, 1);
    return value << 24 >> 24;
  },
  readInt16LE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 2);
    const first = this[offset];
    const last = this[offset + 1];
    if (first === undefined || last === undefined) failRead(this, offset, 2);
    return (first | last << 8) << 16 >> 16;
  },
  readInt16BE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 2);
    const first = this[offset];
    const last = this[offset + 1];
    if (first === undefined || last === undefined) failRead(this, offset, 2);
    return (first << 8 | last) << 16 >> 16;
  },
  readInt32LE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 4);
    const first = this[offset];
    const last = this[offset + 3];
    if (first === undefined || last === undefined) failRead(this, offset, 4);
    return first | this[offset + 1] << 8 | this[offset + 2] << 16 | last << 24;
  },
  readInt32BE(offset = 0) {
    if (typeof offset !== 'number') failRead(this, offset, 4);
    const first = this[offset];
    const last = this[offset + 3];
    if (first === undefined || last === undefined) failRead(this, offset, 4);
    return first << 24 | this[offset + 1] << 16 | this[offset + 2] << 8 | last;
  },
  readIntLE(offset, byteLength) {
    checkLength(offset, byteLength);
    return signed(lowFirst(this, offset, byteLength), byteLength);
  },
  readIntBE(offset, byteLength) {
    checkLength(offset, byteLength);
    return signed(highFirst(this, offset, byteLength), byteLength);
  },
  readBigUInt64LE(offset = 0) {
    checkRead(this, offset, 8);
    return BigInt(lowFirst(this, offset, 4)) + (BigInt(lowFirst(this, offset + 4, 4)) << 32n);
  },
  readBigUInt64BE(offset = 0) {
    checkRead(this, offset, 8);
    return (BigInt(highFirst(this, offset, 4)) << 32n) + BigInt(highFirst(this, offset + 4, 4));
  },
  readBigInt64LE(offset = 0) {
    checkRead(this, offset, 8);
    return (BigInt(lowFirst(this, offset + 4, 4) | 0) << 32n) + BigInt(lowFirst(this, offset, 4));
  },
  readBigInt64BE(offset = 0) {
    checkRead(this, offset, 8);
    return (BigInt(highFirst(this, offset, 4) | 0) << 32n) + BigInt(highFirst(this, offset + 4, 4));
  },
  readFloatLE(offset = 0) {
    checkRead(this, offset, 4);
    for (let i = 0; i < 4; i++) float32Bytes[i] = this[offset + i];
    return float32[0];
  },
  readFloatBE(offset = 0) {
    checkRead(this, offset, 4);
    for (let i = 0; i < 4; i++) float32Bytes[3 - i] = this[offset + i];
    return float32[0];
  },
  readDoubleLE(offset = 0) {
    checkRead(this, offset, 8);
    for (let i = 0; i < 8; i++) float64Bytes[i] = this[offset + i];
    return float64[0];
  },
  readDoubleBE(offset = 0) {
    checkRead(this, offset, 8);
    for (let i = 0; i < 8; i++) float64Bytes[7 - i] = this[offset + i];
    return float64[0];
  },
};

function checkRead(buffer, offset, size) {
  if (typeof offset !== 'number' || buffer[offset] === undefined || buffer[offset + size - 1] === undefined) {
    failRead(buffer, offset, size);
  }
}

function checkLength(offset, byteLength) {
  if (offset === undefined) throw new ERR_INVALID_ARG_TYPE('offset', 'number', offset);
  if (!(byteLength >= 1 && byteLength <= 6 && Math.floor(byteLength) === byteLength)) {
    boundsError(byteLength, 6, 'byteLength');
  }
}

function lowFirst(buffer, offset, size) {
  checkRead(buffer, offset, size);
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + buffer[offset + i];
  return value;
}

function highFirst(buffer, offset, size) {
  checkRead(buffer, offset, size);
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + buffer[offset + i];
  return value;
}

function signed(value, size) {
  const half = 2 ** (size * 8 - 1);
  return value >= half ? value - half * 2 : value;
}

// Negative values need no special case to become two's complement: the division rounds down, and a byte is the value modulo 256.
function writeLowFirst(buffer, value, offset, size, min, max) {
  value = +value;
  checkWrite(buffer, value, min, max, offset, size);
  for (let i = 0; i < size; i++) {
    buffer[offset + i] = value;
    value = Math.floor(value / 256);
  }
  return offset + size;
}

function writeHighFirst(buffer, value, offset, size, min, max) {
  value = +value;
  checkWrite(buffer, value, min, max, offset, size);
  for (let i = size - 1; i >= 0; i--) {
    buffer[offset + i] = value;
    value = Math.floor(value / 256);
  }
  return offset + size;
}

function writeBig(buffer, value, offset, min, max, lowIsFirst) {
  checkWrite(buffer, value, min, max, offset, 8);
  if (typeof value !== 'bigint') throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
  const low = Number(value & 0xffffffffn);
  const high = Number(value >> 32n & 0xffffffffn);
  const write = lowIsFirst ? writeLowFirst : writeHighFirst;
  write(buffer, lowIsFirst ? low : high, offset, 4, 0, 0xffffffff);
  write(buffer, lowIsFirst ? high : low, offset + 4, 4, 0, 0xffffffff);
  return offset + 8;
}

const writers = {
  writeUInt8(value, offset = 0) {
    return writeByte(this, value, offset, 0, 0xff);
  },
  writeUInt16LE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, 0, 0xffff, offset, 2);
    this[offset] = value;
    this[offset + 1] = value >>> 8;
    return offset + 2;
  },
  writeUInt16BE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, 0, 0xffff, offset, 2);
    this[offset] = value >>> 8;
    this[offset + 1] = value;
    return offset + 2;
  },
  writeUInt32LE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, 0, 0xffffffff, offset, 4);
    this[offset] = value;
    this[offset + 1] = value >>> 8;
    this[offset + 2] = value >>> 16;
    this[offset + 3] = value >>> 24;
    return offset + 4;
  },
  writeUInt32BE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, 0, 0xffffffff, offset, 4);
    this[offset] = value >>> 24;
    this[offset + 1] = value >>> 16;
    this[offset + 2] = value >>> 8;
    this[offset + 3] = value;
    return offset + 4;
  },
  writeUIntLE(value, offset, byteLength) {
    checkLengthOfWrite(byteLength);
    return writeLowFirst(this, value, offset, byteLength, 0, 2 ** (byteLength * 8) - 1);
  },
  writeUIntBE(value, offset, byteLength) {
    checkLengthOfWrite(byteLength);
    return writeHighFirst(this, value, offset, byteLength, 0, 2 ** (byteLength * 8) - 1);
  },
  writeInt8(value, offset = 0) {
    return writeByte(this, value, offset, -0x80, 0x7f);
  },
  writeInt16LE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, -0x8000, 0x7fff, offset, 2);
    this[offset] = value;
    this[offset + 1] = value >>> 8;
    return offset + 2;
  },
  writeInt16BE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, -0x8000, 0x7fff, offset, 2);
    this[offset] = value >>> 8;
    this[offset + 1] = value;
    return offset + 2;
  },
  writeInt32LE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, -0x80000000, 0x7fffffff, offset, 4);
    this[offset] = value;
    this[offset + 1] = value >>> 8;
    this[offset + 2] = value >>> 16;
    this[offset + 3] = value >>> 24;
    return offset + 4;
  },
  writeInt32BE(value, offset = 0) {
    value = +value;
    checkWrite(this, value, -0x80000000, 0x7fffffff, offset, 4);
    this[offset] = value >>> 24;
    this[offset + 1] = value >>> 16;
    this[offset + 2] = value >>> 8;
    this[offset + 3] = value;
    return offset + 4;
  },
  writeIntLE(value, offset, byteLength) {
    checkLengthOfWrite(byteLength);
    const half = 2 ** (byteLength * 8 - 1);
    return writeLowFirst(this, value, offset, byteLength, -half, half - 1);
  },
  writeIntBE(value, offset, byteLength) {
    checkLengthOfWrite(byteLength);
    const half = 2 ** (byteLength * 8 - 1);
    return writeHighFirst(this, value, offset, byteLength, -half, half - 1);
  },
  writeBigUInt64LE(value, offset = 0) {
    return writeBig(this, value, offset, 0n, 0xffffffffffffffffn, true);
  },
  writeBigUInt64BE(value, offset = 0) {
    return writeBig(this, value, offset, 0n, 0xffffffffffffffffn, false);
  },
  writeBigInt64LE(value, offset = 0) {
    return writeBig(this, value, offset, -0x8000000000000000n, 0x7fffffffffffffffn, true);
  },
  writeBigInt64BE(value, offset = 0) {
    return writeBig(this, value, offset, -0x8000000000000000n, 0x7fffffffffffffffn, false);
  },
  writeFloatLE(value, offset = 0) {
    value = +value;
    checkRead(this, offset, 4);
    float32[0] = value;
    for (let i = 0; i < 4; i++) this[offset + i] = float32Bytes[i];
    return offset + 4;
  },
  writeFloatBE(value, offset = 0) {
    value = +value;
    checkRead(this, offset, 4);
    float32[0] = value;
    for (let i = 0; i < 4; i++) this[offset + i] = float32Bytes[3 - i];
    return offset + 4;
  },
  writeDoubleLE(value, offset = 0) {
    value = +value;
    checkRead(this, offset, 8);
    float64[0] = value;
    for (let i = 0; i < 8; i++) this[offset + i] = float64Bytes[i];
    return offset + 8;
  },
  writeDoubleBE(value, offset = 0) {
    value = +value;
    checkRead(this, offset, 8);
    float64[0] = value;
    for (let i = 0; i < 8; i++) this[offset + i] = float64Bytes[7 - i];
    return offset + 8;
  },
};

// For one byte, Node validates the type of the offset before the value (`lib/internal/buffer.js: writeU_Int8`).
function writeByte(buffer, value, offset, min, max) {
  value = +value;
  if (typeof offset !== 'number') validateNumber(offset, 'offset');
  if (value > max || value < min || buffer[offset] === undefined) checkWrite(buffer, value, min, max, offset, 1);
  buffer[offset] = value;
  return offset + 1;
}

function checkLengthOfWrite(byteLength) {
  if (!(byteLength >= 1 && byteLength <= 6 && Math.floor(byteLength) === byteLength)) {
    boundsError(byteLength, 6, 'byteLength');
  }
}

function addTo(prototype) {
  for (const methods of [readers, writers]) {
    for (const name of Object.keys(methods)) {
      const method = methods[name];
      prototype[name] = method;
      // Node has an alias of each unsigned method: `readUint8` for `readUInt8`.
      if (name.includes('UInt')) prototype[name.replace('UInt', 'Uint')] = method;
    }
  }
}

module.exports = { addTo };
