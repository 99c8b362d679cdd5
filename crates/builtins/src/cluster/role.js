'use strict';
// Whether this process is a cluster worker; set at start-up, without loading `cluster`.

module.exports = { isWorker: false };
