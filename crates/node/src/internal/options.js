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

// Every value that was given, in order. Written out: this is asked for by the last words of a script that may have
// replaced the methods of lists.
function values(name) {
  const head = `--${name}=`;
  const found = [];
  for (let at = 0; at < flags.length; at++) {
    if (flags[at].startsWith(head)) found[found.length] = flags[at].slice(head.length);
  }
  return found;
}

function value(name) {
  const all = values(name);
  return all[all.length - 1];
}

module.exports = { any: flags.length > 0, has, value, values };
