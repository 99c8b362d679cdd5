'use strict';
// `Intl.Collator` and `String.prototype.localeCompare`.

const {
  booleanOption, equip, Kept, localesOf, matcherOption, negotiate, objectOf, stringOption, supportedLocalesOf, typeOption,
  withKeywords,
} = require('internal/intl/locale');

const SERVICE = 'Intl.Collator';
const METHOD = 'String.prototype.localeCompare';
const ORDERS = ['upper', 'lower', 'false'];
const COLLATIONS = ['emoji', 'eor'];

// All English regions share one collation; V8 lists no others.
const AVAILABLE = ['en', 'en-US'];

const settings = new Kept(SERVICE);

// The resolved options of a collator; `service` is the name used in errors.
function resolve(locales, options, service) {
  const requested = localesOf(locales);
  const chosen = objectOf(options, service);
  const usage = stringOption(chosen, 'usage', ['sort', 'search'], 'sort', service);
  matcherOption(chosen, service);
  const collation = typeOption(chosen, 'collation', service);
  const numeric = booleanOption(chosen, 'numeric', undefined);
  const caseFirst = stringOption(chosen, 'caseFirst', ORDERS, undefined, service);
  const sensitivity = stringOption(chosen, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant', service);
  const ignorePunctuation = booleanOption(chosen, 'ignorePunctuation', false);
  const { locale, keywords } = negotiate(requested, { co: COLLATIONS, kf: ORDERS, kn: ['true', 'false'] }, AVAILABLE);
  if (collation !== undefined) keywords.co = COLLATIONS.includes(collation) ? collation : undefined;
  if (usage === 'search' || keywords.co === undefined) delete keywords.co;
  return {
    locale: withKeywords(locale, keywords),
    usage,
    sensitivity,
    ignorePunctuation,
    collation: keywords.co ?? 'default',
    numeric: numeric ?? keywords.kn === 'true',
    caseFirst: caseFirst ?? keywords.kf ?? 'false',
  };
}

function functionOf({ usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst }) {
  return native.collator(sensitivity, ignorePunctuation, numeric, caseFirst, usage === 'search' ? 'search' : collation);
}

function Collator(locales = undefined, options = undefined) {
  const collator = new.target === undefined ? Object.create(Collator.prototype) : this;
  settings.set(collator, { resolved: resolve(locales, options, SERVICE), compare: undefined });
  return collator;
}

equip(Collator, class {
  resolvedOptions() { return { ...settings.of(this, 'resolvedOptions').resolved }; }

  get compare() {
    const found = settings.of(this, 'compare', 'get ');
    return found.compare ??= functionOf(found.resolved);
  }

  static supportedLocalesOf(locales, options = undefined) { return supportedLocalesOf(SERVICE, locales, options, AVAILABLE); }
}, SERVICE);

// Cache for the last locale: programs usually compare many strings in a row.
let last;

function isUsual({ usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst }) {
  return usage === 'sort' && sensitivity === 'variant' && !ignorePunctuation && collation === 'default' && !numeric && caseFirst === 'false';
}

// Implements `String.prototype.localeCompare`.
function localeCompare(self, that, locales, options) {
  if (self === undefined || self === null) throw new TypeError(`${METHOD} called on null or undefined`);
  const left = `${self}`;
  const right = `${that}`;
  if (locales === undefined && options === undefined) return native.compare(left, right);
  const isPlain = typeof locales === 'string' && options === undefined;
  if (isPlain && last?.locales === locales) return last.compare(left, right);
  const resolved = resolve(locales, options, METHOD);
  const compare = functionOf(resolved);
  if (isPlain) last = { locales, compare };
  if (isPlain && isUsual(resolved)) native.knowAsUsual(locales);
  return compare(left, right);
}

module.exports = { Collator, localeCompare };
