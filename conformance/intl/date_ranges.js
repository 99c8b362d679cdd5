// Intl.DateTimeFormat: two dates as one text.
'use strict';
// Engines differ in the width of the spaces of `formatToParts` and of ranges.
const show = (text) => JSON.stringify(text).replace(/[\u2009\u202f]/g, ' ').replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const from = Date.UTC(2026, 10, 16, 5, 47, 54, 321);
const ends = {
  same: from, millisecond: from + 5, second: from + 3000, minute: from + 600_000, hour: from + 3_600_000, noon: from + 8 * 3_600_000,
  day: from + 86_400_000, month: from + 20 * 86_400_000, year: from + 60 * 86_400_000, earlier: from - 86_400_000, era: -8e13,
};
const bags = [
  {}, { dateStyle: 'full' }, { dateStyle: 'long', timeStyle: 'short' }, { dateStyle: 'medium' }, { dateStyle: 'short', timeStyle: 'medium' },
  { timeStyle: 'short' }, { timeStyle: 'medium', hour12: false }, { year: 'numeric', month: 'short', day: 'numeric' },
  { month: 'long', day: 'numeric' }, { year: 'numeric', month: 'long' }, { weekday: 'short', hour: 'numeric' },
  { hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', hourCycle: 'h23' }, { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  { year: '2-digit', month: '2-digit', day: '2-digit', hour: '2-digit' }, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  { dayPeriod: 'long', hour: 'numeric' }, { era: 'short', year: 'numeric' }, { minute: '2-digit', second: '2-digit' },
  { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }, { day: 'numeric' }, { year: 'numeric' },
];
for (const bag of bags) {
  console.log(JSON.stringify(bag));
  for (const locale of ['en-US', 'en-GB']) {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...bag });
    for (const [name, end] of Object.entries(ends)) console.log(' ', locale, name, show(format.formatRange(from, end)));
    const parts = format.formatRangeToParts(from, ends.day);
    console.log(' ', show(parts.map(({ type, value, source }) => `${source[0]} ${type} ${value}`).join(', ')));
  }
}
console.log(new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).formatRangeToParts(from, from));
