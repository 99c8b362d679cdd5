'use strict';
// Rarely used functions of `buffer`: transcode, isUtf8, isAscii, atob, btoa.

const { ERR_INVALID_ARG_TYPE, genericNodeError } = require('internal/errors');
const { isAnyArrayBuffer } = require('internal/util/types');
const { ascii, latin1, operationsOf, ucs2, utf8 } = require('internal/buffer/encodings');
const { Buffer, asBytes, fromStringFast, isUint8Array } = require('internal/buffer/making');

function transcode(source, fromEncoding, toEncoding) {
  if (!isUint8Array(source)) throw new ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], source);
  if (source.length === 0) return Buffer.alloc(0);
  const transcodable = (encoding) => {
    const ops = operationsOf(encoding);
    return ops === utf8 || ops === ucs2 || ops === latin1 || ops === ascii ? ops : undefined;
  };
  const from = transcodable(fromEncoding);
  const to = transcodable(toEncoding);
  if (from === undefined || to === undefined) {
    const error = new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
    error.code = 'U_ILLEGAL_ARGUMENT_ERROR';
    error.errno = 1;
    throw error;
  }
  const text = (from === ascii ? latin1 : from).slice(source, 0, source.length);
  if (to === utf8 || to === ucs2) return fromStringFast(text, to);
  // A character that the target encoding does not have becomes a question mark; a surrogate pair is one character.
  const limit = to === ascii ? 0x7f : 0xff;
  let narrow = '';
  for (const character of text) narrow += character.codePointAt(0) > limit ? '?' : character;
  return fromStringFast(narrow, latin1);
}

function viewOf(input) {
  if (ArrayBuffer.isView(input) && !(input instanceof DataView)) return asBytes(input);
  if (isAnyArrayBuffer(input)) {
    refuseDetached(input);
    return new Uint8Array(input);
  }
  throw new ERR_INVALID_ARG_TYPE('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], input);
}

function refuseDetached(buffer) {
  if (buffer.detached) throw genericNodeError('Cannot validate on a detached buffer', { code: 'ERR_INVALID_STATE' });
}

function checkAttached(view) {
  refuseDetached(view.buffer);
  return view;
}

function isUtf8(input) {
  return native.isUtf8(checkAttached(viewOf(input)));
}

function isAscii(input) {
  return native.isAscii(checkAttached(viewOf(input)));
}

function invalidCharacter(message) {
  return new (require('internal/domexception').DOMException)(message, 'InvalidCharacterError');
}

function btoa(input) {
  const encoded = native.btoa(`${input}`);
  if (encoded == null) throw invalidCharacter('Invalid character');
  return encoded;
}

function atob(input) {
  const decoded = native.atob(`${input}`);
  if (decoded == null) {
    const digits = `${input}`.replace(/[\t\n\f\r ]/g, '');
    throw invalidCharacter(digits.length % 4 === 1 && !/[^A-Za-z0-9+/]/.test(digits) ?
      'The string to be decoded is not correctly encoded.' : 'Invalid character');
  }
  return decoded;
}

module.exports = { atob, btoa, isAscii, isUtf8, transcode };
