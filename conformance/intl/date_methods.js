// Date's toLocaleString, toLocaleDateString and toLocaleTimeString: which components they add by themselves.
'use strict';
process.env.TZ = 'America/New_York';
const date = new Date(Date.UTC(2026, 10, 16, 5, 47, 54));
console.log(date.toLocaleString(), '|', date.toLocaleDateString(), '|', date.toLocaleTimeString());
const bags = [
  {}, { timeZone: 'Asia/Tokyo' }, { hour: '2-digit' }, { day: 'numeric' }, { weekday: 'long' }, { hour12: true, timeZoneName: 'short' },
  { era: 'short' }, { hour12: false }, { year: 'numeric', minute: '2-digit' }, { dayPeriod: 'short' }, { fractionalSecondDigits: 3 },
  { month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' }, { hourCycle: 'h23', timeZoneName: 'longOffset' },
];
for (const bag of bags) {
  for (const locale of ['en-US', 'en-CA', 'en-GB']) {
    const texts = [date.toLocaleString(locale, bag), date.toLocaleDateString(locale, bag), date.toLocaleTimeString(locale, bag)];
    console.log(JSON.stringify(bag), locale, JSON.stringify(texts));
  }
}
console.log(date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'long' }), date.toLocaleDateString([], { dateStyle: 'medium' }));
console.log([new Date(0), date].toLocaleString());
for (const zone of ['Europe/Paris', 'Asia/Kathmandu', 'America/New_York']) {
  process.env.TZ = zone;
  console.log(zone, date.toLocaleString(), date.toLocaleTimeString('en-GB'), date.toLocaleDateString('en-GB'));
}
