// Intl.Segmenter: letters as readers see them, words, sentences, and what it says of wrong arguments.
'use strict';
const texts = [
  'Hello, world! 3.14 foo_bar  can\'t  e.g. x.', '日本語のヘルプ。字符的宽度', 'สวัสดีชาวโลก', '👩‍👩‍👧é́🇩🇪🇫🇷\r\n\ud800x',
  'Mr. Smith went. Then? Yes!', 'カタカナ한국어 단어', '',
];
for (const granularity of ['grapheme', 'word', 'sentence']) {
  const segmenter = new Intl.Segmenter('en', { granularity });
  for (const text of texts) {
    const segments = [...segmenter.segment(text)];
    const isAscii = !/[^\0-\x7f]/.test(text);
    console.log(granularity, JSON.stringify(segments.map((one) => `${one.segment}${isAscii && one.isWordLike ? '*' : ''}@${one.index}`)));
  }
}
const segmenter = new Intl.Segmenter();
const segments = segmenter.segment('abc');
console.log(segmenter, segments, Object.prototype.toString.call(segments[Symbol.iterator]()), Intl);
console.log([...segmenter.segment('a')], [...new Intl.Segmenter('en', { granularity: 'word' }).segment('a')]);
const tries = {
  containing: () => [-1, 0, 1.7, 2, 3, NaN, 'x', '1'].map((at) => segments.containing(at)?.segment),
  'containing in a pair': () => segmenter.segment('x🇩🇪y').containing(3),
  options: () => new Intl.Segmenter('de-AT-u-co-phonebk', { granularity: 'word' }).resolvedOptions(),
  canonical: () => Intl.getCanonicalLocales(['EN-us', 'de-DE-u-co-phonebk', 'zh-hant', 'en-US']),
  supported: () => Intl.Segmenter.supportedLocalesOf(['en', 'de-at']),
  'without new': () => Intl.Segmenter(),
  'bad tag': () => new Intl.Segmenter('x_y_'),
  'bad canonical tag': () => Intl.getCanonicalLocales('en-'),
  'bad granularity': () => new Intl.Segmenter('en', { granularity: 'x' }),
  'bad matcher': () => new Intl.Segmenter('en', { localeMatcher: 'x' }),
  'number in a list': () => new Intl.Segmenter(['en', 5]),
  'options null': () => new Intl.Segmenter('en', null),
  'options text': () => new Intl.Segmenter('en', 'x'),
  'a symbol': () => segmenter.segment(Symbol('x')),
  'wrong receiver': () => Intl.Segmenter.prototype.segment.call({}),
  'wrong iterator': () => segments[Symbol.iterator]().next.call({}),
  undefined: () => segmenter.segment().containing(2),
};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    console.log(name, attempt());
  } catch (error) {
    console.log(name, error.name);
  }
}
console.log(Object.getOwnPropertyNames(Intl.Segmenter.prototype).sort(), Intl.Segmenter.length, Intl.Segmenter.name, Object.keys(segmenter));
