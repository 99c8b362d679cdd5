'use strict';
// Transfer of web streams by postMessage(). The original stream stays behind, locked and piped to or from a
// MessagePort; the receiver gets a stream around the other port. Messages are `{ type, value }`: 'chunk', 'close' and
// 'error' with the data, and 'pull' in the opposite direction to request one chunk.

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

// The data that is sent in place of the stream.
function dataOf(stream, isBusy, name) {
  if (isBusy) throw new DOMException(`Cannot transfer a locked ${name}`, 'DataCloneError');
  return { port: stream[kState].channel.port2 };
}

// The transfer failed: closes the channel.
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

// If the reason cannot be cloned, sends the DataCloneError instead, and throws it too.
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

// Listens on the port without keeping the event loop alive. Returns a function whose first call refs the port if
// `mayKeep`.
function attend(port, mayKeep, onMessage, onFailure) {
  port.onmessage = ({ data }) => onMessage(data?.type, data?.value);
  port.onmessageerror = () => {
    const error = new DOMException('Internal transferred ReadableStream error', 'DataCloneError');
    port.postMessage({ type: 'error', value: error });
    onFailure(error);
    port.close();
  };
  port.unref();
  return () => {
    if (!mayKeep) return;
    mayKeep = false;
    port.ref();
  };
}

function readableOver(port, mayKeep, highWaterMark, stream = undefined) {
  const controller = () => stream[kState].controller;
  const keep = attend(port, mayKeep, (type, value) => {
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
      keep();
      port.postMessage({ type: 'pull' });
    },
    async cancel(reason) { sendError(port, reason); },
  }, highWaterMark, one, stream);
  return stream;
}

function writableOver(port, mayKeep, stream = undefined) {
  // Resolved when the other side requests a chunk.
  let wanted = new Deferred();
  const fail = (error) => writables.errorIfWritable(stream[kState].controller, error);
  const keep = attend(port, mayKeep, (type, value) => {
    if (type === 'error') fail(value);
    if (type === 'pull' || type === 'error') wanted.resolve();
  }, fail);
  stream = writables.createWritableStream({
    start: nothing,
    async write(value) {
      keep();
      await wanted.promise;
      wanted = new Deferred();
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
