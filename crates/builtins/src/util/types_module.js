'use strict';

// The module `util/types` is the same object as `util.types`.

module.exports = require('internal/util/types');
