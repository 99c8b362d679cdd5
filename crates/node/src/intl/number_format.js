'use strict';
// `Intl.NumberFormat`, and `toLocaleString` of numbers and BigInts.

const {
  equip, incompatible, Kept, localesOf, matcherOption, negotiate, objectOf, stringOption, supportedLocalesOf, typeOption, withKeywords,
} = require('internal/intl/locale');
const { digitsOf } = require('internal/intl/digits');

const SERVICE = 'Intl.NumberFormat';
const NUMBERING_SYSTEMS = ['latn'];
const DISPLAYS = { __proto__: null, currency: ['code', 'symbol', 'narrowSymbol', 'name'], unit: ['short', 'narrow', 'long'] };

const settings = new Kept(SERVICE);

// Resolved options in the order of `resolvedOptions`; `service` is the name used in errors.
function resolve(locales, options, service) {
  const requested = localesOf(locales);
  const chosen = objectOf(options, service);
  matcherOption(chosen, service);
  const system = typeOption(chosen, 'numberingSystem', service);
  const { locale, keywords } = negotiate(requested, { nu: NUMBERING_SYSTEMS });
  if (system !== undefined && NUMBERING_SYSTEMS.includes(system) && keywords.nu !== system) delete keywords.nu;
  const style = styleOf(chosen, service);
  const notation = stringOption(chosen, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard', service);
  const isCompact = notation === 'compact';
  const own = style.style === 'currency' ? native.currencyDigits(style.currency) : undefined;
  const digits = digitsOf(chosen, own ?? 0, own ?? (style.style === 'percent' ? 0 : 3), isCompact, service);
  const compactDisplay = stringOption(chosen, 'compactDisplay', ['short', 'long'], 'short', service);
  const useGrouping = groupingOf(chosen.useGrouping, isCompact ? 'min2' : 'auto', service);
  const signDisplay =
    stringOption(chosen, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto', service);
  const { roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay, ...counts } = digits;
  return {
    __proto__: null,
    locale: withKeywords(locale, keywords),
    numberingSystem: 'latn',
    ...style, ...inOrder({ __proto__: null, ...counts }), useGrouping, notation, ...isCompact && { compactDisplay }, signDisplay,
    roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay,
  };
}

// Fraction digits are listed before significant digits.
function inOrder({ minimumIntegerDigits, minimumSignificantDigits, maximumSignificantDigits, ...fraction }) {
  const significant = minimumSignificantDigits !== undefined && { minimumSignificantDigits, maximumSignificantDigits };
  return { minimumIntegerDigits, ...fraction, ...significant };
}

function styleOf(options, service) {
  const style = stringOption(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal', service);
  const currency = stringOption(options, 'currency', undefined, undefined, service);
  if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
  if (currency === undefined && style === 'currency') throw new TypeError('Currency code is required with currency style.');
  const currencyDisplay = stringOption(options, 'currencyDisplay', DISPLAYS.currency, 'symbol', service);
  const currencySign = stringOption(options, 'currencySign', ['standard', 'accounting'], 'standard', service);
  const unit = stringOption(options, 'unit', undefined, undefined, service);
  const badUnit = (Class) => new Class(`Invalid unit argument for ${service}() '${unit ?? ''}'`);
  if (unit !== undefined && !native.isUnit(unit)) throw badUnit(RangeError);
  if (unit === undefined && style === 'unit') throw badUnit(TypeError);
  const unitDisplay = stringOption(options, 'unitDisplay', DISPLAYS.unit, 'short', service);
  if (style === 'currency') return { style, currency: currency.toUpperCase(), currencyDisplay, currencySign };
  return style === 'unit' ? { style, unit, unitDisplay } : { style };
}

function groupingOf(value, otherwise, service) {
  if (value === undefined) return otherwise;
  if (value === true) return 'always';
  if (!value) return false;
  const text = `${value}`;
  if (text === 'true' || text === 'false') return otherwise;
  if (['min2', 'auto', 'always'].includes(text)) return text;
  throw new RangeError(`Value ${text} out of range for ${service} options property useGrouping`);
}

// A numeric value for the native code: a number, or a decimal string of any length.
function numericOf(value) {
  if (typeof value === 'number') return value;
  if (typeof value === 'object' && value !== null || typeof value === 'function') value = primitiveOf(value);
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'string') return Number(value);
  const text = value.trim();
  if (/^0[box][\da-f]/i.test(text)) {
    const number = Number(text);
    return Number.isFinite(number) ? `${BigInt(text)}` : number;
  }
  const number = Number(text);
  if (!Number.isFinite(number) || text === '') return number;
  if (/e[+-]?0*[1-9]\d{9}/i.test(text)) throw new TypeError('Internal error. Icu error.');
  return text;
}

function primitiveOf(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) {
    const found = Reflect.apply(convert, value, ['number']);
    if (typeof found !== 'object' && typeof found !== 'function' || found === null) return found;
    throw new TypeError('Cannot convert object to primitive value');
  }
  for (const name of ['valueOf', 'toString']) {
    const method = value[name];
    const found = typeof method === 'function' ? Reflect.apply(method, value, []) : value;
    if (typeof found !== 'object' && typeof found !== 'function' || found === null) return found;
  }
  throw new TypeError('Cannot convert object to primitive value');
}

// An end of a range; must not be NaN or undefined.
function endOf(value, name) {
  const number = numericOf(value);
  if (Number.isNaN(number)) throw new RangeError(`Invalid ${name} : ${value}`);
  return number;
}

function rangeOf(start, end) {
  if (start === undefined) throw new TypeError(`Invalid start : ${start}`);
  if (end === undefined) throw new TypeError(`Invalid end : ${end}`);
  return [endOf(start, 'start'), endOf(end, 'end')];
}

function NumberFormat(locales = undefined, options = undefined) {
  const format = new.target === undefined ? Object.create(NumberFormat.prototype) : this;
  const resolved = resolve(locales, options, SERVICE);
  settings.set(format, { resolved, form: undefined, bound: undefined });
  return format;
}

equip(NumberFormat, class {
  resolvedOptions() {
    const { resolved } = unwrap(this, `${SERVICE}.prototype.resolvedOptions`);
    const told = { ...resolved };
    // V8 does not report the priority if zeros are stripped, nor accounting if no sign is shown.
    if (told.trailingZeroDisplay !== 'auto') told.roundingPriority = 'auto';
    if (told.style === 'currency' && told.signDisplay === 'never') told.currencySign = 'standard';
    return told;
  }

  formatToParts(value) {
    const form = formOf(settings.of(this, 'formatToParts'));
    return form(numericOf(value), undefined, true);
  }

  get format() {
    const found = unwrap(this, `get ${SERVICE}.prototype.format`);
    if (found.bound === undefined) {
      const form = formOf(found);
      found.bound = (0, (value) => form(numericOf(value)));
    }
    return found.bound;
  }

  formatRange(start, end) {
    const form = formOf(settings.of(this, 'formatRange'));
    return form(...rangeOf(start, end));
  }

  formatRangeToParts(start, end) {
    const form = formOf(settings.of(this, 'formatRangeToParts'));
    return form(...rangeOf(start, end), true);
  }

  static supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(SERVICE, locales, options); }
}, SERVICE);

