// Intl.NumberFormat: styles, notations, digits, signs and groups, each by itself; what it says of itself and of wrong arguments.
'use strict';
const numbers = [0, -0, 1, -1, 0.5, 1.005, 999.995, -1234.5, 12345, 999999, 1234567.891, 1e21, 1.5e-7, NaN, Infinity, -Infinity];
const bags = [
  {}, { style: 'percent' }, { style: 'percent', minimumFractionDigits: 1, notation: 'compact' },
  ...['USD', 'EUR', 'GBP', 'JPY', 'CAD', 'CHF', 'KWD', 'INR', 'XAF', 'XYZ'].map((currency) => ({ style: 'currency', currency })),
  ...['code', 'symbol', 'narrowSymbol', 'name'].map((currencyDisplay) => ({ style: 'currency', currency: 'CAD', currencyDisplay })),
  { style: 'currency', currency: 'USD', currencySign: 'accounting' },
  { style: 'currency', currency: 'USD', currencySign: 'accounting', notation: 'compact', signDisplay: 'always' },
  ...['kilometer', 'day', 'celsius', 'percent', 'mile-per-hour', 'liter-per-kilometer', 'megabyte-per-second', 'fluid-ounce'].flatMap(
    (unit) => ['short', 'narrow', 'long'].map((unitDisplay) => ({ style: 'unit', unit, unitDisplay }))),
  ...['scientific', 'engineering', 'compact'].map((notation) => ({ notation })),
  { notation: 'compact', compactDisplay: 'long' }, { notation: 'compact', style: 'currency', currency: 'EUR', compactDisplay: 'long' },
  { notation: 'compact', maximumFractionDigits: 1 }, { notation: 'compact', style: 'unit', unit: 'gram', unitDisplay: 'long' },
  { minimumIntegerDigits: 5 }, { minimumFractionDigits: 2 }, { maximumFractionDigits: 0 }, { maximumSignificantDigits: 3 },
  { minimumSignificantDigits: 4 }, { maximumFractionDigits: 1, maximumSignificantDigits: 3, roundingPriority: 'morePrecision' },
  { maximumFractionDigits: 1, maximumSignificantDigits: 3, roundingPriority: 'lessPrecision' },
  { minimumFractionDigits: 2, trailingZeroDisplay: 'stripIfInteger' }, { roundingIncrement: 5, minimumFractionDigits: 2, maximumFractionDigits: 2 },
  ...['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'].map(
    (roundingMode) => ({ roundingMode, maximumFractionDigits: 0 })),
  ...['auto', 'always', 'never', 'exceptZero', 'negative'].map((signDisplay) => ({ signDisplay, maximumFractionDigits: 0 })),
  ...['auto', 'always', 'min2', true, false].map((useGrouping) => ({ useGrouping })),
];
for (const bag of bags) {
  const format = new Intl.NumberFormat('en-US', bag);
  console.log(JSON.stringify(bag), numbers.map((number) => format.format(number)).join(' | '));
  console.log(JSON.stringify(format.resolvedOptions()));
}

const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
for (const value of [
  123456789012345678901234567890n, '123456789012345678901234567890.123456789', '-0', ' 12 ', '', '0xff', '0b101', '-0x1', '1e3', '.5', '5.', '1_0',
  'x', 'Infinity', '-Infinity', null, undefined, true, [5], {}, new Number(7),
]) console.log(typeof value, String(value), exact.format(value));

const shown = (parts) => parts.map(({ type, value, source }) => `${type}:${value}${source ? `:${source}` : ''}`).join('|');
for (const [bag, number] of [
  [{}, -1234567.891], [{ style: 'percent' }, 0.5], [{ style: 'currency', currency: 'CHF' }, -1234.5], [{ notation: 'engineering' }, -0.00012],
  [{ style: 'currency', currency: 'USD', currencyDisplay: 'name' }, 1], [{ style: 'unit', unit: 'percent' }, 5], [{}, NaN], [{}, -Infinity],
  [{ style: 'unit', unit: 'mile-per-hour', notation: 'compact', compactDisplay: 'long' }, 12345],
]) console.log(JSON.stringify(bag), shown(new Intl.NumberFormat('en', bag).formatToParts(number)));

