'use strict';
// The text of a module's file. Nothing is known here of what is done with it.

// As Node, which reads modules by fs: a file that cannot be read is an error of `open`.
function readText(path) {
  const text = native.readText(path);
  if (typeof text === 'string') return text;
  const { captureStack, uvException } = require('internal/errors');
  // A directory can be opened, and not read.
  const error = uvException(text === -21 ? { errno: text, syscall: 'read' } : { errno: text, syscall: 'open', path });
  captureStack(error, `Error: ${error.message}`, readText);
  throw error;
}

module.exports = { readText };
