'use strict';
// `FileHandle.readableWebStream`: a file as a WHATWG byte stream.

const process = require('process');
const { ERR_INVALID_STATE } = require('internal/errors');
const { validateBoolean, validateObject } = require('internal/validators');
const { kRef, kUnref } = require('internal/fs/handle_symbols');
const { ReadableStream, cancelStream } = require('internal/webstreams/readable');

// Handles that have a web stream: a handle may have only one.
const locked = new SafeWeakSet();

module.exports = function readableWebStream(handle, options, { isClosed, isClosing }) {
  if (isClosed) throw new ERR_INVALID_STATE('The FileHandle is closed');
  if (isClosing) throw new ERR_INVALID_STATE('The FileHandle is closing');
  if (locked.has(handle)) throw new ERR_INVALID_STATE('The FileHandle is locked');
  locked.add(handle);
  validateObject(options, 'options');
  const { type = 'bytes', autoClose = false } = options;
  validateBoolean(autoClose, 'options.autoClose');
  if (type !== 'bytes') {
    process.emitWarning('A non-"bytes" options.type has no effect. A byte-oriented steam is always created.',
                        'ExperimentalWarning');
  }
  const over = async () => {
    handle[kUnref]();
    if (autoClose) await handle.close();
  };
  const stream = new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: 16384,
    async pull(controller) {
      const { view } = controller.byobRequest;
      const { bytesRead } = await handle.read(view, view.byteOffset, view.byteLength);
      if (bytesRead === 0) {
        controller.close();
        await over();
      }
      controller.byobRequest.respond(bytesRead);
    },
    cancel: over,
  });
  handle[kRef]();
  handle.once('close', () => { cancelStream(stream); });
  return stream;
};
