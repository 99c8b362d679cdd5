'use strict';
// The native functions of `buffer`, for other internal modules.
module.exports = native;
