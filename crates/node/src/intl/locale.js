'use strict';
// Base of all `Intl` services: locale negotiation and option processing, with V8's error messages.

const { navigator } = require('internal/navigator');

const { toString } = Object.prototype;

// Locales with data. Any other falls back to the default, as in ECMA-402.
const AVAILABLE = [
  'en', 'en-US', 'en-AU', 'en-CA', 'en-GB', 'en-IE', 'en-IN', 'en-NZ',
  // Locales with US conventions.
  'en-AE', 'en-AS', 'en-GU', 'en-MH', 'en-MP', 'en-PH', 'en-PR', 'en-UM', 'en-VI',
];
const DEFAULT = 'en-US';

// V8's first check of a tag: language, optional script, region and variants.
const BEGINS_WITH_LANGUAGE =
  /^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-z\d](?:-.*)?|-?)$/is;

// Cache of canonicalized tags.
const known = new Map();

// Canonical form of a tag, with and without extensions.
function formsOf(tag) {
  const before = known.get(tag);
  if (before !== undefined) return before;
  if (!BEGINS_WITH_LANGUAGE.test(tag)) throw new RangeError('Incorrect locale information provided');
  const forms = native.canonical(tag);
  if (forms === undefined) throw new RangeError(`Invalid language tag: ${tag.toLowerCase()}`);
  if (known.size >= 100) known.clear();
  known.set(tag, forms);
  return forms;
}

function tagOf(locale) {
  if (typeof locale === 'string') return locale;
  if (localeObjects.has(locale)) return localeObjects.get(locale);
  if (typeof locale !== 'object' && typeof locale !== 'function' || locale === null) {
    throw new TypeError('Language ID should be string or object.');
  }
  return String(locale);
}

// Canonicalizes a `locales` argument and removes duplicates (CanonicalizeLocaleList).
function localesOf(locales) {
  if (locales === undefined) return [];
  if (typeof locales === 'string') return [formsOf(locales)[0]];
  if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
  const list = Object(locales);
  if (localeObjects.has(list)) return [localeObjects.get(list)];
  const seen = new Set();
  const length = Math.min(Math.trunc(Number(list.length)) || 0, 2 ** 32 - 1);
  for (let index = 0; index < length; index++) {
    if (index in list) seen.add(formsOf(tagOf(list[index]))[0]);
  }
  return [...seen];
}

// Tags of `Intl.Locale` objects.
const localeObjects = new WeakMap();

// The longest available prefix of a tag (BestAvailableLocale).
function bestOf(tag, available) {
  for (let candidate = tag; candidate !== ''; ) {
    if (available.includes(candidate)) return candidate;
    let cut = candidate.lastIndexOf('-');
    if (cut >= 2 && candidate[cut - 2] === '-') cut -= 2;
    candidate = candidate.slice(0, Math.max(cut, 0));
  }
  return undefined;
}

// The region of an available locale.
function regionOf(locale) { return locale.split('-')[1] ?? 'US'; }

function defaultLocale(available = AVAILABLE) {
  return bestOf(navigator.language, available) ?? DEFAULT;
}

// Keywords of the Unicode (`u`) extension of a tag, as ['ca', 'gregory'].
function keywordsOf(tag) {
  const found = /-u((?:-[a-z\d]{2,8})+)/.exec(tag.replace(/-x-.*$/, ''));
  if (found === null) return [];
  const keywords = [];
  for (const subtag of found[1].slice(1).split('-')) {
    if (subtag.length === 2) keywords.push([subtag, '']);
    else if (keywords.length > 0) keywords.at(-1)[1] += (keywords.at(-1)[1] === '' ? '' : '-') + subtag;
  }
  return keywords;
}

// Negotiates the best locale for a list from `localesOf`, with its supported keywords. `understood` maps each key to
// its valid values or to a predicate.
function negotiate(requested, understood, available = AVAILABLE) {
  for (const tag of requested) {
    const locale = bestOf(formsOf(tag)[1], available);
    if (locale === undefined) continue;
    const keywords = { __proto__: null };
    for (const [key, given] of keywordsOf(tag)) {
      const values = understood[key];
      const value = given === '' ? 'true' : given;
      if (values !== undefined && (typeof values === 'function' ? values(value) : values.includes(value))) keywords[key] = value;
    }
    return { locale, keywords };
  }
  return { locale: defaultLocale(available), keywords: { __proto__: null } };
}

// The tag of a locale with keywords.
function withKeywords(locale, keywords) {
  const written = Object.keys(keywords).sort().map((key) => (keywords[key] === 'true' ? key : `${key}-${keywords[key]}`));
  return written.length === 0 ? locale : `${locale}-u-${written.join('-')}`;
}

