'use strict';
// Runs what the command line asks for. Exports the function that the host calls inside of its funnel.

const scheduler = require('internal/scheduler');

module.exports = function main() {
  const process = require('process');
  const { eval: code, print, args } = scheduler.options();
  const cjs = require('internal/modules/cjs');
  if (code !== undefined && code !== null) {
    process.argv = [process.execPath, ...args];
    cjs.runCode(code, print);
    return;
  }
  if (args.length > 0) {
    process.argv[1] = cjs.resolveMain(args[0]);
    cjs.runMain(process.argv[1]);
  }
};
