'use strict';
// The module `stream/promises`: promise versions of `pipeline` and `finished`.

const { isIterable, isNodeStream, isWebStream } = require('internal/streams/kinds');
const { pipelineImpl } = require('internal/streams/pipeline');
const { finished } = require('internal/streams/finished');

function pipeline(...streams) {
  return new Promise((resolve, reject) => {
    let signal;
    let end;
    const last = streams[streams.length - 1];
    if (last && typeof last === 'object' && !isNodeStream(last) && !isIterable(last) && !isWebStream(last)) {
      ({ signal, end } = streams.pop());
    }
    pipelineImpl(streams, (error, value) => {
      if (error) reject(error);
      else resolve(value);
    }, { signal, end });
  });
}

module.exports = { finished, pipeline };
