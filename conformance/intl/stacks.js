// Stacks of errors that the language's functions for locales throw: these have no place, and what is inside of them is not shown.
'use strict';
const tries = [
  () => new Intl.DateTimeFormat('x_'),
  () => new Intl.DateTimeFormat('en', { timeZone: 'x' }),
  () => new Intl.DateTimeFormat().formatToParts(NaN),
  () => new Intl.DateTimeFormat().format(NaN),
  () => Intl.DateTimeFormat.supportedLocalesOf('x_'),
  () => Intl.getCanonicalLocales('x_'),
  () => Intl.supportedValuesOf('x'),
  () => Intl.DateTimeFormat.prototype.format,
  () => new Intl.NumberFormat('en', { style: 'x' }),
  () => new Intl.Locale(''),
  () => new Date(0).toLocaleString('x_'),
  () => new Date(0).toLocaleDateString('en', { year: 'x' }),
  () => (1).toLocaleString('x_'),
  () => 1n.toLocaleString('x_'),
  () => 'a'.localeCompare('b', 'x_'),
  () => new Intl.NumberFormat('en', { get style() { throw new Error('mine'); } }),
];
for (const attempt of tries) {
  try {
    attempt();
  } catch (error) {
    console.log(error.stack.split('\n').slice(0, 2).join('\n').replaceAll(__filename, 'here'));
  }
}
