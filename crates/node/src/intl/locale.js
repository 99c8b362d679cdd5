'use strict';
// What all of `Intl` begins with: the locales that are asked for, those that are there, and how options are read. The words of
// its errors are V8's.

const { navigator } = require('internal/navigator');

const { toString } = Object.prototype;

// The locales whose data is here. Whoever asks for another gets the default, as ECMA-402 has it.
const AVAILABLE = [
  'en', 'en-US', 'en-AU', 'en-CA', 'en-GB', 'en-IE', 'en-IN', 'en-NZ',
  // Those that write as Americans do.
  'en-AE', 'en-AS', 'en-GU', 'en-MH', 'en-MP', 'en-PH', 'en-PR', 'en-UM', 'en-VI',
];
const DEFAULT = 'en-US';

// What V8 asks for before it looks closer: a language, and behind it a script, a region and variants.
const BEGINS_WITH_LANGUAGE =
  /^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-z\d](?:-.*)?|-?)$/is;

// The forms of tags that were asked for before: programs use few of them, again and again.
const known = new Map();

// The forms of a tag: canonical, and the same without extensions.
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

// The canonical forms of a `locales` argument, none of them twice.
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

// The tags of objects of `Intl.Locale`, which are locales by themselves, whatever they look like.
const localeObjects = new WeakMap();

// The longest beginning of a tag that is available.
function bestOf(tag, available) {
  for (let candidate = tag; candidate !== ''; ) {
    if (available.includes(candidate)) return candidate;
    let cut = candidate.lastIndexOf('-');
    if (cut >= 2 && candidate[cut - 2] === '-') cut -= 2;
    candidate = candidate.slice(0, Math.max(cut, 0));
  }
  return undefined;
}

// The country of a locale that is available.
function regionOf(locale) { return locale.split('-')[1] ?? 'US'; }

function defaultLocale(available = AVAILABLE) {
  return bestOf(navigator.language, available) ?? DEFAULT;
}

// The keywords of the extension `u` of a tag, as ['ca', 'gregory'].
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

// What is the best for the requested locales (as `localesOf` gives them): the locale, and those of its keywords that are
// understood. `understood` has the values that each key may have, or a function that tells.
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

// A locale with keywords, as a tag.
function withKeywords(locale, keywords) {
  const written = Object.keys(keywords).sort().map((key) => (keywords[key] === 'true' ? key : `${key}-${keywords[key]}`));
  return written.length === 0 ? locale : `${locale}-u-${written.join('-')}`;
}

// `Intl.X.supportedLocalesOf`; `service` is its name, as 'Intl.X'.
function supportedLocalesOf(service, locales, options, available = AVAILABLE) {
  const requested = localesOf(locales);
  const method = `${service}.supportedLocalesOf`;
  matcherOption(objectOf(options, method), method);
  return requested.filter((tag) => bestOf(formsOf(tag)[1], available) !== undefined);
}

// Options that may be anything but null, as constructors older than 2020 take them.
function objectOf(options, service) {
  if (options === undefined) return { __proto__: null };
  if (options === null) throw new TypeError(`${service} called on null or undefined`);
  return Object(options);
}

// Options that have to be an object, as younger constructors take them.
function strictObjectOf(options) {
  if (options === undefined) return { __proto__: null };
  if (typeof options !== 'object' && typeof options !== 'function' || options === null) throw new TypeError('invalid_argument');
  return options;
}

// An option that is one of `choices`, or any text without them.
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

// A whole number between two.
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

// Types of keywords as `calendar` and `numberingSystem`, which have to be well formed.
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

// What the objects of a service were made with.
class Kept extends WeakMap {
  #service;

  constructor(service) {
    super();
    this.#service = service;
  }

  // Of the object that a method was called on; `kind` is that of a getter.
  of(value, method, kind = '') {
    const found = this.get(value);
    if (found === undefined) throw incompatible(`${kind}${this.#service}.prototype.${method}`, value);
    return found;
  }
}

// What stacks call the methods: `DateTimeFormat.formatToParts`.
const names = new WeakMap();
const nameOf = (method) => names.get(method);
const setName = (method, name) => { names.set(method, name); };

// Gives a constructor what its class of methods has, with the attributes that builtins have.
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
