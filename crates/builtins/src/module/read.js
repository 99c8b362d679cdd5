'use strict';
// Reads the source text of a module's file.

// If the file cannot be opened, throws the error of `fs.readFileSync`, with the syscall `open`.
function readText(path) {
  const text = native.readText(path);
  if (typeof text === 'string') return text;
  const { captureStack, uvException } = require('internal/errors');
  // A directory can be opened, but not read.
  const error = uvException(text === -21 ? { errno: text, syscall: 'read' } : { errno: text, syscall: 'open', path });
  captureStack(error, `Error: ${error.message}`, readText);
  throw error;
}

module.exports = { readText };
