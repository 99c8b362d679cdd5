'use strict';
// Whether this process is a worker of a cluster: known at the start, without the module itself.

module.exports = { isWorker: false };
