'use strict';
// No native fast path guards prototypes in this runtime.

module.exports = function keepLayer() {};
