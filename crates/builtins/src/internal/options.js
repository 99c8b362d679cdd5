'use strict';
// Options of the command line and of NODE_OPTIONS. The last occurrence of an option counts.

const { flags } = require('internal/scheduler').options();

// Returns true if a boolean option is set, false for `--no-name`, and undefined if neither is present.
function has(name) {
  for (let at = flags.length - 1; at >= 0; at--) {
    if (flags[at] === `--${name}`) return true;
    if (flags[at] === `--no-${name}`) return false;
  }
  return undefined;
}

// Returns all values of an option, in order. The loop uses no array methods: the printer of fatal errors calls this function after a script may have
// replaced the methods of Array.prototype.
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
