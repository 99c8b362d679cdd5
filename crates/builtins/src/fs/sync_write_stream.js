'use strict';
// A Writable that writes synchronously to a descriptor: stdout and stderr when they are files.

const { Writable } = require('stream');
const { closeSync, writeSync } = require('fs');

module.exports = SyncWriteStream;

function SyncWriteStream(fd, options) {
  Writable.call(this, { autoDestroy: true });
  this.fd = fd;
  this.readable = false;
  this.autoClose = options?.autoClose ?? true;
}
Object.setPrototypeOf(SyncWriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(SyncWriteStream, Writable);

SyncWriteStream.prototype._write = function(chunk, encoding, callback) {
  try {
    writeSync(this.fd, chunk, 0, chunk.length);
  } catch (error) {
    callback(error);
    return;
  }
  callback();
};

SyncWriteStream.prototype._destroy = function(error, callback) {
  if (this.fd === null) return callback(error);
  if (this.autoClose) closeSync(this.fd);
  this.fd = null;
  callback(error);
};

SyncWriteStream.prototype.destroySoon = SyncWriteStream.prototype.destroy;
