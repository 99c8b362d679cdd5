'use strict';
// The environment data of this thread, which its workers get a copy of.

module.exports = new Map();
