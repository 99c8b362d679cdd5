'use strict';
// The old module of all constants: nobody changes it.
const constants = require('constants');
const os = require('os');
const fs = require('fs');
console.log(Object.isFrozen(constants), constants.O_RDONLY === fs.constants.O_RDONLY, constants.SIGINT, constants.EAGAIN);
for (const part of [os.constants.errno, os.constants.signals, os.constants.priority, os.constants.dlopen, fs.constants]) {
  console.log(Object.keys(part).every((name) => constants[name] === part[name]));
}
try {
  constants.SIGINT = 3;
} catch (error) {
  console.log(error.name);
}
