// Intl.Locale and Intl.getCanonicalLocales: tags with their parts, what is likely, canonical forms, wrong arguments.
'use strict';
const tags = [
  'en', 'EN-latn-us', 'zh', 'zh-Hant', 'sr-Latn', 'de-AT-u-co-phonebk', 'ar-EG', 'he', 'en-GB-u-hc-h23-nu-latn', 'ja-JP-u-ca-japanese',
  'sl-rozaj-1994', 'en-US-x-foo', 'en-u-kn', 'en-u-kn-false', 'und', 'hi-IN', 'fa', 'en-001', 'es-419', 'pt-PT', 'en-u-kf-upper',
];
const names = [
  'language', 'script', 'region', 'baseName', 'calendar', 'caseFirst', 'collation', 'hourCycle', 'numeric', 'numberingSystem',
];
// Getters in Node 22, methods in later editions of ECMA-402, which leave `minimalDays` out.
const textInfo = (locale) => locale.getTextInfo?.() ?? locale.textInfo;
const timeZones = (locale) => locale.getTimeZones?.() ?? locale.timeZones;
// Engines differ in the names of zones that were renamed.
const isFormer = (zone) => /Indianapolis|Louisville/.test(zone);
const weekInfo = (locale) => {
  const { firstDay, weekend } = locale.getWeekInfo?.() ?? locale.weekInfo;
  return { firstDay, weekend };
};
for (const tag of tags) {
  const locale = new Intl.Locale(tag);
  console.log(tag, `${locale}`, locale.maximize().toString(), locale.minimize().toString());
  // The language of `und` is undefined in V8.
  console.log(' ', [...names.map((name) => (tag === 'und' && name === 'language' ? '' : locale[name])), textInfo(locale), weekInfo(locale)].map((value) => JSON.stringify(value) ?? '-').join(' '));
}
for (const region of ['US', 'DE', 'RU', 'AU', 'BR', 'XX']) console.log(region, timeZones(new Intl.Locale(`en-${region}`))?.filter((zone) => !isFormer(zone)));
const tries = {
  options: () => `${new Intl.Locale('en-Latn-us-u-ca-gregory-kn', { region: 'GB', numeric: false, caseFirst: 'upper', hourCycle: 'h11' })}`,
  language: () => `${new Intl.Locale('en-US', { language: 'de', script: 'Latn', calendar: 'buddhist', numberingSystem: 'arab', collation: 'emoji' })}`,
  'of a locale': () => `${new Intl.Locale(new Intl.Locale('en-GB'), { numeric: true })}`,
  'as an argument': () => Intl.getCanonicalLocales(new Intl.Locale('EN-gb')),
  'in a list': () => Intl.getCanonicalLocales(['de', new Intl.Locale('EN-gb')]),
  'a formatter': () => new Intl.DateTimeFormat(new Intl.Locale('en-GB', { hourCycle: 'h12' }), { hour: 'numeric' }).resolvedOptions().locale,
  'without new': () => Intl.Locale('en'),
  nothing: () => new Intl.Locale(),
  'a number': () => new Intl.Locale(5),
  empty: () => new Intl.Locale(''),
  'bad tag': () => new Intl.Locale('en_US'),
  'bad language': () => new Intl.Locale('en', { language: 'x' }),
  'bad script': () => new Intl.Locale('en', { script: 'Latin' }),
  'bad region': () => new Intl.Locale('en', { region: 'USA' }),
  'bad cycle': () => new Intl.Locale('en', { hourCycle: 'x' }),
  'bad calendar': () => new Intl.Locale('en', { calendar: 'x' }),
  'bad case': () => new Intl.Locale('en', { caseFirst: 'x' }),
  'options null': () => new Intl.Locale('en', null),
  'receiver of language': () => Object.getOwnPropertyDescriptor(Intl.Locale.prototype, 'language').get.call({}),
  'receiver of maximize': () => Intl.Locale.prototype.maximize.call([]),
  'receiver of toString': () => Intl.Locale.prototype.toString.call(1),
  inspected: () => [new Intl.Locale('en'), Intl.Locale.length, Object.prototype.toString.call(new Intl.Locale('en'))],
  derived: () => new (class Mine extends Intl.Locale {})('en').maximize().constructor.name,
};
const canonical = ['iw', 'art-lojban', 'no-nynorsk', 'zh-min-nan', 'i-klingon', 'en-uk', 'sh', 'en-u-ca-gregorian', 'EN-LATN', 'mo', 'cmn', 'und-latn', 'de-dd'];
for (const tag of canonical) tries[`canonical ${tag}`] = () => Intl.getCanonicalLocales(tag);
for (const [name, attempt] of Object.entries(tries)) {
  try {
    console.log(name, attempt());
  } catch (error) {
    console.log(name, error.name);
  }
}
console.log(Intl.supportedValuesOf('unit').join(' '));
for (const [key, known] of [['timeZone', ['Europe/Paris', 'America/New_York', 'Asia/Tokyo']], ['currency', ['EUR', 'JPY', 'USD']]]) {
  const values = Intl.supportedValuesOf(key);
  console.log(key, known.every((value) => values.includes(value)), values.length > 150);
}
try {
  Intl.supportedValuesOf('x');
} catch (error) {
  console.log(error.name);
}
// Each option is read once; what is no text of Unicode is no tag.
let reads = 0;
console.log(`${new Intl.Locale('en', { get numeric() { reads++; return 1; } })}`, reads);
for (const name of ['language', 'script', 'region', 'calendar']) {
  try {
    console.log(new Intl.Locale('en', { [name]: '\ud800' }));
  } catch (error) {
    console.log(name, error.name);
  }
}
// Who writes to a frozen Intl is not heard, as with what is of the language.
Object.freeze(Intl);
console.log(Function('Intl.Segmenter = 1; return typeof Intl.Segmenter')());

// Languages of five to eight letters are well formed, though none has such a name: packages ask for `generic`.
for (const tag of ['generic', 'GENERIC-us', 'abcde-latn-de-u-nu-latn', 'abcdefgh', 'abcd', 'abcdefghi', 'en-generic', 'abcd1']) {
  try {
    const locale = new Intl.Locale(tag);
    const { locale: chosen } = Intl.Collator(tag, { sensitivity: 'base' }).resolvedOptions();
    console.log(tag, `${locale}`, locale.language, locale.region, locale.baseName, `${locale.maximize()}`, `${locale.minimize()}`, chosen,
      Intl.getCanonicalLocales(tag), Intl.NumberFormat.supportedLocalesOf(tag));
  } catch (error) {
    console.log(tag, error.name);
  }
}
for (const language of ['generic', 'de', 'en-US', 'abcd']) {
  try { console.log(`${new Intl.Locale('abcdef-US', { language })}`); } catch (error) { console.log(error.name); }
}
