'use strict';
// Strips TypeScript types: replaces them by blanks, which keeps lines and columns.

function strip(source, filename, anywhere = false) {
  if (!anywhere && /\/node_modules\//.test(filename)) {
    const { ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING } = require('internal/errors');
    throw new ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING(filename);
  }
  const { code, problem, unsupported, line, marked } = native.stripTypes(source);
  if (code !== undefined) return code;
  const errors = require('internal/errors');
  const Kind = unsupported ? errors.ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX : errors.ERR_INVALID_TYPESCRIPT_SYNTAX;
  const error = new Kind(problem);
  Object.defineProperty(error, errors.kPlace, { __proto__: null, value: `${filename}:${line}\n${marked}\n\n` });
  throw error;
}

module.exports = { strip };
