'use strict';

// The module `console`: exports the global console.

module.exports = require('internal/console').globalConsole;
