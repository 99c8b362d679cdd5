'use strict';
// `Date.prototype.toLocaleString` and its relatives, and the time zone name in `Date.prototype.toString`.

// Loaded for the first locale: the zone name in `toString` does not need it.
const settingsOf = (...given) => require('internal/intl/date_time_format').settingsOf(...given);
const { incompatible } = require('internal/intl/locale');

// Saved, because programs replace them (fake clocks).
const now = Date.now;
const { getTime } = Date.prototype;

// Operation of the native formatter, see `dates/mod.rs`.
const TEXT = 0;

// The last formatter of each method for a locale without options, the common case.
const last = { __proto__: null };

function writerFor(method, locales, options, required, defaults) {
  const service = `Date.prototype.${method}`;
  if (options !== undefined || locales !== undefined && typeof locales !== 'string') {
    return settingsOf(locales, options, required, defaults, service).write;
  }
  const zone = native.currentTimeZone();
  const kept = last[method];
  if (kept !== undefined && kept.locales === locales && kept.zone === zone) return kept.write;
  const { write } = settingsOf(locales, undefined, required, defaults, service);
  last[method] = { locales, zone, write };
  return write;
}

function timeOf(method, date) {
  try {
    return getTime.call(date);
  } catch {
    throw incompatible(`Date.prototype.${method}`, date);
  }
}

function written(method, date, locales, options, required, defaults) {
  const time = timeOf(method, date);
  if (Number.isNaN(time)) return 'Invalid Date';
  return writerFor(method, locales, options, required, defaults)(TEXT, time, 0);
}

// The engine's text of a date, with the time zone name appended.
function withZone(method, date, say) {
  const time = timeOf(method, date);
  if (Number.isNaN(time)) return 'Invalid Date';
  return `${say.call(date)} (${native.timeZoneName(native.currentTimeZone(), time, now())})`;
}

module.exports = {
  withZone,
  toLocaleString: (date, locales, options) => written('toLocaleString', date, locales, options, 'any', 'all'),
  toLocaleDateString: (date, locales, options) => written('toLocaleDateString', date, locales, options, 'date', 'date'),
  toLocaleTimeString: (date, locales, options) => written('toLocaleTimeString', date, locales, options, 'time', 'time'),
};
