'use strict';
// `stream.compose()`: combines a chain of streams into one Duplex that writes to the first and reads from the last.

const { AbortError, ERR_INVALID_ARG_VALUE, ERR_MISSING_ARGS } = require('internal/errors');
const { destroyer } = require('internal/streams/destroy');
const { PendingCallbacks, forwardReads, forwardWrites } = require('internal/streams/duplexify');
const { pipeline } = require('internal/streams/pipeline');
const kinds = require('internal/streams/kinds');
const finished = require('internal/streams/finished');
const Duplex = require('internal/streams/duplex');

const { isNodeStream, isReadable, isReadableStream, isTransformStream, isWebStream, isWritable, isWritableStream } = kinds;

const canRead = (stream) => isReadable(stream) || isReadableStream(stream) || isTransformStream(stream);
const canWrite = (stream) => isWritable(stream) || isWritableStream(stream) || isTransformStream(stream);

function check(streams, original) {
  streams.forEach((stream, at) => {
    if (!isNodeStream(stream) && !isWebStream(stream)) return;
    if (at < streams.length - 1 && !canRead(stream)) {
      throw new ERR_INVALID_ARG_VALUE(`streams[${at}]`, original[at], 'must be readable');
    }
    if (at > 0 && !canWrite(stream)) throw new ERR_INVALID_ARG_VALUE(`streams[${at}]`, original[at], 'must be writable');
  });
}

module.exports = function compose(...streams) {
  if (streams.length === 0) throw new ERR_MISSING_ARGS('streams');
  if (streams.length === 1) return Duplex.from(streams[0]);
  const original = streams.slice();
  const last = streams.length - 1;
  if (typeof streams[0] === 'function') streams[0] = Duplex.from(streams[0]);
  if (typeof streams[last] === 'function') streams[last] = Duplex.from(streams[last]);
  check(streams, original);

  const pending = new PendingCallbacks();
  let duplex;
  const head = streams[0];
  const tail = pipeline(streams, (error) => {
    const callback = pending.close;
    pending.close = null;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
    else if (!readable && !writable) duplex.destroy();
  });
  const writable = !!canWrite(head);
  const readable = !!canRead(tail);
  duplex = new Duplex({
    writableObjectMode: !!head?.writableObjectMode,
    readableObjectMode: !!tail?.readableObjectMode,
    writable,
    readable,
  });
  if (writable) {
    if (isNodeStream(head)) forwardWrites(duplex, head, pending);
    else if (isWebStream(head)) writeToWeb(duplex, isTransformStream(head) ? head.writable : head, pending);
    finished(isTransformStream(tail) ? tail.readable : tail, () => pending.call('finish'));
  }
  if (readable) {
    if (isNodeStream(tail)) forwardReads(duplex, tail, pending);
    else if (isWebStream(tail)) readFromWeb(duplex, isTransformStream(tail) ? tail.readable : tail);
  }
  duplex._destroy = function(error, callback) {
    if (!error && pending.close !== null) error = new AbortError();
    pending.readable = null;
    pending.drain = null;
    pending.finish = null;
    if (isNodeStream(tail)) destroyer(tail, error);
    if (pending.close === null) callback(error);
    else pending.close = callback;
  };
  return duplex;
};

function writeToWeb(duplex, writable, pending) {
  const writer = writable.getWriter();
  duplex._write = async function(chunk, encoding, callback) {
    try {
      await writer.ready;
      writer.write(chunk).catch(() => {});
      callback();
    } catch (error) {
      callback(error);
    }
  };
  duplex._final = async function(callback) {
    try {
      await writer.ready;
      writer.close().catch(() => {});
      pending.finish = callback;
    } catch (error) {
      callback(error);
    }
  };
}

function readFromWeb(duplex, readable) {
  const reader = readable.getReader();
  duplex._read = async function() {
    for (;;) {
      try {
        const { value, done } = await reader.read();
        if (!duplex.push(value)) return;
        if (done) {
          duplex.push(null);
          return;
        }
      } catch {
        return;
      }
    }
  };
}
