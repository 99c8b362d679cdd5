'use strict';
// `process.env`: a proxy that reads and changes the environment.

const { handler, target } = require('internal/process/env_handler');

module.exports = new Proxy(target, handler);
