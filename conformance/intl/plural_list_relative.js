// Intl.PluralRules, Intl.ListFormat and Intl.RelativeTimeFormat.
'use strict';
const { ListFormat, PluralRules, RelativeTimeFormat } = Intl;
const numbers = [0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111, 1.5, -1, -2, 1e21, Infinity, NaN, '1', true];
for (const bag of [
  {}, { type: 'ordinal' }, { minimumFractionDigits: 1 }, { maximumFractionDigits: 0 }, { maximumSignificantDigits: 1 }, { minimumIntegerDigits: 2 },
  { minimumFractionDigits: 1, trailingZeroDisplay: 'stripIfInteger' }
]) {
  const rules = new PluralRules('en', bag);
  const { notation, pluralCategories, ...resolved } = rules.resolvedOptions();
  console.log(JSON.stringify(bag), numbers.map((number) => rules.select(number)).join(), JSON.stringify(resolved), pluralCategories.sort());
  console.log(rules.selectRange(0, 1), rules.selectRange(1, 2), rules.selectRange(1, 1));
}
for (const type of ['conjunction', 'disjunction', 'unit']) {
  for (const style of ['long', 'short', 'narrow']) {
    const format = new ListFormat('en', { type, style });
    console.log(JSON.stringify(format.resolvedOptions()), [0, 1, 2, 3, 4].map((length) => format.format(['A', 'B', 'C', 'D'].slice(0, length))).join(' | '));
    console.log(JSON.stringify(format.formatToParts(new Set(['x', 'y', 'z']))));
  }
}
const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'years'];
for (const style of ['long', 'short', 'narrow']) {
  for (const numeric of ['always', 'auto']) {
    const format = new RelativeTimeFormat('en', { style, numeric });
    console.log(JSON.stringify(format.resolvedOptions()));
    for (const unit of units) {
      console.log([-2, -1.25, -1, -0, 0, 0.5, 1, 1.0001, 1.004, 1.006, 2, 12345.678].map((value) => format.format(value, unit)).join(' | '));
    }
  }
}
const relative = new RelativeTimeFormat('en');
const list = new ListFormat('en');
const tries = {
  'relative parts': () => JSON.stringify([relative.formatToParts(-1234.5, 'hours'), relative.formatToParts(1, 'day')]),
  'auto parts': () => JSON.stringify(new RelativeTimeFormat('en', { numeric: 'auto' }).formatToParts(1, 'day')),
  'bad time unit': () => relative.format(1, 'x'),
  'no time unit': () => relative.format(1),
  'infinite time': () => relative.format(Infinity, 'day'),
  'BigInt of time': () => relative.format(1n, 'day'),
  'bad numeric': () => new RelativeTimeFormat('en', { numeric: 'x' }),
  'null for relative': () => new RelativeTimeFormat('en', null),
  'list of text': () => list.format('abc'),
  'empty elements': () => JSON.stringify(list.formatToParts(['a', ''])),
  'list of nothing': () => JSON.stringify([list.format(), list.format([])]),
  'list of numbers': () => list.format([1]),
  'list of null': () => list.format(['a', null]),
  'no list': () => list.format(5),
  'object for list': () => list.format({}),
  'null for list': () => list.format(null),
  'bad list type': () => new ListFormat('en', { type: 'x' }),
  'options are a number': () => new ListFormat('en', 5),
  'bad plural type': () => new PluralRules('en', { type: 'x' }),
  'plural range without end': () => new PluralRules('en').selectRange(1),
  'plural range from no number': () => new PluralRules('en').selectRange('x', 1),
};
for (const Class of [PluralRules, ListFormat, RelativeTimeFormat]) {
  const { name } = Class;
  tries[`${name} without new`] = () => Class();
  tries[`${name} with a bad tag`] = () => new Class('x_');
  tries[`${name} supports`] = () => Class.supportedLocalesOf(['en', 'xx']);
  tries[`${name} keys`] = () => [Reflect.ownKeys(Class.prototype).map(String).sort(), Class.length, Object.prototype.toString.call(new Class())];
  tries[`${name} receiver`] = () => Class.prototype.resolvedOptions.call({});
  tries[`${name} asks`] = () => {
    const asked = [];
    new Class('en', new Proxy({}, { get(_, name) { if (!/otation|compactDisplay/.test(name)) asked.push(name); } }));
    return asked.join();
  };
}
for (const [name, attempt] of Object.entries(tries)) {
  try { console.log(name, attempt()); } catch (error) { console.log(name, error.name); }
}
