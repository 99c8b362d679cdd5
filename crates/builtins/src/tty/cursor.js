'use strict';
// Escape sequences that move the cursor and clear parts of the screen, for `tty.WriteStream` and `readline`.

const process = require('process');
const { validateFunction } = require('internal/validators');

// Writes a sequence if there is a stream; otherwise only schedules the callback.
function send(stream, text, callback) {
  if (stream != null && text !== '') return stream.write(text, callback);
  if (typeof callback === 'function') process.nextTick(callback, null);
  return true;
}

function checkCallback(callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
}

function cursorTo(stream, x, y, callback) {
  checkCallback(callback);
  if (typeof y === 'function') {
    callback = y;
    y = undefined;
  }
  if (Number.isNaN(x) || Number.isNaN(y)) {
    const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
    throw new ERR_INVALID_ARG_VALUE(Number.isNaN(x) ? 'x' : 'y', NaN);
  }
  if (stream == null || (typeof x !== 'number' && typeof y !== 'number')) return send(undefined, '', callback);
  if (typeof x !== 'number') {
    const { ERR_INVALID_CURSOR_POS } = require('internal/errors');
    throw new ERR_INVALID_CURSOR_POS();
  }
  return send(stream, typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`, callback);
}

function moveCursor(stream, dx, dy, callback) {
  checkCallback(callback);
  let text = '';
  if (dx) text += `\x1b[${Math.abs(dx)}${dx < 0 ? 'D' : 'C'}`;
  if (dy) text += `\x1b[${Math.abs(dy)}${dy < 0 ? 'A' : 'B'}`;
  return send(stream, text, callback);
}

function clearLine(stream, direction, callback) {
  checkCallback(callback);
  return send(stream, direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K', callback);
}

function clearScreenDown(stream, callback) {
  checkCallback(callback);
  return send(stream, '\x1b[0J', callback);
}

module.exports = { clearLine, clearScreenDown, cursorTo, moveCursor };
