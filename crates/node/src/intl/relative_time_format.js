'use strict';
// `Intl.RelativeTimeFormat`.

const {
  equip, Kept, localesOf, matcherOption, negotiate, objectOf, regionOf, stringOption, supportedLocalesOf, typeOption, withKeywords,
} = require('internal/intl/locale');
const { NUMBERING_SYSTEMS, resolve } = require('internal/intl/number_format');

const SERVICE = 'Intl.RelativeTimeFormat';

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

// Short unit names, singular and plural.
const BRITISH = 'sec,sec min,min hr,hr day,days wk,wk mo,mo qtr,qtr yr,yr';
const SHORT = {
  __proto__: null,
  US: 'sec.,sec. min.,min. hr.,hr. day,days wk.,wk. mo.,mo. qtr.,qtrs. yr.,yr.',
  AU: 'sec,secs min,mins hr,hrs day,days wk,wks mo,mo qtr,qtrs yr,yrs',
  CA: 'sec,secs min,mins hr,hrs day,days wk,wks mo,mos qtr,qtrs yr,yrs',
  GB: BRITISH, IE: BRITISH, IN: BRITISH, NZ: BRITISH,
};
const NARROW = ['s', 'm', 'h', 'd', 'w', 'mo', 'q', 'y'];

const settings = new Kept(SERVICE);

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
  resolvedOptions() { return { ...settings.of(this, 'resolvedOptions') }; }

  format(value, unit) { return partsOf(this, value, unit, 'format').map(({ value }) => value).join(''); }

  formatToParts(value, unit) { return partsOf(this, value, unit, 'formatToParts'); }

  static supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(SERVICE, locales, options); }
}, SERVICE);

function partsOf(format, value, unit, method) {
  const { locale, style, numeric } = settings.of(format, method);
  const region = regionOf(locale);
  const number = +value;
  const name = `${unit}`;
  if (!Number.isFinite(number)) throw new RangeError(`Value need to be finite number for ${SERVICE}.prototype.${method}()`);
  const singular = name.endsWith('s') ? name.slice(0, -1) : name;
  if (!UNITS.includes(singular)) throw new RangeError(`Invalid unit argument for ${SERVICE}.prototype.${method}() '${name}'`);
  const word = numeric === 'auto' ? wordFor(singular, region, number, style) : undefined;
  if (word !== undefined) return [{ type: 'literal', value: word }];
  const digits = resolve(locale, undefined, SERVICE);
  const form = native.formatter(digits);
  const size = Math.abs(number);
  const parts = form(size, undefined, true).map((part) => ({ ...part, unit: singular }));
  const behind = behindOf(singular, region, style, native.plural(digits, size, false) === 'one');
  const isPast = number < 0 || Object.is(number, -0);
  if (isPast) return [...parts, { type: 'literal', value: `${behind} ago` }];
  return [{ type: 'literal', value: 'in ' }, ...parts, { type: 'literal', value: behind }];
}

// The short names of a unit.
function shortOf(unit, region) { return (SHORT[region] ?? SHORT.US).split(' ')[UNITS.indexOf(unit)].split(','); }

function behindOf(unit, region, style, isOne) {
  if (style === 'long') return isOne ? ` ${unit}` : ` ${unit}s`;
  // Outside the US the narrow style equals the short one, except for days in Canada.
  const isNarrow = style === 'narrow' && (!(region in SHORT) || region === 'US' || region === 'CA' && unit === 'day');
  return isNarrow ? NARROW[UNITS.indexOf(unit)] : ` ${shortOf(unit, region)[isOne ? 0 : 1]}`;
}

// Phrases without a number ("yesterday"). ICU compares with a precision of 0.01.
function wordFor(unit, region, number, style) {
  const steps = Math.trunc(number * 100 + Math.sign(number) / 2) / 100;
  if (steps !== -1 && steps !== 0 && steps !== 1) return undefined;
  if (unit === 'day') return ['yesterday', 'today', 'tomorrow'][steps + 1];
  if (unit === 'second') return steps === 0 ? 'now' : undefined;
  // Minutes and hours have only this phrase, which is never shortened.
  const isSmall = unit === 'minute' || unit === 'hour';
  if (isSmall && steps !== 0) return undefined;
  // Quarters use the US names everywhere.
  const short = shortOf(unit, unit === 'quarter' ? 'US' : region)[0];
  return `${['last', 'this', 'next'][steps + 1]} ${isSmall || style === 'long' ? unit : short}`;
}

module.exports = RelativeTimeFormat;
