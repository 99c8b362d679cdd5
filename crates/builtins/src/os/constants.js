'use strict';
// The deprecated `constants` module: the constants of all modules in one object.

const { dlopen, errno, priority, signals } = require('internal/os/constants');

Object.assign(exports, dlopen, errno, priority, signals);
for (const id of ['fs', 'crypto']) {
  try {
    Object.assign(exports, require(id).constants);
  } catch {
    // The module is not part of this build.
  }
}
Object.freeze(exports);
