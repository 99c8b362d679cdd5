'use strict';
// The runtime's options, of the command line and of NODE_OPTIONS. The last word counts.

const { flags } = require('internal/scheduler').options();

// Whether a switch is on, or off by `--no-name`; undefined if nothing was said.
function has(name) {
  for (let at = flags.length - 1; at >= 0; at--) {
    if (flags[at] === `--${name}`) return true;
    if (flags[at] === `--no-${name}`) return false;
  }
  return undefined;
}

// Every value that was given, in order.
function values(name) {
  const head = `--${name}=`;
  return flags.filter((flag) => flag.startsWith(head)).map((flag) => flag.slice(head.length));
}

const value = (name) => values(name).at(-1);

module.exports = { any: flags.length > 0, has, value, values };
