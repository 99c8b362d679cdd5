'use strict';
// `assert/strict`: the strict mode of `assert` as a module of its own.
module.exports = require('assert').strict;
