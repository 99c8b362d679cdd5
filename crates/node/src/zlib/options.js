'use strict';
// What may be asked of a stream: for every number its bounds and what it is when nobody says, in the order in which Node looks at them.

const { Buffer, kMaxLength } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
const { isAnyArrayBuffer, isArrayBufferView, isUint8Array } = require('internal/util/types');
const constants = require('internal/zlib/constants');

const { GUNZIP, GZIP, INFLATE, UNZIP } = constants;

// A row of a table: the least, the most, the usual.
const level = [constants.Z_MIN_LEVEL, constants.Z_MAX_LEVEL, constants.Z_DEFAULT_COMPRESSION];
const strategy = [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_DEFAULT_STRATEGY];
const memLevel = [constants.Z_MIN_MEMLEVEL, constants.Z_MAX_MEMLEVEL, constants.Z_DEFAULT_MEMLEVEL];
const windowBits = [constants.Z_MIN_WINDOWBITS, constants.Z_MAX_WINDOWBITS, constants.Z_DEFAULT_WINDOWBITS];
const chunkSize = [constants.Z_MIN_CHUNK, constants.Z_MAX_CHUNK, constants.Z_DEFAULT_CHUNK];
const maxOutputLength = [1, kMaxLength, kMaxLength];

// What is no number at all counts as not given.
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

// What sets the three families apart: how they flush, and which numbers `flush` may be.
const family = (flush, finishFlush, full, last) => ({
  full, table: { chunkSize, flush: [0, last, flush], finishFlush: [0, last, finishFlush], maxOutputLength },
});
const families = {
  zlib: family(constants.Z_NO_FLUSH, constants.Z_FINISH, constants.Z_FULL_FLUSH, constants.Z_BLOCK),
  brotli: family(constants.BROTLI_OPERATION_PROCESS, constants.BROTLI_OPERATION_FINISH, constants.BROTLI_OPERATION_FLUSH,
                 constants.BROTLI_OPERATION_EMIT_METADATA),
  zstd: family(constants.ZSTD_e_continue, constants.ZSTD_e_end, constants.ZSTD_e_flush, constants.ZSTD_e_end),
};

// What every stream is told.
const streamOptions = (options, { table }) => read(options, table);

// Any view as the bytes that it shows.
function bytesOf(view) {
  return isUint8Array(view) ? view : Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

function dictionaryOf(given) {
  if (given === undefined) return undefined;
  if (isArrayBufferView(given)) return bytesOf(given);
  if (isAnyArrayBuffer(given)) return Buffer.from(given);
  throw new ERR_INVALID_ARG_TYPE('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], given);
}

// The window of the stream's own header is asked for by nothing, or by 0: where there is a header to be read.
const isWindowOfHeader = (mode, options) =>
  options && (options.windowBits ?? 0) === 0 && [INFLATE, GUNZIP, UNZIP].includes(mode);

// What a stream of zlib's own formats is told besides.
function zlibOptions(mode, options) {
  const rest = { level, memLevel, strategy };
  let found;
  if (isWindowOfHeader(mode, options)) {
    found = { windowBits: 0, ...read(options, rest) };
  } else {
    // A gzip has no window of 8 bits.
    const { 0: least, 1: most, 2: usual } = windowBits;
    found = read(options, { windowBits: [mode === GZIP ? least + 1 : least, most, usual], ...rest });
  }
  return { ...found, dictionary: dictionaryOf(options ? options.dictionary : undefined) };
}

// Of a stream that is under way.
function checkParams(givenLevel, givenStrategy) {
  mustFit(givenLevel, 'level', level);
  mustFit(givenStrategy, 'strategy', strategy);
}

// The parameters given, as numbers and values in the order of the numbers.
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
    // As unsigned words of 32 bits; the highest is Node's mark of nothing given.
    if ((value | 0) !== -1) given[key] = value >>> 0;
  }
  return Object.keys(given).flatMap((key) => [+key, given[key]]);
}

module.exports = { bytesOf, checkParams, families, paramsOf, streamOptions, zlibOptions };