// The native formatter is created on first use.
function formOf(found) { return found.form ??= native.formatter(found.resolved); }

// Also accepts legacy objects initialized by `Intl.NumberFormat.call(object)`, as V8 does.
function unwrap(format, method) {
  const found = settings.get(format);
  if (found !== undefined) return found;
  if (typeof format !== 'object' || format === null) throw incompatible(method, format);
  throw incompatible('UnwrapNumberFormat', undefined);
}

// Cached formatters: for no locale, and for the last one used.
let usual;
let last;

function toLocaleString(value, locales, options, method) {
  if (options === undefined) {
    if (locales === undefined) return (usual ??= native.formatter(resolve(undefined, undefined, method)))(value);
    if (locales === last?.locales) return last.form(value);
  }
  const form = native.formatter(resolve(locales, options, method));
  if (options === undefined && typeof locales === 'string') last = { locales, form };
  return form(value);
}

const { valueOf: numberOf } = Number.prototype;
const { valueOf: bigIntOf } = BigInt.prototype;

// The primitive value of a Number or BigInt object.
function unboxed(value, take, method, name) {
  try {
    return Reflect.apply(take, value, []);
  } catch {
    throw new TypeError(`${method} requires that 'this' be a ${name}`);
  }
}

// Implements `Number.prototype.toLocaleString`.
function ofNumber(value, locales, options) {
  const method = 'Number.prototype.toLocaleString';
  return toLocaleString(typeof value === 'number' ? value : unboxed(value, numberOf, method, 'Number'), locales, options, method);
}

// Implements `BigInt.prototype.toLocaleString`.
function ofBigInt(value, locales, options) {
  const method = 'BigInt.prototype.toLocaleString';
  return toLocaleString(`${unboxed(value, bigIntOf, method, 'BigInt')}`, locales, options, method);
}

module.exports = { NUMBERING_SYSTEMS, NumberFormat, ofBigInt, ofNumber, resolve };
