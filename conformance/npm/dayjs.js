// dayjs: its plugins for zones, UTC, texts and durations.
'use strict';
process.env.TZ = 'America/New_York';
const dayjs = require('dayjs');
for (const name of ['utc', 'timezone', 'advancedFormat', 'localizedFormat', 'relativeTime', 'duration', 'customParseFormat', 'calendar', 'weekOfYear', 'isoWeek']) dayjs.extend(require(`dayjs/plugin/${name}`));

const log = (...words) => console.log(...words);
const date = dayjs.utc('2026-11-01T05:30:00Z');
log(dayjs.tz.guess(), date.format(), date.local().format(), dayjs('2026-03-08 02:30').format());
for (const zone of ['America/New_York', 'Asia/Tokyo', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Los_Angeles', 'UTC']) {
  const moved = date.tz(zone);
  log(zone, moved.format(), moved.format('YYYY-MM-DD HH:mm:ss z zzz'), moved.offsetName('long'), moved.add(5, 'month').format(), moved.startOf('month').format('LLLL'));
}
for (const [text, zone] of [['2026-03-08 02:30', 'America/New_York'], ['2026-11-01 01:30', 'America/New_York'], ['2026-07-01 12:00', 'Europe/Paris'], ['2026-10-25 02:30', 'Europe/Berlin']]) log(text, zone, dayjs.tz(text, zone).format(), dayjs.tz(text, zone).utc().format());
log(dayjs.tz('01/02/2024 5pm', 'MM/DD/YYYY ha', 'Asia/Kolkata').toISOString(), date.tz('Europe/Berlin', true).format(), date.isoWeek(), date.week());
log(date.to(date.add(3, 'day')), date.from(date.add(50, 'minute')), dayjs.duration(1e8).humanize(), dayjs.duration({ hours: 30, minutes: 5 }).format('D [days] HH:mm'), date.calendar(date.add(1, 'day')));
log(dayjs('5 March 2024', 'D MMMM YYYY').format('dddd Do Q k kk X'), dayjs('bad').format(), dayjs('31/02/2024', 'DD/MM/YYYY', true).isValid());
dayjs.tz.setDefault('Asia/Tokyo');
log(dayjs.tz('2026-01-01 00:00').format(), date.tz().format());
try {
  date.tz('Nope/Zone').format();
} catch (error) {
  log(error.name, error.message);
}
