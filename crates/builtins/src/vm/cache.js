'use strict';
// `cachedData` of `vm.Script`: a digest of the runtime's version and of the source, without bytecode. The engine does not validate bytecode, so
// loading bytes of a program as bytecode would be unsafe. There is little to gain either, because the engine parses functions lazily.

const { Buffer } = require('buffer');
const { createHash } = require('crypto');
const process = require('process');

function produce({ text, file, lineOffset }) {
  const hash = createHash('sha256');
  hash.update(`${process.versions.phasor ?? ''}\0${process.arch}\0${lineOffset}\0${file}\0`);
  return Buffer.from(hash.update(text).digest());
}

// Returns a function that runs the script; undefined if the data is not that of the script.
function consume(made, data) {
  if (!produce(made).equals(Buffer.from(data.buffer, data.byteOffset, data.byteLength))) return undefined;
  const { code, text, file, lineOffset, columnOffset, linesBefore = 0 } = made;
  require('internal/vm/place').know(file, code, lineOffset, columnOffset);
  return require('internal/vm/engine').compile(text, file, lineOffset - linesBefore);
}

function attach(target, made) {
  target.cachedDataProduced = true;
  target.cachedData = produce(made);
}

module.exports = { attach, consume, produce };
