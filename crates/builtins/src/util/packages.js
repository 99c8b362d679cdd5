'use strict';
// Tells whether a package (node_modules) calls a deprecated function: no warning is emitted for such calls, because the user cannot fix them.

// True if the innermost stack frame outside of the runtime is in a node_modules folder.
function isCalledByPackage() {
  const caller = new Error().stack?.split('\n').find((line) => /[\\/]/.test(line) && !line.includes('node:'));
  return caller !== undefined && /[\\/]node_modules[\\/]/.test(caller);
}

module.exports = { isCalledByPackage };
