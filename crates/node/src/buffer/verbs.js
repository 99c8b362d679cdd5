'use strict';
// The verbs of this folder, for the other internal modules that work on bytes.
module.exports = native;
