'use strict';
// Default and per-stream highWaterMark.

const { ERR_INVALID_ARG_VALUE } = require('internal/errors');

let defaultBytes = 64 * 1024;
let defaultObjects = 16;

function getDefaultHighWaterMark(objectMode) {
  return objectMode ? defaultObjects : defaultBytes;
}

function setDefaultHighWaterMark(objectMode, value) {
  require('internal/validators').validateInteger(value, 'value', 0);
  if (objectMode) defaultObjects = value;
  else defaultBytes = value;
}

// `sideKey` is the name of the option for one side of a Duplex, e.g. 'readableHighWaterMark'.
function getHighWaterMark(state, options, sideKey, isDuplex) {
  const mark = options.highWaterMark ?? (isDuplex ? options[sideKey] : null);
  if (mark == null) return getDefaultHighWaterMark(state.objectMode);
  if (!Number.isInteger(mark) || mark < 0) {
    throw new ERR_INVALID_ARG_VALUE(isDuplex ? `options.${sideKey}` : 'options.highWaterMark', mark);
  }
  return mark;
}

module.exports = { getDefaultHighWaterMark, getHighWaterMark, setDefaultHighWaterMark };
