'use strict';
// What `util` was called once.

const process = require('process');

process.emitWarning('sys is deprecated. Use util instead.', 'DeprecationWarning', 'DEP0025');
module.exports = require('util');
