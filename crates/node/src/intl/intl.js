'use strict';
// The global `Intl`: what it can say without the data of languages and countries.

const { navigator } = require('internal/navigator');

// The verb that cuts, for each granularity.
const verbs = { __proto__: null, grapheme: native.graphemes, word: native.words, sentence: native.sentences };

function canonicalOf(tag) {
  const forms = native.canonical(tag);
  if (forms === undefined) throw new RangeError(`Invalid language tag: ${tag}`);
  return forms;
}

// The forms of each locale of an argument, none of them twice.
function listOf(locales) {
  if (locales === undefined) return [];
  if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
  const tags = typeof locales === 'string' ? [locales] : Array.from(Object(locales));
  const seen = new Map();
  for (const tag of tags) {
    if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null)) {
      throw new TypeError('Language ID should be string or object.');
    }
    const forms = canonicalOf(String(tag));
    if (!seen.has(forms[0])) seen.set(forms[0], forms);
  }
  return [...seen.values()];
}

function choiceOf(options, name, choices, otherwise) {
  let value = options[name];
  if (value === undefined) return otherwise;
  value = String(value);
  if (choices.includes(value)) return value;
  throw new RangeError(`Value ${value} out of range for Intl.Segmenter options property ${name}`);
}

function optionsOf(options) {
  if (options === undefined) return { __proto__: null };
  if (typeof options !== 'object' && typeof options !== 'function' || options === null) {
    throw new TypeError('invalid_argument');
  }
  return options;
}

function incompatible(method, value) {
  const shown = typeof value === 'object' && value !== null ? `#<${value.constructor?.name ?? 'Object'}>` : String(value);
  return new TypeError(`Method ${method} called on incompatible receiver ${shown}`);
}

function tag(prototype, name) {
  Object.defineProperty(prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
}

// What is behind each object that this file makes: a segmenter's settings, a text with its cuts, an iterator's place.
const settings = new WeakMap();
const texts = new WeakMap();
const places = new WeakMap();

// A segment of a text, by its number.
function segmentAt({ input, ends, isWords }, number) {
  const index = number === 0 ? 0 : ends[number - 1] >>> 1;
  const segment = { segment: input.slice(index, ends[number] >>> 1), index, input };
  if (isWords) segment.isWordLike = (ends[number] & 1) === 1;
  return segment;
}

const segmentsPrototype = {
  containing(index) {
    const text = texts.get(this);
    if (text === undefined) throw incompatible('%SegmentsPrototype%.containing', this);
    const at = Math.trunc(Number(index)) || 0;
    if (at < 0 || at >= text.input.length) return undefined;
    let [low, high] = [0, text.ends.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (text.ends[middle] >>> 1 > at) high = middle; else low = middle + 1;
    }
    return segmentAt(text, low);
  },
  [Symbol.iterator]() {
    const text = texts.get(this);
    if (text === undefined) throw incompatible('%SegmentsPrototype%[Symbol.iterator]', this);
    const iterator = Object.create(iteratorPrototype);
    places.set(iterator, { text, next: 0 });
    return iterator;
  },
};

const iteratorPrototype = {
  __proto__: Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
  next() {
    const place = places.get(this);
    if (place === undefined) throw incompatible('%SegmentIterator.prototype%.next', this);
    if (place.next >= place.text.ends.length) return { value: undefined, done: true };
    return { value: segmentAt(place.text, place.next++), done: false };
  },
};
tag(iteratorPrototype, 'Segmenter String Iterator');
for (const [prototype, names] of [[segmentsPrototype, ['containing', Symbol.iterator]], [iteratorPrototype, ['next']]]) {
  for (const name of names) Object.defineProperty(prototype, name, { __proto__: null, enumerable: false });
}

function Segmenter(locales = undefined, options = undefined) {
  if (new.target === undefined) throw new TypeError("Constructor Intl.Segmenter requires 'new'");
  let found;
  try {
    found = listOf(locales);
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError('Incorrect locale information provided');
    throw error;
  }
  const chosen = optionsOf(options);
  choiceOf(chosen, 'localeMatcher', ['lookup', 'best fit'], 'best fit');
  const granularity = choiceOf(chosen, 'granularity', Object.keys(verbs), 'grapheme');
  settings.set(this, { locale: found.length > 0 ? found[0][1] : navigator.language, granularity });
}

// Its methods are not enumerable and cannot be constructed, as those of a class; the constructor is no class for its message.
const methods = class {
  resolvedOptions() {
    const { locale, granularity } = settingsOf(this, 'resolvedOptions');
    return { locale, granularity };
  }

  segment(text) {
    const { granularity } = settingsOf(this, 'segment');
    const input = `${text}`;
    const segments = Object.create(segmentsPrototype);
    texts.set(segments, { input, ends: verbs[granularity](input), isWords: granularity === 'word' });
    return segments;
  }

  static supportedLocalesOf(locales, options = undefined) {
    const found = listOf(locales);
    if (options !== undefined) choiceOf(Object(options), 'localeMatcher', ['lookup', 'best fit'], 'best fit');
    return found.map(([whole]) => whole);
  }
};

function settingsOf(segmenter, method) {
  const found = settings.get(segmenter);
  if (found === undefined) throw incompatible(`Intl.Segmenter.prototype.${method}`, segmenter);
  return found;
}

for (const name of ['resolvedOptions', 'segment']) {
  const value = methods.prototype[name];
  Object.defineProperty(Segmenter.prototype, name, { __proto__: null, value, writable: true, configurable: true });
}
tag(Segmenter.prototype, 'Intl.Segmenter');
Object.defineProperty(Segmenter, 'prototype', { __proto__: null, writable: false });
Object.defineProperty(Segmenter, 'length', { __proto__: null, value: 0 });
Object.defineProperty(Segmenter, 'supportedLocalesOf', {
  __proto__: null, value: methods.supportedLocalesOf, writable: true, configurable: true,
});

const Intl = {};
tag(Intl, 'Intl');
const own = { Segmenter, getCanonicalLocales: (locales) => listOf(locales).map(([whole]) => whole) };
for (const [name, value] of Object.entries(own)) {
  Object.defineProperty(Intl, name, { __proto__: null, value, writable: true, configurable: true });
}

module.exports = { Intl };
