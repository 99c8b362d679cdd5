'use strict';
// The time zone that a program runs in.

const process = require('process');

let known;

// The one that the variable TZ names, else the system's. What is no zone is UTC.
function defaultZone() {
  const { TZ } = process.env;
  if (known === undefined || known.TZ !== TZ) {
    const named = TZ === undefined ? native.systemTimeZone() : TZ.replace(/^:/, '');
    known = { TZ, zone: native.timeZone(named) ?? 'UTC' };
  }
  return known.zone;
}

module.exports = { defaultZone };
