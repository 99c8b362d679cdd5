'use strict';
// `Intl.DateTimeFormat`: option processing as in ECMA-402 and V8. Patterns, names and time zones are native.

const {
  booleanOption, equip, incompatible, localesOf, matcherOption, negotiate, numberOption, objectOf, stringOption,
  supportedLocalesOf, typeOption, withKeywords,
} = require('internal/intl/locale');

const SERVICE = 'Intl.DateTimeFormat';
// Operations of the native formatter (`dates/mod.rs`).
const [TEXT, PARTS, RANGE, RANGE_PARTS] = [0, 1, 2, 3];

const AVAILABLE = native.dateLocales();

const letterOf = { __proto__: null, h11: 'K', h12: 'h', h23: 'H', h24: 'k' };
const cycleOf = { __proto__: null, K: 'h11', h: 'h12', H: 'h23', k: 'h24' };
const KEYWORDS = { __proto__: null, ca: ['gregory'], nu: ['latn'], hc: Object.keys(letterOf) };

// Pattern letters of each component's styles. A skeleton uses the first one; a pattern is searched for them in V8's
// order.
const components = {
  __proto__: null,
  weekday: { EEEEE: 'narrow', EEEE: 'long', EEE: 'short', ccccc: 'narrow', cccc: 'long', ccc: 'short' },
  era: { GGGGG: 'narrow', GGGG: 'long', GGG: 'short' },
  year: { yy: '2-digit', y: 'numeric' },
  month: {
    MMMMM: 'narrow', MMMM: 'long', MMM: 'short', MM: '2-digit', M: 'numeric',
    LLLLL: 'narrow', LLLL: 'long', LLL: 'short', LL: '2-digit', L: 'numeric',
  },
  day: { dd: '2-digit', d: 'numeric' },
  dayPeriod: { BBBBB: 'narrow', bbbbb: 'narrow', BBBB: 'long', bbbb: 'long', B: 'short', b: 'short' },
  hour: {
    HH: '2-digit', H: 'numeric', hh: '2-digit', h: 'numeric', kk: '2-digit', k: 'numeric', KK: '2-digit', K: 'numeric',
  },
  minute: { mm: '2-digit', m: 'numeric' },
  second: { ss: '2-digit', s: 'numeric' },
  timeZoneName: {
    zzzz: 'long', z: 'short', OOOO: 'longOffset', O: 'shortOffset', vvvv: 'longGeneric', v: 'shortGeneric',
  },
};

const STYLES = ['full', 'long', 'medium', 'short'];
const DATE = ['weekday', 'year', 'month', 'day'];
const TIME = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

// Native formatters by object.
const formatters = new WeakMap();

// The pattern letter for hours: from the options, else the locale's keyword, else the locale's preference.
function hourOf(hour12, hourCycle, keyword, locale) {
  const preferred = native.preferredHour(locale);
  if (hour12 === undefined) return letterOf[hourCycle ?? keyword] ?? preferred;
  if (!hour12) return 'H';
  // Japan counts the hours of a half day from 0 ('K').
  return preferred === 'H' && locale.endsWith('-JP') ? 'K' : 'h';
}

// The requested components and their skeleton.
function componentsOf(options, hour, service) {
  const chosen = { __proto__: null };
  let skeleton = '';
  for (const [name, forms] of Object.entries(components)) {
    if (name === 'timeZoneName') {
      const digits = numberOption(options, 'fractionalSecondDigits', 1, 3, undefined);
      if (digits !== undefined) {
        chosen.fractionalSecondDigits = digits;
        skeleton += 'S'.repeat(digits);
      }
    }
    const value = stringOption(options, name, Object.values(forms), undefined, service);
    if (value === undefined) continue;
    chosen[name] = value;
    skeleton += name === 'hour' ? hour.repeat(value === '2-digit' ? 2 : 1) : Object.keys(forms).find((run) => forms[run] === value);
  }
  return { chosen, skeleton };
}

