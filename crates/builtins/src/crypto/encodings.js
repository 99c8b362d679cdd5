'use strict';
// Normalization of encoding names.

const words = {
  '__proto__': null, 'utf8': 'utf8', 'utf-8': 'utf8', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le',
  'utf-16le': 'utf16le', 'latin1': 'latin1', 'binary': 'latin1', 'base64': 'base64', 'base64url': 'base64url', 'hex': 'hex',
  'ascii': 'ascii',
};

// Returns undefined for an unknown encoding and for a value that is not a string.
function normalizeEncoding(encoding) {
  if (typeof encoding !== 'string') return undefined;
  return words[encoding] ?? words[encoding.toLowerCase()];
}

module.exports = { normalizeEncoding };
