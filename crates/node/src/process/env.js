'use strict';
// `process.env`: an object whose changes are the environment's.

const { handler, target } = require('internal/process/env_handler');

module.exports = new Proxy(target, handler);