// Replaces the hour letter of a pattern, except in quoted text.
function withHours(pattern, letter) {
  let isQuoted = false;
  let made = '';
  for (const char of pattern) {
    if (char === "'") isQuoted = !isQuoted;
    made += !isQuoted && cycleOf[char] !== undefined ? letter : char;
  }
  return made;
}

function stylePattern(locale, dateStyle, timeStyle, hour) {
  const place = (style) => (style === undefined ? undefined : STYLES.indexOf(style));
  const pattern = native.stylePattern(locale, place(dateStyle), place(timeStyle));
  if (timeStyle === undefined || pattern.replace(/'[^']*'/g, '').includes(hour)) return pattern;
  const skeleton = native.skeletonOf(pattern).replace(/[abB]/g, '').replace(/[hHkK]/g, hour);
  return withHours(native.bestPattern(locale, skeleton), hour);
}

// The settings of a formatter. If no component of the `required` kind ('date', 'time', 'any') is given, those of
// `defaults` ('date', 'time', 'all') are used.
function settingsOf(locales, given, required, defaults, service) {
  const requested = localesOf(locales);
  const options = objectOf(given, service);
  matcherOption(options, service);
  const calendar = typeOption(options, 'calendar', service);
  const numberingSystem = typeOption(options, 'numberingSystem', service);
  const hour12 = booleanOption(options, 'hour12', undefined);
  const hourCycle = stringOption(options, 'hourCycle', KEYWORDS.hc, undefined, service);
  const { locale, keywords } = negotiate(requested, KEYWORDS, AVAILABLE);
  if (calendar !== undefined && keywords.ca !== calendar) delete keywords.ca;
  if (numberingSystem !== undefined && keywords.nu !== numberingSystem) delete keywords.nu;
  const hour = hourOf(hour12, hourCycle, keywords.hc, locale);

  const zone = zoneOf(options.timeZone);
  const { chosen, skeleton } = componentsOf(options, hour, service);
  stringOption(options, 'formatMatcher', ['best fit', 'basic'], 'best fit', service);
  const dateStyle = stringOption(options, 'dateStyle', STYLES, undefined, service);
  const timeStyle = stringOption(options, 'timeStyle', STYLES, undefined, service);

  let shownHour;
  let pattern;
  if (dateStyle !== undefined || timeStyle !== undefined) {
    if (skeleton !== '') throw new TypeError('Invalid option : option');
    if (required === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
    if (required === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    if (timeStyle !== undefined) shownHour = hour;
    pattern = stylePattern(locale, dateStyle, timeStyle, hour);
  } else {
    const has = (names) => names.some((name) => chosen[name] !== undefined);
    const needsDefaults = !(required !== 'time' && has(DATE)) && !(required !== 'date' && has(TIME));
    let whole = skeleton;
    if (needsDefaults && defaults !== 'time') whole += 'yMd';
    if (needsDefaults && defaults !== 'date') whole += `${hour}ms`;
    if (chosen.hour !== undefined) shownHour = hour;
    pattern = native.bestPattern(locale, whole);
    if (shownHour !== undefined) pattern = withHours(pattern, hour);
  }
  if ((hour12 !== undefined || hourCycle !== undefined) && keywords.hc !== cycleOf[shownHour]) delete keywords.hc;
  const write = native.makeDateFormat(locale, pattern, shownHour ?? '', zone);
  const timeZone = native.timeZone(zone);
  return { locale: withKeywords(locale, keywords), timeZone, shownHour, pattern, dateStyle, timeStyle, write, bound: undefined };
}

function zoneOf(value) {
  if (value === undefined) return native.currentTimeZone();
  const name = `${value}`;
  if (native.timeZone(name) === undefined) throw new RangeError(`Invalid time zone specified: ${name}`);
  return name;
}

function timeOf(value) {
  const time = +value;
  if (!(Math.abs(time) <= 8.64e15)) throw new RangeError('Invalid time value');
  return Math.trunc(time);
}

// Key of the formatter on objects initialized by `Intl.DateTimeFormat.call(object)` (ECMA-402's fallback symbol).
const legacy = Symbol('IntlLegacyConstructedSymbol');

function DateTimeFormat(locales = undefined, options = undefined) {
  if (new.target === undefined) {
    const made = new DateTimeFormat(locales, options);
    if (!(this instanceof DateTimeFormat)) return made;
    Object.defineProperty(this, legacy, { __proto__: null, value: made });
    return this;
  }
  formatters.set(this, settingsOf(locales, options, 'any', 'date', SERVICE));
}

function unwrapped(value, method) {
  const isObject = typeof value === 'object' && value !== null || typeof value === 'function';
  if (!isObject) throw incompatible(method, value);
  const found = formatters.get(value) ?? (value instanceof DateTimeFormat ? formatters.get(value[legacy]) : undefined);
  if (found === undefined) throw incompatible('UnwrapDateTimeFormat', value);
  return found;
}

function settingsFor(value, method) {
  const found = formatters.get(value);
  if (found === undefined) throw incompatible(`${SERVICE}.prototype.${method}`, value);
  return found;
}

// Converts a flat list to parts: pairs of type and value, or triples with a source.
function partsOf(flat, hasSource) {
  const parts = [];
  const step = hasSource ? 3 : 2;
  for (let index = 0; index < flat.length; index += step) {
    const part = { type: flat[index], value: flat[index + 1] };
    if (hasSource) part.source = flat[index + 2];
    parts.push(part);
  }
  return parts;
}

equip(DateTimeFormat, class {
  resolvedOptions() {
    const { locale, timeZone, shownHour, pattern, dateStyle, timeStyle } =
      unwrapped(this, `${SERVICE}.prototype.resolvedOptions`);
    const resolved = { locale, calendar: 'gregory', numberingSystem: 'latn', timeZone };
    if (shownHour !== undefined) {
      resolved.hourCycle = cycleOf[shownHour];
      resolved.hour12 = shownHour === 'h' || shownHour === 'K';
    }
    if (dateStyle === undefined && timeStyle === undefined) {
      for (const [name, forms] of Object.entries(components)) {
        if (name === 'timeZoneName') {
          const digits = Math.min(pattern.split('S').length - 1, 3);
          if (digits > 0) resolved.fractionalSecondDigits = digits;
        }
        const run = Object.keys(forms).find((letters) => pattern.includes(letters));
        if (run !== undefined) resolved[name] = forms[run];
      }
    }
    if (dateStyle !== undefined) resolved.dateStyle = dateStyle;
    if (timeStyle !== undefined) resolved.timeStyle = timeStyle;
    return resolved;
  }

  formatToParts(date) {
    const { write } = settingsFor(this, 'formatToParts');
    return partsOf(write(PARTS, timeOf(date === undefined ? Date.now() : date), 0), false);
  }

  get format() {
    const settings = unwrapped(this, `get ${SERVICE}.prototype.format`);
    if (settings.bound === undefined) {
      const { write } = settings;
      settings.bound = Object.defineProperty(
        (date) => write(TEXT, timeOf(date === undefined ? Date.now() : date), 0),
        'name', { __proto__: null, value: '', configurable: true });
    }
    return settings.bound;
  }

  formatRange(start, end) {
    const { write } = settingsFor(this, 'formatRange');
    if (start === undefined || end === undefined) throw new TypeError('Invalid time value');
    const [from, to] = [+start, +end];
    return write(RANGE, timeOf(from), timeOf(to));
  }

  formatRangeToParts(start, end) {
    const { write } = settingsFor(this, 'formatRangeToParts');
    if (start === undefined || end === undefined) throw new TypeError('Invalid time value');
    const [from, to] = [+start, +end];
    return partsOf(write(RANGE_PARTS, timeOf(from), timeOf(to)), true);
  }

  static supportedLocalesOf(locales, options = undefined) {
    return supportedLocalesOf(SERVICE, locales, options, AVAILABLE);
  }
}, SERVICE);

module.exports = { DateTimeFormat, settingsOf };
