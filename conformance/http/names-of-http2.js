'use strict';
// What packages look up in `http2` when they are loaded.
const { constants, sensitiveHeaders } = require('http2');
for (const [name, value] of Object.entries(constants)) console.log(name, value);
console.log(String(sensitiveHeaders));
