'use strict';
// `Intl.RelativeTimeFormat`: how long ago something was, or how soon it will be.

const {
  equip, incompatible, localesOf, matcherOption, negotiate, objectOf, stringOption, supportedLocalesOf, typeOption, withKeywords,
} = require('internal/intl/locale');
const { NUMBERING_SYSTEMS, resolve } = require('internal/intl/number_format');

const SERVICE = 'Intl.RelativeTimeFormat';

// What is behind a number: in the long style, in the short one (for one, for others) and in the narrow one; and how the short and
// the narrow style call a unit where there is no number.
const UNITS = {
  __proto__: null,
  second: { long: 'second', short: ['sec.', 'sec.'], narrow: 's' },
  minute: { long: 'minute', short: ['min.', 'min.'], narrow: 'm' },
  hour: { long: 'hour', short: ['hr.', 'hr.'], narrow: 'h' },
  day: { long: 'day', short: ['day', 'days'], narrow: 'd' },
  week: { long: 'week', short: ['wk.', 'wk.'], narrow: 'w', called: 'wk.' },
  month: { long: 'month', short: ['mo.', 'mo.'], narrow: 'mo', called: 'mo.' },
  quarter: { long: 'quarter', short: ['qtr.', 'qtrs.'], narrow: 'q', called: 'qtr.' },
  year: { long: 'year', short: ['yr.', 'yr.'], narrow: 'y', called: 'yr.' },
};

const settings = new WeakMap();

function RelativeTimeFormat(locales = undefined, options = undefined) {
  if (new.target === undefined) throw new TypeError(`Constructor ${SERVICE} requires 'new'`);
  const requested = localesOf(locales);
  const chosen = objectOf(options, SERVICE);
  matcherOption(chosen, SERVICE);
  typeOption(chosen, 'numberingSystem', SERVICE);
  const { locale, keywords } = negotiate(requested, { nu: NUMBERING_SYSTEMS });
  const style = stringOption(chosen, 'style', ['long', 'short', 'narrow'], 'long', SERVICE);
  const numeric = stringOption(chosen, 'numeric', ['always', 'auto'], 'always', SERVICE);
  settings.set(this, { locale: withKeywords(locale, keywords), style, numeric, numberingSystem: 'latn' });
}

equip(RelativeTimeFormat, class {
  resolvedOptions() { return { ...settingsOf(this, 'resolvedOptions') }; }

  format(value, unit) { return partsOf(this, value, unit, 'format').map(({ value }) => value).join(''); }

  formatToParts(value, unit) { return partsOf(this, value, unit, 'formatToParts'); }

  static supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(SERVICE, locales, options); }
}, SERVICE);

let form;
let digits;

function partsOf(format, value, unit, method) {
  const { style, numeric } = settingsOf(format, method);
  const number = +value;
  const name = `${unit}`;
  if (!Number.isFinite(number)) throw new RangeError(`Value need to be finite number for ${SERVICE}.prototype.${method}()`);
  const singular = name.endsWith('s') ? name.slice(0, -1) : name;
  if (!(singular in UNITS)) throw new RangeError(`Invalid unit argument for ${SERVICE}.prototype.${method}() '${name}'`);
  const word = numeric === 'auto' ? wordFor(singular, number, style) : undefined;
  if (word !== undefined) return [{ type: 'literal', value: word }];
  digits ??= resolve(undefined, undefined, SERVICE);
  form ??= native.formatter(digits);
  const size = Math.abs(number);
  const parts = form(size, undefined, true).map((part) => ({ ...part, unit: singular }));
  const behind = behindOf(UNITS[singular], style, native.plural(digits, size, false) === 'one');
  const isPast = number < 0 || Object.is(number, -0);
  if (isPast) return [...parts, { type: 'literal', value: `${behind} ago` }];
  return [{ type: 'literal', value: 'in ' }, ...parts, { type: 'literal', value: behind }];
}

function behindOf({ long, short, narrow }, style, isOne) {
  if (style === 'narrow') return narrow;
  if (style === 'short') return ` ${short[isOne ? 0 : 1]}`;
  return isOne ? ` ${long}` : ` ${long}s`;
}

// What is said without a number. As in ICU, a hundredth is no difference.
function wordFor(unit, number, style) {
  const steps = Math.trunc(number * 100 + Math.sign(number) / 2) / 100;
  if (steps !== -1 && steps !== 0 && steps !== 1) return undefined;
  if (unit === 'day') return ['yesterday', 'today', 'tomorrow'][steps + 1];
  if (unit === 'second') return steps === 0 ? 'now' : undefined;
  const { long, called } = UNITS[unit];
  const name = style === 'long' ? long : called ?? long;
  // Minutes and hours have nothing but this one.
  if (steps !== 0 && called === undefined) return undefined;
  return `${['last', 'this', 'next'][steps + 1]} ${name}`;
}

function settingsOf(format, method) {
  const found = settings.get(format);
  if (found === undefined) throw incompatible(`${SERVICE}.prototype.${method}`, format);
  return found;
}

module.exports = RelativeTimeFormat;
