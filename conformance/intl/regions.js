// The English of countries: groups, compact notation, units, currencies, lists, relative times; and capitals by language.
'use strict';
const numbers = [1234, 12345, 123456, -1234567, 12345678, 1234567890, 12345678901, 1e12, 1e16, 0.5];
const units = ['meter', 'kilometer-per-hour', 'liter', 'mile-per-gallon', 'pound', 'percent', 'hour', 'celsius', 'fahrenheit', 'bit', 'month', 'meter-per-second'];
const currencies = ['USD', 'AUD', 'CAD', 'GBP', 'EUR', 'INR', 'NZD', 'JPY', 'RUB', 'XAF', 'BDT', 'SEK', 'ILS'];
for (const locale of ['en', 'en-US', 'en-AU', 'en-CA', 'en-GB', 'en-IE', 'en-IN', 'en-NZ', 'en-PH']) {
  const show = (options) => {
    const format = new Intl.NumberFormat(locale, options);
    return numbers.map((number) => format.format(number)).join(' ');
  };
  console.log(locale, new Intl.NumberFormat(locale).resolvedOptions().locale, show());
  console.log(show({ notation: 'compact' }), show({ notation: 'compact', compactDisplay: 'long' }), show({ notation: 'scientific' }));
  console.log(show({ style: 'currency', currency: 'USD', currencySign: 'accounting' }), show({ style: 'percent' }), show({ useGrouping: 'min2' }));
  console.log(show({ style: 'currency', currency: 'INR', notation: 'compact', compactDisplay: 'long' }));
  for (const unitDisplay of ['short', 'narrow', 'long']) {
    const format = (unit, number) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay }).format(number);
    console.log(units.map((unit) => `${format(unit, 1)} ${format(unit, 2)}`).join(', '));
  }
  for (const currencyDisplay of ['symbol', 'narrowSymbol', 'name']) {
    console.log(currencies.map((currency) => new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).format(-1234.5)).join(', '));
  }
  for (const style of ['long', 'short', 'narrow']) {
    const list = (type) => new Intl.ListFormat(locale, { type, style }).format(['A', 'B', 'C']);
    console.log(['conjunction', 'disjunction', 'unit'].map(list).join(' | '));
    const relative = new Intl.RelativeTimeFormat(locale, { style, numeric: 'auto' });
    for (const unit of ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']) {
      console.log([-2, -1, 0, 1, 1234.5].map((value) => relative.format(value, unit)).join(' | '));
    }
  }
  console.log((1234567.5).toLocaleString(locale), [1e6, 1e7].toLocaleString(locale), 'a'.localeCompare('B', locale));
}
for (const language of ['tr', 'az-Latn', 'lt', 'de', 'en-US']) {
  for (const text of ['Iıİi', 'ÌÍĨ', 'i̇ j̇', 'και άλλο Ϊ ΐ ή', 'ὕβρις Μάϊος', 'ß ŉ ﬁ']) {
    console.log(language, text.toLocaleUpperCase(language), text.toLocaleLowerCase(language), text.toLocaleUpperCase([language, 'en']));
  }
}
for (const attempt of [
  () => 'a'.toLocaleUpperCase('x_'), () => 'a'.toLocaleUpperCase(null), () => 'a'.toLocaleUpperCase(5), () => 'aI'.toLocaleLowerCase(),
  () => String.prototype.toLocaleLowerCase.call(null), () => [''.toLocaleUpperCase.length, ''.toLocaleUpperCase.name],
]) {
  try { console.log(attempt()); } catch (error) { console.log(error.name); }
}
