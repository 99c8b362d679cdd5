'use strict';
// The `tty` module: ReadStream and WriteStream of terminals.

const { Socket } = require('net');
const { ERR_INVALID_FD, ERR_TTY_INIT_FAILED, errnoException } = require('internal/errors');
const { TTY, isTerminal } = require('internal/tty/handle');
const { getColorDepth, hasColors } = require('internal/tty/colors');

function isatty(fd) {
  return Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && isTerminal(fd);
}

function open(fd) {
  if (fd >> 0 !== fd || fd < 0) throw new ERR_INVALID_FD(fd);
  if (!isTerminal(fd)) {
    throw new ERR_TTY_INIT_FAILED({ errno: -22, code: 'EINVAL', message: 'invalid argument', syscall: 'uv_tty_init' });
  }
  return new TTY(fd);
}

function ReadStream(fd, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(fd, options);
  Socket.call(this, { readableHighWaterMark: 0, handle: open(fd), manualStart: true, ...options });
  this.isRaw = false;
  this.isTTY = true;
}
Object.setPrototypeOf(ReadStream.prototype, Socket.prototype);
Object.setPrototypeOf(ReadStream, Socket);

ReadStream.prototype.setRawMode = function(flag) {
  flag = !!flag;
  const status = this._handle?.setRawMode(flag);
  if (status) {
    this.emit('error', errnoException(status, 'setRawMode'));
    return this;
  }
  this.isRaw = flag;
  return this;
};

function WriteStream(fd) {
  if (!(this instanceof WriteStream)) return new WriteStream(fd);
  Socket.call(this, { readableHighWaterMark: 0, handle: open(fd), manualStart: true });
  const size = [0, 0];
  if (this._handle.getWindowSize(size) === 0) [this.columns, this.rows] = size;
}
Object.setPrototypeOf(WriteStream.prototype, Socket.prototype);
Object.setPrototypeOf(WriteStream, Socket);

WriteStream.prototype.isTTY = true;
WriteStream.prototype.getColorDepth = getColorDepth;
WriteStream.prototype.hasColors = hasColors;

WriteStream.prototype._refreshSize = function() {
  const size = [0, 0];
  const status = this._handle.getWindowSize(size);
  if (status !== 0) {
    this.emit('error', errnoException(status, 'getWindowSize'));
    return;
  }
  const [columns, rows] = size;
  if (columns === this.columns && rows === this.rows) return;
  this.columns = columns;
  this.rows = rows;
  this.emit('resize');
};

const cursor = () => require('internal/tty/cursor');
WriteStream.prototype.cursorTo = function(x, y, callback) { return cursor().cursorTo(this, x, y, callback); };
WriteStream.prototype.moveCursor = function(dx, dy, callback) { return cursor().moveCursor(this, dx, dy, callback); };
WriteStream.prototype.clearLine = function(direction, callback) { return cursor().clearLine(this, direction, callback); };
WriteStream.prototype.clearScreenDown = function(callback) { return cursor().clearScreenDown(this, callback); };
WriteStream.prototype.getWindowSize = function() { return [this.columns, this.rows]; };

module.exports = { isatty, ReadStream, WriteStream };
