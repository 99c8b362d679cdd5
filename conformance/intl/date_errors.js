// Intl.DateTimeFormat and Date's methods: wrong arguments and receivers, the shape of the class, the order in which options are read.
'use strict';
const format = new Intl.DateTimeFormat('en', { timeZone: 'UTC' });
const { prototype } = Intl.DateTimeFormat;
const date = new Date(0);
const tries = {
  'bad locale': () => new Intl.DateTimeFormat('en_US'),
  'bad tag': () => new Intl.DateTimeFormat('en-x-'),
  'locale null': () => new Intl.DateTimeFormat(null),
  'locales with a number': () => new Intl.DateTimeFormat(['en', 5]),
  'options null': () => new Intl.DateTimeFormat('en', null),
  'options text': () => new Intl.DateTimeFormat('en', 'x').resolvedOptions().locale,
  matcher: () => new Intl.DateTimeFormat('en', { localeMatcher: 'x' }),
  calendar: () => new Intl.DateTimeFormat('en', { calendar: 'x' }),
  numbers: () => new Intl.DateTimeFormat('en', { numberingSystem: 'latn_' }),
  cycle: () => new Intl.DateTimeFormat('en', { hourCycle: 'h25' }),
  year: () => new Intl.DateTimeFormat('en', { year: 'long' }),
  'zone name': () => new Intl.DateTimeFormat('en', { timeZoneName: 'x' }),
  digits: () => new Intl.DateTimeFormat('en', { fractionalSecondDigits: 4 }),
  'no digits': () => new Intl.DateTimeFormat('en', { fractionalSecondDigits: 0 }),
  'format matcher': () => new Intl.DateTimeFormat('en', { formatMatcher: 'x' }),
  style: () => new Intl.DateTimeFormat('en', { dateStyle: 'x' }),
  'style and component': () => new Intl.DateTimeFormat('en', { dateStyle: 'full', day: 'numeric' }),
  'a symbol': () => new Intl.DateTimeFormat('en', { weekday: Symbol('x') }),
  'not a time': () => format.format(NaN),
  'too late': () => format.format(8.64e15 + 1),
  'the last': () => format.format(8.64e15),
  'the first': () => format.format(-8.64e15),
  text: () => format.format('2020'),
  'a date': () => format.format(new Date(Date.UTC(2020, 1, 1))),
  'parts of no time': () => format.formatToParts('x'),
  'range to nowhere': () => format.formatRange(1),
  'range to no time': () => format.formatRange(1, NaN),
  'a symbol for a time': () => format.format(Symbol('x')),
  'a big number': () => format.format(1n),
  'receiver of resolvedOptions': () => prototype.resolvedOptions.call({}),
  'receiver of resolvedOptions, a number': () => prototype.resolvedOptions.call(1),
  'receiver of format': () => prototype.format,
  'receiver of formatToParts': () => prototype.formatToParts.call({}),
  'receiver of formatRange': () => prototype.formatRange.call([]),
  'without new': () => Intl.DateTimeFormat('en').constructor === Intl.DateTimeFormat,
  legacy: () => { const object = Object.create(prototype); return [Intl.DateTimeFormat.call(object) === object, object.format(0)]; },
  derived: () => new (class Mine extends Intl.DateTimeFormat {})('en', { timeZone: 'UTC' }).format(0),
  bound: () => [format.format === format.format, [0, 1e12].map(format.format)],
  'supported null': () => Intl.DateTimeFormat.supportedLocalesOf('en', null),
  'supported matcher': () => Intl.DateTimeFormat.supportedLocalesOf('en', { localeMatcher: 'x' }),
  'date receiver': () => Date.prototype.toLocaleString.call({}),
  'date receiver, a number': () => Date.prototype.toLocaleTimeString.call(1),
  'date of no time': () => new Date(NaN).toLocaleString('x_', 5),
  'date with a bad locale': () => date.toLocaleDateString('x_'),
  'date with a bad option': () => date.toLocaleTimeString('en', { hour: 'x' }),
  'date with a time style': () => date.toLocaleDateString('en', { timeStyle: 'short' }),
  'time with a date style': () => date.toLocaleTimeString('en', { dateStyle: 'short' }),
  'date options null': () => date.toLocaleString('en', null),
};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    console.log(name, attempt());
  } catch (error) {
    console.log(name, error.name);
  }
}
const read = [];
new Intl.DateTimeFormat('en', new Proxy({}, { get: (target, key) => { read.push(key); } }));
console.log(read.join(' '));
console.log(Object.getOwnPropertyNames(prototype).sort(), Intl.DateTimeFormat.length, prototype[Symbol.toStringTag], format);
console.log(Object.getOwnPropertyDescriptor(prototype, 'format'), [format.format.name, format.format.length]);
for (const name of ['formatToParts', 'formatRange', 'formatRangeToParts', 'resolvedOptions']) console.log(name, prototype[name].length);
for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
  const { value, ...rest } = Object.getOwnPropertyDescriptor(Date.prototype, name);
  console.log(value.name, value.length, rest);
}
