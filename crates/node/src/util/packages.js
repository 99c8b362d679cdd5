'use strict';
// Who is told of what is deprecated. Packages are let off: their users cannot mend them.

// Whether the innermost code that is not the runtime's own is that of a package.
function isCalledByPackage() {
  const caller = new Error().stack?.split('\n').find((line) => /[\\/]/.test(line) && !line.includes('node:'));
  return caller !== undefined && /[\\/]node_modules[\\/]/.test(caller);
}

module.exports = { isCalledByPackage };
