// Intl.DateTimeFormat: components of dates and times, together and alone, and what is resolved of them.
'use strict';
const forms = {
  weekday: ['narrow', 'long', 'short'],
  era: ['short', 'long', 'narrow'],
  year: ['numeric', '2-digit'],
  month: ['numeric', 'long', '2-digit', 'short', 'narrow'],
  day: ['numeric', '2-digit'],
  dayPeriod: ['long', 'short', 'narrow'],
  hour: ['numeric', '2-digit'],
  minute: ['2-digit', 'numeric'],
  second: ['numeric', '2-digit'],
  fractionalSecondDigits: [1, 2, 3],
  timeZoneName: ['short', 'longOffset', 'long', 'shortOffset', 'longGeneric', 'shortGeneric'],
};
const names = Object.keys(forms);
const dates = [Date.UTC(2026, 10, 16, 5, 47, 54, 321), Date.UTC(1969, 6, 20, 12), Date.UTC(-43, 2, 15, 0, 0, 5, 7)];
// Engines differ in the width of the spaces of `formatToParts` and of ranges.
const show = (text) => JSON.stringify(text).replace(/[\u2009\u202f]/g, ' ').replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

// A component that is meaningless without another one: CLDR has no pattern for it alone, and engines make up different ones.
const needs = { era: 'year', dayPeriod: 'hour', minute: 'hour', second: 'minute', fractionalSecondDigits: 'second' };
const isUsual = (options) => Object.entries(needs).every(([name, other]) => options[name] === undefined || options[other] !== undefined);

// Each usual set of components once; the forms take turns.
let turn = 0;
for (let set = 1; set < 1 << names.length; set++) {
  const options = { timeZone: 'America/New_York' };
  names.forEach((name, index) => {
    if (set & (1 << index)) options[name] = forms[name][(turn + index) % forms[name].length];
  });
  if (!isUsual(options)) continue;
  if (turn % 3 === 1) options.hourCycle = ['h11', 'h12', 'h23', 'h24'][turn % 4];
  const format = new Intl.DateTimeFormat('en-US', options);
  console.log(show(format.format(dates[turn++ % dates.length])));
}
for (const style of ['full', 'long', 'medium', 'short']) {
  for (const other of ['full', 'long', 'medium', 'short', undefined]) {
    for (const more of [{}, { hour12: false }, { hourCycle: 'h11' }, { hourCycle: 'h24' }]) {
      const both = new Intl.DateTimeFormat('en', { dateStyle: style, timeStyle: other, timeZone: 'UTC', ...more });
      const one = new Intl.DateTimeFormat('en', { timeStyle: style, dateStyle: other, timeZone: 'Asia/Tokyo', ...more });
      console.log(show(both.format(dates[0])), show(one.format(dates[1])));
    }
  }
}
const resolved = [
  {}, { hour: 'numeric' }, { dateStyle: 'full' }, { timeStyle: 'short', hour12: false }, { weekday: 'long', month: 'long' },
  { fractionalSecondDigits: 2 }, { year: '2-digit', era: 'short' }, { hour: '2-digit', minute: '2-digit', hourCycle: 'h11' },
  { timeZoneName: 'shortGeneric' }, { dayPeriod: 'long' }, { day: '2-digit', year: 'numeric' }, { month: 'narrow', minute: 'numeric' },
];
for (const options of resolved) {
  const format = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', ...options });
  console.log(JSON.stringify(format.resolvedOptions()), show(format.formatToParts(dates[0])));
}
