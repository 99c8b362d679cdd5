'use strict';
// `sys`: the deprecated name of `util`.

const process = require('process');

process.emitWarning('sys is deprecated. Use util instead.', 'DeprecationWarning', 'DEP0025');
module.exports = require('util');
