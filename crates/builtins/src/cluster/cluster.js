'use strict';
// The `cluster` module: the primary's or the worker's implementation.

const { isWorker } = require('internal/cluster/role');
module.exports = require(isWorker ? 'internal/cluster/member' : 'internal/cluster/primary');
