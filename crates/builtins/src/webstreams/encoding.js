'use strict';
// TextEncoderStream and TextDecoderStream.

const { ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS } = require('internal/errors');
const { TextDecoder, TextEncoder } = require('internal/encoding');
const { kEmptyObject } = require('internal/util');
const { inspectAs, kInspect } = require('internal/webstreams/shared');
const { TransformStream } = require('internal/webstreams/transform');

const isHigh = (code) => code >= 0xD800 && code <= 0xDBFF;

class TextEncoderStream {
  // A high surrogate at the end of the last chunk: the next chunk may start with its low surrogate.
  #high = '';
  #encoder = new TextEncoder();
  #transform = new TransformStream({
    transform: (chunk, controller) => {
      let text = this.#high + String(chunk);
      this.#high = '';
      if (text !== '' && isHigh(text.charCodeAt(text.length - 1))) {
        this.#high = text[text.length - 1];
        text = text.slice(0, -1);
      }
      if (text !== '') controller.enqueue(this.#encoder.encode(text));
    },
    flush: (controller) => {
      if (this.#high !== '') controller.enqueue(new Uint8Array([0xEF, 0xBF, 0xBD]));
    },
  });

  get encoding() { return this.#encoder.encoding; }
  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }

  [kInspect](depth, options) {
    if (this == null) throw new ERR_INVALID_THIS('TextEncoderStream');
    const { encoding, readable, writable } = this;
    return inspectAs(this, depth, options, 'TextEncoderStream', { encoding, readable, writable });
  }
}

class TextDecoderStream {
  #decoder;
  #transform;

  constructor(encoding = 'utf-8', options = kEmptyObject) {
    this.#decoder = new TextDecoder(encoding, options);
    this.#transform = new TransformStream({
      transform: (chunk, controller) => {
        if (chunk === undefined) throw new ERR_INVALID_ARG_TYPE('chunk', 'string', chunk);
        const text = this.#decoder.decode(chunk, { stream: true });
        if (text) controller.enqueue(text);
      },
      flush: (controller) => {
        const text = this.#decoder.decode();
        if (text) controller.enqueue(text);
        controller.terminate();
      },
    });
  }

  get encoding() { return this.#decoder.encoding; }
  get fatal() { return this.#decoder.fatal; }
  get ignoreBOM() { return this.#decoder.ignoreBOM; }
  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }

  [kInspect](depth, options) {
    if (this == null) throw new ERR_INVALID_THIS('TextDecoderStream');
    const { encoding, fatal, ignoreBOM, readable, writable } = this;
    return inspectAs(this, depth, options, 'TextDecoderStream', { encoding, fatal, ignoreBOM, readable, writable });
  }
}

for (const [Class, names] of [
  [TextEncoderStream, ['encoding', 'readable', 'writable']],
  [TextDecoderStream, ['encoding', 'fatal', 'ignoreBOM', 'readable', 'writable']],
]) {
  for (const name of names) Object.defineProperty(Class.prototype, name, { enumerable: true });
}

module.exports = { TextDecoderStream, TextEncoderStream };
