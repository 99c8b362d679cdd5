'use strict';

// The module `console` is the global console.

module.exports = require('internal/console').globalConsole;