// `Intl.X.supportedLocalesOf`; `service` is 'Intl.X'.
function supportedLocalesOf(service, locales, options, available = AVAILABLE) {
  const requested = localesOf(locales);
  const method = `${service}.supportedLocalesOf`;
  matcherOption(objectOf(options, method), method);
  return requested.filter((tag) => bestOf(formsOf(tag)[1], available) !== undefined);
}

// CoerceOptionsToObject of ECMA-402: anything but null.
function objectOf(options, service) {
  if (options === undefined) return { __proto__: null };
  if (options === null) throw new TypeError(`${service} called on null or undefined`);
  return Object(options);
}

// GetOptionsObject of ECMA-402: an object or undefined.
function strictObjectOf(options) {
  if (options === undefined) return { __proto__: null };
  if (typeof options !== 'object' && typeof options !== 'function' || options === null) throw new TypeError('invalid_argument');
  return options;
}

// A string option: one of `choices`, or any string without them.
function stringOption(options, name, choices, fallback, service) {
  const value = options[name];
  if (value === undefined) return fallback;
  const text = `${value}`;
  if (choices === undefined || choices.includes(text)) return text;
  throw new RangeError(`Value ${text} out of range for ${service} options property ${name}`);
}

function booleanOption(options, name, fallback) {
  const value = options[name];
  return value === undefined ? fallback : Boolean(value);
}

// An integer option within bounds.
function numberOption(options, name, least, most, fallback) {
  return wholeNumber(options[name], name, least, most, fallback);
}

function wholeNumber(value, name, least, most, fallback) {
  if (value === undefined) return fallback;
  const number = +value;
  if (!(number >= least && number <= most)) throw new RangeError(`${name} value is out of range.`);
  return Math.floor(number);
}

function matcherOption(options, service) {
  return stringOption(options, 'localeMatcher', ['best fit', 'lookup'], 'best fit', service);
}

// `calendar` and `numberingSystem` options, which must be well-formed types.
function typeOption(options, name, service) {
  const value = stringOption(options, name, undefined, undefined, service);
  if (value !== undefined && !/^[a-z\d]{3,8}(?:-[a-z\d]{3,8})*$/i.test(value)) throw new RangeError(`Invalid ${name} : ${value}`);
  return value;
}

function incompatible(method, value) {
  let shown = value;
  if (typeof value === 'object' && value !== null) {
    const isPlain = value.toString === toString;
    shown = isPlain ? `#<${value.constructor?.name ?? 'Object'}>` : toString.call(value);
  }
  return new TypeError(`Method ${method} called on incompatible receiver ${String(shown)}`);
}

// Internal data of the objects of a service.
class Kept extends WeakMap {
  #service;

  constructor(service) {
    super();
    this.#service = service;
  }

  // The data of a method's receiver; throws for other objects. `kind` is that of a getter.
  of(value, method, kind = '') {
    const found = this.get(value);
    if (found === undefined) throw incompatible(`${kind}${this.#service}.prototype.${method}`, value);
    return found;
  }
}

// Method names in stack traces: `DateTimeFormat.formatToParts`.
const names = new WeakMap();
const nameOf = (method) => names.get(method);
const setName = (method, name) => { names.set(method, name); };

// Copies methods to a constructor with the property attributes of builtins.
function equip(constructor, methods, name) {
  const owners = [[constructor.prototype, methods.prototype, constructor.name], [constructor, methods, 'Function']];
  for (const [target, source, owner] of owners) {
    for (const key of Reflect.ownKeys(source)) {
      if (['constructor', 'length', 'name', 'prototype'].includes(key)) continue;
      const descriptor = Object.getOwnPropertyDescriptor(source, key);
      if (typeof descriptor.value === 'function') setName(descriptor.value, `${owner}.${descriptor.value.name}`);
      Object.defineProperty(target, key, { __proto__: null, ...descriptor });
    }
  }
  tag(constructor.prototype, name);
  Object.defineProperty(constructor, 'prototype', { __proto__: null, writable: false });
  Object.defineProperty(constructor, 'length', { __proto__: null, value: 0 });
}

function tag(prototype, name) {
  Object.defineProperty(prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
}

module.exports = {
  AVAILABLE, booleanOption, defaultLocale, equip, formsOf, incompatible, Kept, keywordsOf, localeObjects, localesOf, matcherOption,
  nameOf, negotiate, numberOption, objectOf, regionOf, setName, strictObjectOf, stringOption, supportedLocalesOf, tag, typeOption,
  wholeNumber, withKeywords,
};
