'use strict';
// `Intl.Locale`. `calendars`, `collations`, `hourCycles` and `numberingSystems` are missing: they need data of
// languages other than English.

const {
  booleanOption, equip, formsOf, incompatible, keywordsOf, localeObjects, objectOf, stringOption,
} = require('internal/intl/locale');

const SERVICE = 'Intl.Locale';
const EMPTY = "First argument to Intl.Locale constructor can't be empty or missing";

// Property names and valid values of keywords.
const KEYWORDS = [
  ['calendar', 'ca'], ['collation', 'co'], ['hourCycle', 'hc', ['h11', 'h12', 'h23', 'h24']], ['caseFirst', 'kf', ['upper', 'lower', 'false']],
  ['numeric', 'kn'], ['numberingSystem', 'nu'],
];

// Week data by region: first day, weekend, minimal days in the first week.
const WEEKS = [
  [1, [6, 7], 4, 'AD AT AX BE BG CH CZ DE DK EE ES FI FJ FO FR GB GF GG GI GP GR HU IE IM IT JE LI LT LU MC MQ NL NO PL RE RU SE SJ SK SM VA'],
  [7, [6, 7], 1, 'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PY SG SV ' +
    'TH TT TW UM US VE VI WS ZA ZW'],
  [6, [5, 6], 1, 'BH DZ EG IQ JO KW LY OM QA SD SY'],
  [7, [5, 6], 1, 'IL SA YE'],
  [7, [6, 7], 4, 'IS PT'],
  [6, [4, 5], 1, 'AF'], [6, [6, 7], 1, 'DJ'], [7, [7], 1, 'IN'], [6, [5], 1, 'IR'], [5, [6, 7], 1, 'MV'], [1, [7], 1, 'UG'],
];

function composed(tag, options) {
  const parts = ['language', 'script', 'region'].map((name) => stringOption(options, name, undefined, undefined, 'ApplyOptionsToTag'));
  // A lone surrogate cannot be part of a tag.
  if (parts.some((part) => part?.isWellFormed() === false)) throw new RangeError('Incorrect locale information provided');
  const keywords = [];
  for (const [name, key, choices] of KEYWORDS) {
    const value = name === 'numeric' ? booleanOption(options, name)?.toString() : stringOption(options, name, choices, undefined, 'locale');
    if (value === undefined) continue;
    if (!/^[a-z\d]{3,8}(?:-[a-z\d]{3,8})*$/i.test(value)) throw new RangeError('Incorrect locale information provided');
    keywords.push(key, value);
  }
  if (parts.every((part) => part === undefined) && keywords.length === 0) return formsOf(tag)[0];
  const made = native.composeTag(formsOf(tag)[0], parts, keywords);
  if (made === undefined) throw new RangeError('Incorrect locale information provided');
  return made;
}

function Locale(tag, options = undefined) {
  if (new.target === undefined) throw new TypeError("Constructor Intl.Locale requires 'new'");
  if (typeof tag !== 'string' && (typeof tag !== 'object' && typeof tag !== 'function' || tag === null)) throw new TypeError(EMPTY);
  const text = localeObjects.get(tag) ?? `${tag}`;
  const chosen = objectOf(options, SERVICE);
  if (text === '') throw new RangeError(EMPTY);
  keep(this, composed(text, chosen));
}

function keep(locale, tag) {
  localeObjects.set(locale, tag);
  return locale;
}

function tagOf(locale, method) {
  const tag = localeObjects.get(locale);
  if (tag === undefined) throw incompatible(`${SERVICE}.prototype.${method}`, locale);
  return tag;
}

const keywordOf = (tag, key) => keywordsOf(tag).find((keyword) => keyword[0] === key)?.[1];
const partOf = (tag, index) => native.tagParts(tag)[index] || undefined;
const likely = (tag, isLong) => keep(Object.create(Locale.prototype), native.likelyTag(tag, isLong));

equip(Locale, class {
  toString() { return tagOf(this, 'toString'); }
  maximize() { return likely(tagOf(this, 'maximize'), true); }
  minimize() { return likely(tagOf(this, 'minimize'), false); }
  get language() { return partOf(tagOf(this, 'language'), 0); }
  get script() { return partOf(tagOf(this, 'script'), 1); }
  get region() { return partOf(tagOf(this, 'region'), 2); }
  get baseName() { return formsOf(tagOf(this, 'baseName'))[1]; }
  get calendar() { return keywordOf(tagOf(this, 'calendar'), 'ca'); }
  get caseFirst() { return keywordOf(tagOf(this, 'caseFirst'), 'kf'); }
  get collation() { return keywordOf(tagOf(this, 'collation'), 'co'); }
  get hourCycle() { return keywordOf(tagOf(this, 'hourCycle'), 'hc'); }
  get numeric() { return ['', 'true'].includes(keywordOf(tagOf(this, 'numeric'), 'kn')); }
  get numberingSystem() { return keywordOf(tagOf(this, 'numberingSystem'), 'nu'); }
  get textInfo() { return { direction: native.isRightToLeft(tagOf(this, 'textInfo')) ? 'rtl' : 'ltr' }; }

  get timeZones() {
    const region = partOf(tagOf(this, 'timeZones'), 2);
    return region === undefined ? undefined : native.timeZonesOf(region);
  }

  get weekInfo() {
    const region = partOf(native.likelyTag(tagOf(this, 'weekInfo'), true), 2);
    const found = WEEKS.find((week) => week[3].split(' ').includes(region));
    const [firstDay, weekend, minimalDays] = found ?? [1, [6, 7], 1];
    return { firstDay, weekend: [...weekend], minimalDays };
  }
}, SERVICE);
Object.defineProperty(Locale, 'length', { __proto__: null, value: 1 });

module.exports = Locale;
