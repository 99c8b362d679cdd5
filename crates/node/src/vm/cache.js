'use strict';
// `cachedData` of `vm.Script`: a header for validation, and the engine's bytecode.

const { Buffer } = require('buffer');
const { createHash } = require('crypto');
const process = require('process');
const engine = require('internal/vm/engine');

const HEAD_BYTES = 64;

const digest = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

// A 32-byte hash of the engine version and the source: the cache key.
const nameOf = ({ text, file, lineOffset }) =>
  digest(`${process.versions.phasor ?? ''}\0${process.arch}\0${lineOffset}\0${file}\0`, text);

function produce(made) {
  const { text, file, lineOffset, linesBefore = 0 } = made;
  const code = Buffer.from(engine.bytecode(text, file, lineOffset - linesBefore));
  return Buffer.concat([nameOf(made), digest(code), code]);
}

// Returns a function that runs the script; undefined if the data was rejected.
function consume(made, data) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length <= HEAD_BYTES || !nameOf(made).equals(bytes.subarray(0, 32))) return undefined;
  const code = bytes.subarray(HEAD_BYTES);
  if (!digest(code).equals(bytes.subarray(32, HEAD_BYTES))) return undefined;
  const { code: source, file, lineOffset, columnOffset } = made;
  require('internal/vm/place').know(file, source, lineOffset, columnOffset);
  return engine.revive(code);
}

function attach(target, made) {
  target.cachedDataProduced = true;
  target.cachedData = produce(made);
}

module.exports = { attach, consume, produce };
