'use strict';
// Option validation of zlib streams: bounds and defaults, checked in Node's order.

const { Buffer, kMaxLength } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
const { isAnyArrayBuffer, isArrayBufferView, isUint8Array } = require('internal/util/types');
const constants = require('internal/zlib/constants');

const { GUNZIP, GZIP, INFLATE, UNZIP } = constants;

// A table row: minimum, maximum, default.
const level = [constants.Z_MIN_LEVEL, constants.Z_MAX_LEVEL, constants.Z_DEFAULT_COMPRESSION];
const strategy = [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_DEFAULT_STRATEGY];
const memLevel = [constants.Z_MIN_MEMLEVEL, constants.Z_MAX_MEMLEVEL, constants.Z_DEFAULT_MEMLEVEL];
const windowBits = [constants.Z_MIN_WINDOWBITS, constants.Z_MAX_WINDOWBITS, constants.Z_DEFAULT_WINDOWBITS];
const chunkSize = [constants.Z_MIN_CHUNK, constants.Z_MAX_CHUNK, constants.Z_DEFAULT_CHUNK];
const maxOutputLength = [1, kMaxLength, kMaxLength];

// Checks a number against a table row. undefined and NaN select the default.
function mustFit(value, name, row) {
  const { 0: least, 1: most, 2: usual } = row;
  if (value === undefined || Number.isNaN(value)) return usual;
  if (typeof value !== 'number') throw new ERR_INVALID_ARG_TYPE(name, 'number', value);
  if (!Number.isFinite(value)) throw new ERR_OUT_OF_RANGE(name, 'a finite number', value);
  if (value >= least && value <= most) return value;
  throw new ERR_OUT_OF_RANGE(name, most === Infinity ? `>= ${least}` : `>= ${least} and <= ${most}`, value);
}

function read(options, table) {
  const found = {};
  for (const name of Object.keys(table)) found[name] = mustFit(options?.[name], `options.${name}`, table[name]);
  return found;
}

// The table of zlib, brotli or zstd: the default flush operations, the full flush, and the largest valid value of `flush`.
const family = (flush, finishFlush, full, last) => ({
  full, table: { chunkSize, flush: [0, last, flush], finishFlush: [0, last, finishFlush], maxOutputLength },
});
const families = {
  zlib: family(constants.Z_NO_FLUSH, constants.Z_FINISH, constants.Z_FULL_FLUSH, constants.Z_BLOCK),
  brotli: family(constants.BROTLI_OPERATION_PROCESS, constants.BROTLI_OPERATION_FINISH, constants.BROTLI_OPERATION_FLUSH,
                 constants.BROTLI_OPERATION_EMIT_METADATA),
  zstd: family(constants.ZSTD_e_continue, constants.ZSTD_e_end, constants.ZSTD_e_flush, constants.ZSTD_e_end),
};

// Options common to all streams.
const streamOptions = (options, { table }) => read(options, table);

// The bytes of any view.
function bytesOf(view) {
  return isUint8Array(view) ? view : Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

function dictionaryOf(given) {
  if (given === undefined) return undefined;
  if (isArrayBufferView(given)) return bytesOf(given);
  if (isAnyArrayBuffer(given)) return Buffer.from(given);
  throw new ERR_INVALID_ARG_TYPE('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], given);
}

// For decompression, `windowBits` undefined or 0 means: take the size from the stream's header.
const isWindowOfHeader = (mode, options) =>
  options && (options.windowBits ?? 0) === 0 && [INFLATE, GUNZIP, UNZIP].includes(mode);

// Options of the zlib formats.
function zlibOptions(mode, options) {
  const rest = { level, memLevel, strategy };
  let found;
  if (isWindowOfHeader(mode, options)) {
    found = { windowBits: 0, ...read(options, rest) };
  } else {
    // Gzip does not support a window of 8 bits.
    const { 0: least, 1: most, 2: usual } = windowBits;
    found = read(options, { windowBits: [mode === GZIP ? least + 1 : least, most, usual], ...rest });
  }
  return { ...found, dictionary: dictionaryOf(options ? options.dictionary : undefined) };
}

// Validates the arguments of `params()`.
function checkParams(givenLevel, givenStrategy) {
  mustFit(givenLevel, 'level', level);
  mustFit(givenStrategy, 'strategy', strategy);
}

// Brotli and zstd parameters as a list, in the order of their numbers.
function paramsOf(options, prefix, Invalid) {
  const highest = Math.max(...Object.keys(constants).map((name) => (name.startsWith(prefix) ? constants[name] : 0)));
  const given = [];
  for (const name of Object.keys(options?.params ?? {})) {
    const key = +name;
    if (!Number.isInteger(key) || key < 0 || key > highest || given[key] !== undefined) throw new Invalid(name);
    const value = options.params[name];
    if (typeof value !== 'number' && typeof value !== 'boolean') {
      throw new ERR_INVALID_ARG_TYPE('options.params[key]', 'number', value);
    }
    // Stored as uint32; 0xffffffff is Node's marker for "not given".
    if ((value | 0) !== -1) given[key] = value >>> 0;
  }
  return Object.keys(given).flatMap((key) => [+key, given[key]]);
}

module.exports = { bytesOf, checkParams, families, paramsOf, streamOptions, zlibOptions };
