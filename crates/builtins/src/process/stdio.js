'use strict';
// `process.stdin`, `process.stdout` and `process.stderr`: each is a stream for the type of its descriptor. `console` writes to the descriptors
// directly until the streams are first accessed.

const process = require('process');
const { kindOf } = require('internal/resources');
const { threadId } = require('internal/scheduler').options();

function makeWritable(fd) {
  switch (kindOf(fd)) {
    case 'TTY': {
      const { WriteStream } = require('tty');
      return Object.assign(new WriteStream(fd), { _type: 'tty' });
    }
    case 'FILE': {
      const SyncWriteStream = require('internal/fs/sync_write_stream');
      return Object.assign(new SyncWriteStream(fd, { autoClose: false }), { _type: 'fs' });
    }
    case 'PIPE':
    case 'TCP': {
      const { Socket } = require('net');
      return Object.assign(new Socket({ fd, readable: false, writable: true }), { _type: 'pipe' });
    }
    default: {
      const { Writable } = require('stream');
      return new Writable({ write(chunk, encoding, callback) { callback(); } });
    }
  }
}

// Destroying a standard stream emits 'close', but keeps the descriptor open and the stream usable.
function pretendToDestroy(error, callback) {
  callback(error);
  this._undestroy();
  if (!this._writableState.emitClose) process.nextTick(() => { this.emit('close'); });
}

function makeOutput(fd) {
  if (threadId !== 0) return require('internal/worker/stdio').makeOutput(fd);
  const stream = makeWritable(fd);
  stream.fd = fd;
  stream._isStdio = true;
  stream.destroySoon = stream.destroy;
  stream._destroy = pretendToDestroy;
  if (stream.isTTY) process.on('SIGWINCH', () => stream._refreshSize());
  return stream;
}

function makeReadable(fd) {
  switch (kindOf(fd)) {
    case 'TTY': {
      const { ReadStream } = require('tty');
      return new ReadStream(fd);
    }
    case 'FILE': {
      const { ReadStream } = require('fs');
      return new ReadStream(null, { fd, autoClose: false });
    }
    case 'PIPE':
    case 'TCP': {
      const { Socket } = require('net');
      // The descriptor may be the IPC channel, which already has a handle: use that handle.
      const isChannel = process.channel?.fd === fd;
      const what = isChannel ? { handle: process[require('internal/child_process/channel').kChannelHandle] } : { fd };
      const stream = new Socket({ ...what, readable: true, writable: false, manualStart: true });
      // Only the readable side of the socket is used.
      stream._writableState.ended = true;
      return stream;
    }
    default: {
      const { Readable } = require('stream');
      const stream = new Readable({ read() {} });
      stream.push(null);
      return stream;
    }
  }
}

function makeInput() {
  if (threadId !== 0) return require('internal/worker/stdio').makeInput();
  const stream = makeReadable(0);
  stream.fd = 0;
  const stop = () => {
    stream._handle.reading = false;
    stream._readableState.reading = false;
    stream._handle.readStop();
  };
  // Reading starts when the program wants data.
  if (stream._handle?.readStop) stop();
  // After `pause()` the handle stops reading, so that the process can exit.
  stream.on('pause', () => {
    process.nextTick(() => {
      if (stream._handle?.reading && !stream.readableFlowing) stop();
    });
  });
  return stream;
}

module.exports = { makeInput, makeOutput };
