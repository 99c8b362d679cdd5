'use strict';
// `Intl.Segmenter`.

const {
  defaultLocale, equip, formsOf, incompatible, Kept, localesOf, matcherOption, objectOf, strictObjectOf, stringOption, tag,
} = require('internal/intl/locale');

const SERVICE = 'Intl.Segmenter';

// The native function of each granularity.
const boundaries = { __proto__: null, grapheme: native.graphemes, word: native.words, sentence: native.sentences };

// Internal data: settings of a segmenter, text and boundaries of a Segments object, position of an iterator.
const settings = new Kept(SERVICE);
const texts = new WeakMap();
const places = new WeakMap();

// The segment with the given index.
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

// Segmentation is the same for all languages, so every locale is supported.
function Segmenter(locales = undefined, options = undefined) {
  if (new.target === undefined) throw new TypeError("Constructor Intl.Segmenter requires 'new'");
  const requested = localesOf(locales);
  const chosen = strictObjectOf(options);
  matcherOption(chosen, SERVICE);
  const granularity = stringOption(chosen, 'granularity', Object.keys(boundaries), 'grapheme', SERVICE);
  settings.set(this, { locale: requested.length > 0 ? formsOf(requested[0])[1] : defaultLocale(), granularity });
}

equip(Segmenter, class {
  resolvedOptions() {
    const { locale, granularity } = settings.of(this, 'resolvedOptions');
    return { locale, granularity };
  }

  segment(text) {
    const { granularity } = settings.of(this, 'segment');
    const input = `${text}`;
    const segments = Object.create(segmentsPrototype);
    texts.set(segments, { input, ends: boundaries[granularity](input), isWords: granularity === 'word' });
    return segments;
  }

  static supportedLocalesOf(locales, options = undefined) {
    const requested = localesOf(locales);
    const method = `${SERVICE}.supportedLocalesOf`;
    matcherOption(objectOf(options, method), method);
    return requested;
  }
}, SERVICE);

module.exports = Segmenter;
