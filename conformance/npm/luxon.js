// luxon: dates in zones and across the changes of their clocks, texts for readers and from them, intervals, durations.
'use strict';
process.env.TZ = 'Europe/Berlin';
const { DateTime, Duration, IANAZone, Info, Interval, Settings } = require('luxon');

// Engines differ in the width of the spaces of `formatToParts` and of ranges.
const plain = (word) => (typeof word === 'string' ? word.replace(/[\u2009\u202f]/g, ' ') : word);
const log = (...words) => console.log(...words.map(plain));
const date = DateTime.fromISO('2026-03-29T01:30:00');
log(date.toISO(), date.plus({ hours: 1 }).toISO(), date.plus({ days: 1 }).toISO(), date.isInDST, date.plus({ days: 1 }).isInDST, date.zoneName);
log(date.offsetNameLong, date.offsetNameShort, date.plus({ days: 1 }).offsetNameLong, date.setZone('America/Los_Angeles').offsetNameShort);
for (const zone of ['America/New_York', 'Asia/Kathmandu', 'UTC+3', 'utc', 'Pacific/Apia', 'local', 'Nope/Zone']) {
  const moved = date.setZone(zone);
  log(zone, moved.toISO(), moved.isValid, moved.invalidReason, moved.toLocaleString(DateTime.DATETIME_FULL));
}
const presets = Object.keys(DateTime).filter((name) => name === name.toUpperCase() && typeof DateTime[name] === 'object');
for (const name of presets) log(name, date.toLocaleString(DateTime[name]), '|', date.setLocale('en-GB').toLocaleString(DateTime[name]));
for (const text of ['yyyy LLL dd HH:mm:ss ZZZZ z EEEE MMMM', "d 'of' LLLL, y h:mm a ZZZZZ", 'D DD DDD DDDD t tt ttt tttt', 'F FF FFF FFFF', 'kkkk-WW o q GG GGGG']) log(date.toFormat(text));
const texts = [['Mar 5, 2024 5:07 PM', 'LLL d, yyyy h:mm a'], ['5/6/2024 10:00 America/Chicago', 'M/d/yyyy HH:mm z'], ['Monday 12 May 2025', 'EEEE d LLLL yyyy'], ['x', 'yyyy'], ['25:00', 'HH:mm']];
for (const [text, format] of texts) {
  const read = DateTime.fromFormat(text, format, { zone: 'America/Los_Angeles' });
  log(text, read.toISO(), read.invalidExplanation);
}
log(Info.months(), Info.weekdays('short'), Info.meridiems(), Info.eras('long'), Info.isValidIANAZone('Nope/X'));
log(Info.features(), Info.getStartOfWeek(), Info.getMinimumDaysInFirstWeek({ locale: 'en-GB' }), Info.getWeekendWeekdays({ locale: 'ar-EG' }), date.startOf('week', { useLocaleWeeks: true }).toISO(), date.localWeekNumber > 12);
log(Interval.fromDateTimes(date, date.plus({ days: 3 })).toLocaleString(DateTime.DATE_MED), Interval.fromDateTimes(date, date.plus({ hours: 30 })).toISO(), Interval.after(date, { days: 2 }).splitBy({ hours: 20 }).length);
log(Duration.fromObject({ hours: 3, minutes: 15 }).toHuman(), Duration.fromMillis(1e8).shiftTo('days', 'hours').toHuman({ unitDisplay: 'short' }), Duration.fromISO('P1Y2M10DT2H30M').toHuman(), Duration.fromObject({ hours: 30 }).toFormat('d:hh'));
for (const other of [{ days: 1 }, { months: -2 }, { hours: 5 }, { years: 3 }, { seconds: -10 }]) log(date.plus(other).toRelative({ base: date }), date.plus(other).toRelativeCalendar({ base: date }));
log(date.toLocaleParts({ dateStyle: 'full' }), date.resolvedLocaleOptions(), date.diff(date.minus({ days: 40 }), ['months', 'days']).toObject(), date.startOf('week').toISO(), date.weekNumber, date.ordinal);
log(IANAZone.create('Asia/Tokyo').offset(0), IANAZone.create('America/Sao_Paulo').formatOffset(date.toMillis(), 'narrow'), date.set({ hour: 2 }).toISO(), date.endOf('day').toISO());
Settings.defaultZone = 'America/Chicago';
log(DateTime.local(2026, 11, 1, 1, 30).toISO(), DateTime.local(2026, 3, 8, 2, 30).toISO(), DateTime.fromMillis(0).toString(), date);
