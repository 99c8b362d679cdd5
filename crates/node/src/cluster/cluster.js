'use strict';
// `cluster`: one thing in the primary, another in a worker.

const { isWorker } = require('internal/cluster/role');
module.exports = require(isWorker ? 'internal/cluster/member' : 'internal/cluster/primary');
