'use strict';
// `setEnvironmentData`: the data of this thread, copied to its workers.

module.exports = new SafeMap();