for (const bag of [
  {}, { style: 'percent' }, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'CAD' }, { style: 'currency', currency: 'CHF' },
  { style: 'unit', unit: 'kilometer', unitDisplay: 'long' }, { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' },
  { notation: 'scientific' }, { style: 'currency', currency: 'EUR', currencySign: 'accounting', notation: 'compact' }, { signDisplay: 'never' },
]) {
  const format = new Intl.NumberFormat('en', bag);
  for (const [start, end] of [[1, 2], [3, 3], [-1, 1], [-2, -1], [2.9999, 3.0001], [1000, 2500000], [5, 1], [-0, 0], [1, Infinity], ['1', 2n]]) {
    console.log(JSON.stringify(bag), format.formatRange(start, end), shown(format.formatRangeToParts(start, end)));
  }
}

const F = Intl.NumberFormat;
const format = new F('en');
const tries = {
  'without new': () => F('en').format(5) + (F('en') instanceof F),
  'bound format': () => [format.format === format.format, format.format.name, format.format.length],
  keys: () => [Reflect.ownKeys(F.prototype).map(String).sort(), F.length, F.name, Object.prototype.toString.call(format)],
  supported: () => F.supportedLocalesOf(['en', 'en-US-u-nu-latn', 'xx']),
  'no such locale': () => new F('xx').resolvedOptions().locale,
  extension: () => new F('en-u-nu-latn-kn').resolvedOptions().locale,
  'bad tag': () => new F('x_'),
  null: () => new F('en', null),
  'no currency': () => new F('en', { style: 'currency' }),
  'bad currency': () => new F('en', { currency: 'US' }),
  'no unit': () => new F('en', { style: 'unit' }),
  'bad unit': () => new F('en', { style: 'unit', unit: 'parsec' }),
  'bad digits': () => new F('en', { minimumFractionDigits: 200 }),
  'digits crossed': () => new F('en', { minimumFractionDigits: 5, maximumFractionDigits: 2 }),
  'bad increment': () => new F('en', { roundingIncrement: 3 }),
  'increment of significant digits': () => new F('en', { roundingIncrement: 5, maximumSignificantDigits: 2 }),
  'bad system': () => new F('en', { numberingSystem: 'x' }),
  symbol: () => format.format(Symbol()),
  'very small': () => format.format('1e-999'),
  'too large': () => format.format('-1e400'),
  'range without end': () => format.formatRange(1),
  'range to no number': () => format.formatRange(1, 'x'),
  receiver: () => F.prototype.formatToParts.call({}),
  'receiver of format': () => Object.getOwnPropertyDescriptor(F.prototype, 'format').get.call({}),
};
for (const name of ['style', 'notation', 'compactDisplay', 'currencyDisplay', 'currencySign', 'unitDisplay', 'signDisplay', 'useGrouping',
  'roundingMode', 'roundingPriority', 'trailingZeroDisplay', 'localeMatcher']) tries[name] = () => new F('en', { [name]: 'x' });
for (const [name, attempt] of Object.entries(tries)) {
  try { console.log(name, attempt()); } catch (error) { console.log(name, error.name); }
}
const asked = [];
new F('en', new Proxy({}, { get(_, name) { asked.push(name); } }));
console.log(asked.join());
// Powers of ten in text, and what is no number.
for (const text of ['1e+0001', '-1.5e-7', '0.000e999999999', 'xe-1000000000']) {
  for (const options of [{}, { notation: 'scientific' }, { style: 'percent' }, { maximumFractionDigits: 2 }]) {
    try { console.log(text, new F('en', options).format(text)); } catch (error) { console.log(text, error.name); }
  }
}
