// Intl.NumberFormat with many options at once, by chance, but each time the same.
'use strict';
let seed = 7;
function chance() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
const pick = (list) => list[Math.floor(chance() * list.length)];
const OPTIONS = {
  style: ['decimal', 'percent', 'currency', 'unit'],
  currencyDisplay: ['code', 'symbol', 'narrowSymbol', 'name'],
  currencySign: ['standard', 'accounting'],
  unitDisplay: ['short', 'narrow', 'long'],
  notation: ['standard', 'scientific', 'engineering', 'compact'],
  compactDisplay: ['short', 'long'],
  minimumIntegerDigits: [1, 2, 5],
  minimumFractionDigits: [0, 1, 2, 5],
  maximumFractionDigits: [0, 1, 2, 5, 20],
  minimumSignificantDigits: [1, 2, 5],
  maximumSignificantDigits: [1, 2, 5, 21],
  roundingMode: ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'],
  roundingPriority: ['auto', 'morePrecision', 'lessPrecision'],
  trailingZeroDisplay: ['auto', 'stripIfInteger'],
  useGrouping: ['min2', 'auto', 'always', true, false, 'true'],
  signDisplay: ['auto', 'never', 'always', 'exceptZero', 'negative'],
};
const CURRENCIES = ['USD', 'EUR', 'JPY', 'CAD', 'CHF', 'KWD', 'XOF', 'QQQ', 'CRC', 'SEK'];
const UNITS = ['kilometer', 'mile-per-hour', 'percent', 'day', 'celsius', 'foot', 'megabyte-per-second', 'year', 'meter-per-second'];
const NUMBERS = [0, -0, 1, -1, 0.5, 2.5, 999.5, 999999, 0.05, 1e21, 1e-7, 12n, -987654321987654321n, '123456789012345678901.5', NaN, -Infinity];

function bagOf() {
  const bag = {};
  for (const [name, values] of Object.entries(OPTIONS)) if (chance() < 0.2) bag[name] = pick(values);
  if (bag.style === 'currency') {
    bag.currency = pick(CURRENCIES);
    // Editions of ECMA-402 differ in the digits of a currency in another notation.
    delete bag.notation;
  }
  if (bag.style === 'unit') bag.unit = pick(UNITS);
  return bag;
}
function numberOf() {
  if (chance() < 0.2) return pick(NUMBERS);
  const number = (chance() - 0.3) * pick([1e-6, 1e-3, 0.1, 1, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e13, 1e16]);
  return chance() < 0.4 ? Math.round(number) : number;
}
for (let round = 0; round < 600; round++) {
  const bag = bagOf();
  const [start, end] = [numberOf(), numberOf()];
  const told = `${JSON.stringify(bag)} ${String(start)} ${String(end)}`;
  try {
    const format = new Intl.NumberFormat('en', bag);
    console.log(told, format.format(start), '|', format.formatToParts(end).map(({ type, value }) => `${type}:${value}`).join('|'));
    console.log(format.formatRange(start, end), format.formatRangeToParts(start, end).map(({ value }) => value).join('|'));
  } catch (error) {
    console.log(told, error.name);
  }
}
