'use strict';
// What `util` was called once.

process.emitWarning('sys is deprecated. Use util instead.', 'DeprecationWarning', 'DEP0025');
module.exports = require('util');
