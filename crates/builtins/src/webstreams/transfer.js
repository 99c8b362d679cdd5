'use strict';
// Transfer of web streams by `postMessage()`. The original stream stays in its thread, locked, and is piped to or from a MessagePort. The receiver
// gets a new stream on the other port of the channel. Messages are `{ type, value }`: 'chunk', 'close' and 'error' carry data, and 'pull' in the
// opposite direction requests one chunk.

const { DOMException } = require('internal/domexception');
const { MessageChannel } = require('internal/messaging');
const { Deferred, handled, kState, nothing, one } = require('internal/webstreams/shared');
const { closeController, createReadableStream, enqueue, errorController, isLocked } = require('internal/webstreams/readable');
const writables = require('internal/webstreams/writable');

// Creates the channel for a stream that is about to be transferred. Returns the ports to add to the transfer list.
function open(stream) {
  const channel = stream[kState].channel = new MessageChannel();
  return [channel.port2];
}

// Returns the data that is sent in place of the stream.
function dataOf(stream, isBusy, name) {
  if (isBusy) throw new DOMException(`Cannot transfer a locked ${name}`, 'DataCloneError');
  return { port: stream[kState].channel.port2 };
}

// Closes the channel after the transfer has failed.
function close(stream) {
  stream[kState].channel?.port1.close();
  stream[kState].channel?.port2.close();
  stream[kState].channel = undefined;
}

const channelPort = (stream) => stream[kState].channel.port1;

function pipe(source, destination) {
  handled(require('internal/webstreams/readable_pipe').pipe(source, destination, false, false, false));
}

function moveReadable(stream) {
  pipe(stream, writableOver(channelPort(stream), false));
}

function moveWritable(stream) {
  pipe(readableOver(channelPort(stream), false, 1), stream);
}

// Sends the reason of an error. If the reason cannot be cloned, the DataCloneError is sent instead, and is thrown too.
function sendError(port, reason) {
  try {
    port.postMessage({ type: 'error', value: reason });
  } catch (error) {
    port.postMessage({ type: 'error', value: error });
    throw error;
  } finally {
    port.close();
  }
}

// Listens on the port without keeping the event loop alive. Returns a function: its first call refs the port if `mayKeepAlive` is true.
function listen(port, mayKeepAlive, onMessage, onFailure) {
  port.onmessage = ({ data }) => onMessage(data?.type, data?.value);
  port.onmessageerror = () => {
    const error = new DOMException('Internal transferred ReadableStream error', 'DataCloneError');
    port.postMessage({ type: 'error', value: error });
    onFailure(error);
    port.close();
  };
  port.unref();
  return () => {
    if (!mayKeepAlive) return;
    mayKeepAlive = false;
    port.ref();
  };
}

function readableOver(port, mayKeepAlive, highWaterMark, stream = undefined) {
  const controller = () => stream[kState].controller;
  const keepAlive = listen(port, mayKeepAlive, (type, value) => {
    if (type === 'chunk') {
      enqueue(controller(), value);
    } else if (type === 'close' || type === 'error') {
      if (type === 'close') closeController(controller());
      else errorController(controller(), value);
      port.close();
    }
  }, (error) => errorController(controller(), error));
  stream = createReadableStream({
    start: nothing,
    async pull() {
      keepAlive();
      port.postMessage({ type: 'pull' });
    },
    async cancel(reason) { sendError(port, reason); },
  }, highWaterMark, one, stream);
  return stream;
}

function writableOver(port, mayKeepAlive, stream = undefined) {
  // Resolved when the other side requests a chunk.
  let chunkRequest = new Deferred();
  const fail = (error) => writables.errorIfWritable(stream[kState].controller, error);
  const keepAlive = listen(port, mayKeepAlive, (type, value) => {
    if (type === 'error') fail(value);
    if (type === 'pull' || type === 'error') chunkRequest.resolve();
  }, fail);
  stream = writables.createWritableStream({
    start: nothing,
    async write(value) {
      keepAlive();
      await chunkRequest.promise;
      chunkRequest = new Deferred();
      try {
        port.postMessage({ type: 'chunk', value });
      } catch (error) {
        sendError(port, error);
        throw error;
      }
    },
    async close() {
      port.postMessage({ type: 'close' });
      port.close();
    },
    async abort(reason) { sendError(port, reason); },
  }, 1, one, stream);
  return stream;
}

module.exports = {
  close,
  moveReadable,
  moveWritable,
  open,
  readableData: (stream) => dataOf(stream, isLocked(stream), 'ReadableStream'),
  readableOver,
  writableData: (stream) => dataOf(stream, writables.isLocked(stream), 'WritableStream'),
  writableOver,
};
