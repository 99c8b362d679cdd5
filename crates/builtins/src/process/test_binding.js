'use strict';
// `internal/test/binding` (with `--expose-internals`): exports `internalBinding` for tests.

const process = require('process');
const { internalBinding } = require('internal/process/binding');

process.emitWarning('These APIs are for internal testing only. Do not use them.', 'internal/test/binding');

module.exports = { internalBinding };
