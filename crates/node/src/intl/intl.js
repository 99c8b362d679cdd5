'use strict';
// The global `Intl`. Each service is loaded on first access.

const { localesOf, setName, tag } = require('internal/intl/locale');

const services = {
  __proto__: null,
  DateTimeFormat: () => require('internal/intl/date_time_format').DateTimeFormat,
  NumberFormat: () => require('internal/intl/number_format').NumberFormat,
  Collator: () => require('internal/intl/collator').Collator,
  PluralRules: () => require('internal/intl/plural_rules'),
  RelativeTimeFormat: () => require('internal/intl/relative_time_format'),
  ListFormat: () => require('internal/intl/list_format'),
  Locale: () => require('internal/intl/locale_class'),
  Segmenter: () => require('internal/intl/segmenter'),
};

// Saved, because programs may replace them.
const defineProperty = Object.defineProperty;
const entries = Object.entries;
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;

const Intl = {};
tag(Intl, 'Intl');

function define(name, value) {
  defineProperty(Intl, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
}

function isOpen(name) { return getOwnPropertyDescriptor(Intl, name)?.configurable === true; }

// Method definitions, which cannot be constructors.
const functions = {
  getCanonicalLocales(locales) { return localesOf(locales); },
  supportedValuesOf(key) { return require('internal/intl/values').supportedValuesOf(key); },
};
for (const [name, value] of entries(functions)) {
  setName(value, `Intl.${name}`);
  define(name, value);
}

for (const [name, load] of entries(services)) {
  defineProperty(Intl, name, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() {
      const value = load();
      // A frozen object keeps the getter.
      if (isOpen(name)) define(name, value);
      return value;
    },
    set(value) { if (isOpen(name)) define(name, value); },
  });
}

module.exports = { Intl };
