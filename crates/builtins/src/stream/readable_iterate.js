'use strict';
// Async iteration and async disposal of a Readable.

const { AbortError, aggregateTwoErrors } = require('internal/errors');
const { destroyer } = require('internal/streams/destroy');
const finished = require('internal/streams/finished');

const nothing = () => {};

function iterate(stream, options) {
  if (typeof stream.read !== 'function') {
    stream = require('internal/streams/readable').wrap(stream, { objectMode: true });
  }
  const iterator = chunksOf(stream, options);
  iterator.stream = stream;
  return iterator;
}

async function* chunksOf(stream, options) {
  let wake = nothing;
  // undefined: still running; null: ended; otherwise the error.
  let error;

  function rouse() {
    const call = wake;
    wake = nothing;
    call();
  }
  const wait = (resolve) => { wake = resolve; };

  stream.on('readable', rouse);
  const cleanup = finished(stream, { writable: false }, (reason) => {
    error = reason ? aggregateTwoErrors(error, reason) : null;
    rouse();
  });

  try {
    for (;;) {
      const chunk = stream.destroyed ? null : stream.read();
      if (chunk !== null) yield chunk;
      else if (error) throw error;
      else if (error === null) return;
      else await new Promise(wait);
    }
  } catch (reason) {
    error = aggregateTwoErrors(error, reason);
    throw error;
  } finally {
    if ((error || options?.destroyOnReturn !== false) && (error === undefined || stream._readableState.autoDestroy)) {
      destroyer(stream, null);
    } else {
      stream.off('readable', rouse);
      cleanup();
    }
  }
}

async function dispose(stream) {
  let own;
  if (!stream.destroyed) {
    own = stream.readableEnded ? null : new AbortError();
    stream.destroy(own);
  }
  await new Promise((resolve, reject) => {
    finished(stream, (error) => (error && error !== own ? reject(error) : resolve(null)));
  });
}

module.exports = { dispose, iterate };
