'use strict';
// The native functions of this folder, for other internal modules.
module.exports = native;
