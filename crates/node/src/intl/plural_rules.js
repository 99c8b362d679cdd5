'use strict';
// `Intl.PluralRules`.

const {
  defaultLocale, equip, Kept, localesOf, matcherOption, objectOf, stringOption, supportedLocalesOf,
} = require('internal/intl/locale');
const { digitsOf } = require('internal/intl/digits');

const SERVICE = 'Intl.PluralRules';
const CATEGORIES = { __proto__: null, cardinal: ['one', 'other'], ordinal: ['few', 'one', 'two', 'other'] };

const settings = new Kept(SERVICE);

function PluralRules(locales = undefined, options = undefined) {
  if (new.target === undefined) throw new TypeError(`Constructor ${SERVICE} requires 'new'`);
  const requested = localesOf(locales);
  const chosen = objectOf(options, SERVICE);
  matcherOption(chosen, SERVICE);
  const type = stringOption(chosen, 'type', Object.keys(CATEGORIES), 'cardinal', SERVICE);
  const digits = digitsOf(chosen, 0, 3, false, SERVICE);
  // Regions have no rules of their own; V8 reports 'en' for them.
  const locale = supportedLocalesOf(SERVICE, requested, undefined).length > 0 ? 'en' : defaultLocale();
  settings.set(this, { locale, type, digits });
}

equip(PluralRules, class {
  resolvedOptions() {
    const { locale, type, digits } = settings.of(this, 'resolvedOptions');
    const { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits } = digits;
    const { minimumSignificantDigits, maximumSignificantDigits, trailingZeroDisplay } = digits;
    const counts = minimumSignificantDigits === undefined ?
      { minimumFractionDigits, maximumFractionDigits } : { minimumSignificantDigits, maximumSignificantDigits };
    return {
      locale, type, minimumIntegerDigits, ...counts, pluralCategories: [...CATEGORIES[type]],
      roundingIncrement: digits.roundingIncrement,
      roundingMode: digits.roundingMode,
      // V8 reports 'auto' as the priority if trailing zeros are stripped, as in number_format.js.
      roundingPriority: trailingZeroDisplay === 'auto' ? digits.roundingPriority : 'auto',
      trailingZeroDisplay,
    };
  }

  select(value) {
    const { type, digits } = settings.of(this, 'select');
    return native.plural(digits, +value, type === 'ordinal');
  }

  // English: a range is always plural.
  selectRange(start, end) {
    settings.of(this, 'selectRange');
    const ends = Object.entries({ startRange: start, endRange: end });
    for (const [name, value] of ends) if (value === undefined) throw new TypeError(`Invalid ${name} : undefined`);
    for (const [name, value] of ends.map(([name, value]) => [name, +value])) {
      if (Number.isNaN(value)) throw new RangeError(`Invalid ${name} : NaN`);
    }
    return 'other';
  }

  static supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(SERVICE, locales, options); }
}, SERVICE);

module.exports = PluralRules;
