'use strict';
// Deprecation warnings are not emitted for calls from packages (node_modules), whose users cannot fix them.

// True if the innermost stack frame outside of the runtime is in a node_modules folder.
function isCalledByPackage() {
  const caller = new Error().stack?.split('\n').find((line) => /[\\/]/.test(line) && !line.includes('node:'));
  return caller !== undefined && /[\\/]node_modules[\\/]/.test(caller);
}

module.exports = { isCalledByPackage };
