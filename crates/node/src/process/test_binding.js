'use strict';
// `internal/test/binding`: the way of tests, with `--expose-internals`, to what `process.binding` has as well.

const process = require('process');
const { internalBinding } = require('internal/process/binding');

process.emitWarning('These APIs are for internal testing only. Do not use them.', 'internal/test/binding');

module.exports = { internalBinding };
