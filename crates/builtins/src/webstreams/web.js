'use strict';
// The module `stream/web`. The compression streams are loaded lazily.

const { ReadableStream, ReadableStreamDefaultController, ReadableStreamDefaultReader } =
  require('internal/webstreams/readable');
const { ReadableStreamBYOBReader } = require('internal/webstreams/readable_byob');
const { ReadableByteStreamController, ReadableStreamBYOBRequest } = require('internal/webstreams/readable_bytes');
const { TransformStream, TransformStreamDefaultController } = require('internal/webstreams/transform');
const { WritableStream, WritableStreamDefaultController, WritableStreamDefaultWriter } =
  require('internal/webstreams/writable');
const { ByteLengthQueuingStrategy, CountQueuingStrategy } = require('internal/webstreams/strategies');
const { TextDecoderStream, TextEncoderStream } = require('internal/webstreams/encoding');

module.exports = {
  ReadableStream,
  ReadableStreamDefaultReader,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableByteStreamController,
  ReadableStreamDefaultController,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultWriter,
  WritableStreamDefaultController,
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  TextEncoderStream,
  TextDecoderStream,
};
require('internal/util').defineLazyProperties(
  module.exports, 'internal/webstreams/compression', ['CompressionStream', 'DecompressionStream']);
