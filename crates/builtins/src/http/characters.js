'use strict';
// The characters of header names and values (RFC 9110 section 5).

const kTokenCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Table by character code: 1 for the characters of a token.
const isTokenCode = new Uint8Array(256);
for (let at = 0; at < kTokenCharacters.length; at++) isTokenCode[kTokenCharacters.charCodeAt(at)] = 1;

// True if the text is a token, as header names and methods must be (RFC 9110 section 5.6.2).
function _checkIsHttpToken(value) {
  const text = typeof value === 'string' ? value : `${value}`;
  const { length } = text;
  for (let at = 0; at < length; at++) if (isTokenCode[text.charCodeAt(at)] !== 1) return false;
  return length > 0;
}

// True if a header value has a control character except tab, or a code unit above 255 (RFC 9110 section 5.5).
function _checkInvalidHeaderChar(value) {
  const text = typeof value === 'string' ? value : `${value}`;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 9) || code === 0x7f || code > 0xff) return true;
  }
  return false;
}

module.exports = { _checkInvalidHeaderChar, _checkIsHttpToken };
