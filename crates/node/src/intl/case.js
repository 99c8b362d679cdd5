'use strict';
// `toLocaleLowerCase` and `toLocaleUpperCase` of strings.

const { localesOf } = require('internal/intl/locale');

// Languages with special case mappings.
const SPECIAL = ['az', 'el', 'lt', 'tr'];

function languageOf(locales) { return localesOf(locales)[0]?.split('-')[0]; }

function lower(self, locales) {
  if (self === undefined || self === null) throw new TypeError('String.prototype.toLocaleLowerCase called on null or undefined');
  const text = `${self}`;
  const language = languageOf(locales);
  return SPECIAL.includes(language) && text.isWellFormed() ? native.lowerCase(text, language) : text.toLowerCase();
}

function upper(self, locales) {
  if (self === undefined || self === null) throw new TypeError('String.prototype.toLocaleUpperCase called on null or undefined');
  const text = `${self}`;
  const language = languageOf(locales);
  return SPECIAL.includes(language) && text.isWellFormed() ? native.upperCase(text, language) : text.toUpperCase();
}

module.exports = { lower, upper };
