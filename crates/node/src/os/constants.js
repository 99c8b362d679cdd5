'use strict';
// `constants`: the old bag of all modules' constants. Each module that has some is asked, if it is there.

const { dlopen, errno, priority, signals } = require('internal/os/constants');

Object.assign(exports, dlopen, errno, priority, signals);
for (const id of ['fs', 'crypto']) {
  try {
    Object.assign(exports, require(id).constants);
  } catch {
    // Not in this program.
  }
}
Object.freeze(exports);
