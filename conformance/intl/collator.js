// Intl.Collator and String.prototype.localeCompare: the order of texts.
'use strict';
const words = [
  'b', 'a', 'B', 'A', 'ä', 'Ä', 'z', 'é', 'e', 'E', 'ß', 'ss', 'ñ', 'n', 'o', 'ö', 'œ', 'oe', 'æ', 'ae', 'co-op', 'coop', 'co op', 'CO-OP', 'item 10',
  'item 9', 'item 010', '10', '9', '-1', '_x', '$5', '#1', 'résumé', 'resume', 'Resume', 'Résumé', '', ' ', '\t', 'a\u0301', 'á', 'Ω', 'я', 'А', 'א', '1', '①',
  '½', '²', 'Ⅷ', '…', '“q”', 'ﬁ', 'fi', '😀', 'I', 'i', 'İ', 'ı', 'かな', 'カナ', '한국', '\0a', 'a\0',
];
for (const bag of [
  undefined, { numeric: true }, { sensitivity: 'base' }, { sensitivity: 'accent' }, { sensitivity: 'case' }, { caseFirst: 'upper' }, { caseFirst: 'lower' },
  { ignorePunctuation: true }, { usage: 'search' }, { collation: 'emoji' }, { numeric: true, caseFirst: 'upper', sensitivity: 'base', ignorePunctuation: true },
]) {
  const collator = new Intl.Collator('en', bag);
  const { locale, ...resolved } = collator.resolvedOptions();
  console.log(JSON.stringify(bag), JSON.stringify(resolved));
  console.log(JSON.stringify([...words].sort(collator.compare)));
  console.log(words.map((word, index) => words.map((other) => '<=>'[collator.compare(word, other) + 1]).slice(0, index + 1).join('')).join(' '));
}
console.log(JSON.stringify([...words].sort((left, right) => left.localeCompare(right))));

// All of ASCII, and texts of it by chance, but each time the same.
const letters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
console.log(JSON.stringify(letters.filter((letter) => letter.localeCompare('') !== 0).sort((left, right) => left.localeCompare(right)).join('')));
let seed = 3;
const chance = (most) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor(seed / 2 ** 32 * most); };
const few = 'aAbB zé-1Z\'.';
const texts = Array.from({ length: 300 }, () => Array.from({ length: chance(6) }, () => few[chance(few.length)]).join(''));
console.log(texts.sort((left, right) => left.localeCompare(right)).join('|'));

const C = Intl.Collator;
const collator = new C();
const tries = {
  default: () => JSON.stringify(collator.resolvedOptions()),
  'without new': () => C('en') instanceof C,
  'bound compare': () => [collator.compare === collator.compare, collator.compare.name, collator.compare.length, collator.compare(10, '9')],
  keys: () => [Reflect.ownKeys(C.prototype).map(String).sort(), C.length, Object.prototype.toString.call(collator)],
  'kn and kf': () => JSON.stringify(new C('en-u-kn-kf-upper').resolvedOptions()),
  'kn and not numeric': () => new C('en-u-kn', { numeric: false }).resolvedOptions().numeric,
  'co emoji': () => new C('en-u-co-emoji').resolvedOptions().collation,
  'co phonebk': () => new C('en-u-co-phonebk').resolvedOptions().locale,
  'bad usage': () => new C('en', { usage: 'x' }),
  'bad sensitivity': () => new C('en', { sensitivity: 'x' }),
  'bad caseFirst': () => new C('en', { caseFirst: 'x' }),
  'bad collation': () => new C('en', { collation: 'x' }),
  null: () => new C('en', null),
  receiver: () => C.prototype.resolvedOptions.call(5),
  'receiver of compare': () => Object.getOwnPropertyDescriptor(C.prototype, 'compare').get.call({}),
  symbol: () => collator.compare('a', Symbol()),
  'compared with nothing': () => ['a'.localeCompare(), 'undefined'.localeCompare()],
  'compared by another': () => ['a10'.localeCompare('a9', 'en', { numeric: true }), 'a'.localeCompare('Á', 'en', { sensitivity: 'base' })],
  'compared with a locale': () => ['b'.localeCompare('a', 'en'), 'a'.localeCompare('B', ['en-US']), 'a'.localeCompare('b', 5)],
  'compare with a bad tag': () => 'a'.localeCompare('b', 'x_'),
  'compare with null': () => 'a'.localeCompare('b', null),
  'compare with null options': () => 'a'.localeCompare('b', 'en', null),
  'compare null': () => String.prototype.localeCompare.call(null, 'a'),
  'compare a number': () => String.prototype.localeCompare.call(10, 9),
  'compare a symbol': () => 'a'.localeCompare(Symbol()),
  length: () => [''.localeCompare.length, ''.localeCompare.name],
};
for (const [name, attempt] of Object.entries(tries)) {
  try { console.log(name, attempt()); } catch (error) { console.log(name, error.name); }
}
const asked = [];
new C('en', new Proxy({}, { get(_, name) { asked.push(name); } }));
console.log(asked.join());

// Numbers in texts, by chance as well, and the same locale again and again.
const numeric = new C(undefined, { numeric: true });
const signs = '0019aB -.';
const numbered = Array.from({ length: 300 }, () => Array.from({ length: chance(7) }, () => signs[chance(signs.length)]).join(''));
console.log(numbered.sort(numeric.compare).join('|'));
console.log(numeric.compare(`${'0'.repeat(100000)}1`, `${'0'.repeat(100001)}1`), numeric.compare('9'.repeat(255), `1${'0'.repeat(255)}`));
for (const locale of ['en', 'en', 'en-u-kn', 'en-u-kn', 'en', 'en-US', 'en-u-kf-upper', 'en-US', 'en']) {
  console.log(locale, ['a10', 'a9', 'A9', 'ä9'].sort((left, right) => left.localeCompare(right, locale)).join());
}
