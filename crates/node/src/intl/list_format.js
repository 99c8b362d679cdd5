'use strict';
// `Intl.ListFormat`.

const {
  equip, Kept, localesOf, matcherOption, negotiate, regionOf, strictObjectOf, stringOption, supportedLocalesOf,
} = require('internal/intl/locale');

const SERVICE = 'Intl.ListFormat';

// Separators: of two items, in the middle, and before the last of three or more.
const BETWEEN = {
  __proto__: null,
  conjunction: { long: [' and ', ', ', ', and '], short: [' & ', ', ', ', & '], narrow: [', ', ', ', ', '] },
  disjunction: { long: [' or ', ', ', ', or '], short: [' or ', ', ', ', or '], narrow: [' or ', ', ', ', or '] },
  unit: { long: [', ', ', ', ', '], short: [', ', ', ', ', '], narrow: [' ', ' ', ' '] },
};

// Only US English has a comma before the last item, and `&`.
const ELSEWHERE = {
  __proto__: null,
  conjunction: { long: [' and ', ', ', ' and '], short: [' and ', ', ', ' and '], narrow: [', ', ', ', ', '] },
  disjunction: { long: [' or ', ', ', ' or '], short: [' or ', ', ', ' or '], narrow: [' or ', ', ', ' or '] },
};

function betweenOf(locale, type, style) {
  const region = regionOf(locale);
  if (!['AU', 'CA', 'GB', 'IE', 'IN', 'NZ'].includes(region)) return BETWEEN[type][style];
  if (region === 'IN' && type === 'conjunction' && style === 'narrow') return [', ', ', ', ', and '];
  return (ELSEWHERE[type] ?? BETWEEN[type])[style];
}

const settings = new Kept(SERVICE);

function ListFormat(locales = undefined, options = undefined) {
  if (new.target === undefined) throw new TypeError(`Constructor ${SERVICE} requires 'new'`);
  const requested = localesOf(locales);
  const chosen = strictObjectOf(options);
  matcherOption(chosen, SERVICE);
  const type = stringOption(chosen, 'type', Object.keys(BETWEEN), 'conjunction', SERVICE);
  const style = stringOption(chosen, 'style', ['long', 'short', 'narrow'], 'long', SERVICE);
  settings.set(this, { locale: negotiate(requested, {}).locale, type, style });
}

equip(ListFormat, class {
  resolvedOptions() { return { ...settings.of(this, 'resolvedOptions') }; }

  format(list) { return partsOf(settings.of(this, 'format'), list).map(({ value }) => value).join(''); }

  formatToParts(list) {
    return partsOf(settings.of(this, 'formatToParts'), list).filter(({ value }) => value !== '');
  }

  static supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(SERVICE, locales, options); }
}, SERVICE);

function partsOf({ locale, type, style }, list) {
  const elements = elementsOf(list);
  const { 0: pair, 1: middle, 2: end } = betweenOf(locale, type, style);
  const last = elements.length - 1;
  const parts = [];
  for (const [index, value] of elements.entries()) {
    if (index > 0) parts.push({ type: 'literal', value: last === 1 ? pair : index === last ? end : middle });
    parts.push({ type: 'element', value });
  }
  return parts;
}

function elementsOf(list) {
  if (list === undefined) return [];
  const iterate = list === null ? undefined : list[Symbol.iterator];
  if (typeof iterate !== 'function') {
    const shown = typeof list === 'object' && list !== null ? 'object' : `${typeof list} ${String(list)}`;
    throw new TypeError(`${shown} is not iterable (cannot read property Symbol(Symbol.iterator))`);
  }
  const elements = [];
  for (const element of list) {
    if (typeof element !== 'string') throw new TypeError(`Iterable yielded ${shownOf(element)} which is not a string`);
    elements.push(element);
  }
  return elements;
}

function shownOf(value) {
  return typeof value === 'object' && value !== null ? `#<${value.constructor?.name ?? 'Object'}>` : String(value);
}

module.exports = ListFormat;
