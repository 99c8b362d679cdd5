// Dates in a zone: local times around the changes of its clock, what is no number, and the zone's name in their texts.
'use strict';
const days = [[2026, 2, 8], [2026, 2, 29], [2026, 9, 25], [2026, 10, 1], [2025, 3, 6], [2025, 9, 5], [1999, 5, 1]];
for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'Asia/Tokyo', 'Asia/Kolkata', 'America/Sao_Paulo', 'UTC']) {
  process.env.TZ = zone;
  console.log(zone);
  for (const [year, month, day] of days) {
    const hours = [0, 1, 2, 3, 4, 5, 23].map((hour) => new Date(year, month, day, hour, 30));
    console.log(' ', hours.map((date) => date.toISOString().slice(0, 16)).join(' '));
    console.log(' ', hours.map((date) => `${date.getHours()}${date.getTimezoneOffset()}`).join(' '), `${hours[3]}`);
    const moved = new Date(year, month, day - 1, 2, 30);
    moved.setDate(day);
    console.log(' ', moved.toTimeString(), new Date(moved.setHours(1, 15)).toISOString(), new Date(`${year}-0${month % 9 + 1}-05T02:30`).getTime());
  }
}
const none = {
  'a month': (date) => date.setMonth(NaN), hours: (date) => date.setHours(1, NaN), 'a text': (date) => date.setUTCDate('x'),
  nothing: (date) => date.setMinutes(), undefined: (date) => date.setSeconds(undefined), infinity: (date) => date.setFullYear(2020, Infinity),
  'too much': (date) => date.setUTCHours(1e300), 'one too many': (date) => date.setMilliseconds(5, NaN), 'a number': (date) => date.setFullYear(2020, 1, 2),
  'a text of a number': (date) => date.setUTCHours('7'),
};
for (const [name, set] of Object.entries(none)) {
  const date = new Date(0);
  console.log(name, set(date), date.getTime(), String(date));
}
console.log(new Date(NaN).setFullYear(2020, 1, 2), new Date(NaN).setHours(2), new Date(NaN).toString(), new Date(NaN).toTimeString());
console.log(/^\w{3} \w{3} \d\d \d{4} [\d:]{8} GMT\+0000 \(Coordinated Universal Time\)$/.test(Date()), typeof Date(2020));
console.log(`${new Date(0)}`, new Date(0) + 1, Object.getOwnPropertyDescriptor(Date.prototype, 'toString').value.length);
// What throws leaves the time as it was.
const asked = {
  'an object of no number': (date) => date.setHours({ valueOf() { return NaN; } }), 'a text from an object': (date) => date.setHours(1, { valueOf() { return 'x'; } }),
  'a BigInt': (date) => date.setHours(1n), 'a throw': (date) => date.setHours({ valueOf() { throw new Error('no'); } }),
  'a year': (date) => date.setYear(99),
};
for (const [name, set] of Object.entries(asked)) {
  for (const start of [0, NaN]) {
    const date = new Date(start);
    let result;
    try {
      result = set(date);
    } catch (error) {
      result = error.name;
    }
    console.log(name, start, result, date.getTime());
  }
}
// `Date()` asks neither the program's `toString` nor its zone's name.
const { toString } = Date.prototype;
Date.prototype.toString = () => 'mine';
console.log(Date() === 'mine', /\(Coordinated Universal Time\)$/.test(Date()), String(new Date(0)));
Date.prototype.toString = toString;
const elsewhere = require('node:vm').runInNewContext("Date.prototype.toString = () => 'theirs'; [Date(), String(new Date(0))]");
console.log(/\(Coordinated Universal Time\)$/.test(elsewhere[0]), elsewhere[1]);
