// date-fns and date-fns-tz: texts for readers, in zones and across the changes of their clocks.
'use strict';
process.env.TZ = 'America/New_York';
const { addDays, addMonths, eachHourOfInterval, format, formatDistance, formatRelative, intlFormat, intlFormatDistance, parse, parseISO, startOfWeek } = require('date-fns');
const { format: formatTz, formatInTimeZone, fromZonedTime, getTimezoneOffset, toDate, toZonedTime } = require('date-fns-tz');

const log = (...words) => console.log(...words);
const date = parseISO('2026-11-16T05:47:54Z');
log(format(date, 'PPPPpppp'), format(date, "yyyy-MM-dd'T'HH:mm:ssXXX BBBB b"), formatDistance(date, addDays(date, 3)), formatRelative(addDays(date, -3), date), startOfWeek(date).toString());
log(intlFormat(date, { dateStyle: 'full', timeStyle: 'long' }), intlFormat(date, { weekday: 'long' }, { locale: 'en-GB' }), intlFormat(date));
for (const days of [-400, -40, -8, -1, 0, 1, 5, 100]) log(days, intlFormatDistance(addDays(date, days), date));
for (const zone of ['Asia/Tokyo', 'Europe/London', 'America/Los_Angeles', '+05:30', 'UTC', 'Australia/Adelaide']) {
  log(zone, formatInTimeZone(date, zone, 'yyyy-MM-dd HH:mm:ssXXX zzz zzzz O OOOO'), toZonedTime(date, zone).toISOString(), fromZonedTime('2026-06-01 10:00', zone).toISOString(), getTimezoneOffset(zone, date));
}
for (const text of ['2026-03-29T01:59:59', '2026-03-29T02:30:00', '2026-10-25T02:30:00', '2026-10-25T03:00:00']) log(text, toDate(text, { timeZone: 'Europe/Berlin' }).toISOString(), new Date(text).toISOString());
log(formatTz(toZonedTime(date, 'Europe/Paris'), 'EEEE p zzz', { timeZone: 'Europe/Paris' }), addMonths(new Date(2026, 0, 31, 2, 30), 1).toString(), parse('March 8, 2026 2:30 AM', 'MMMM d, yyyy h:mm a', date).toString());
log(eachHourOfInterval({ start: new Date(2026, 10, 1, 0), end: new Date(2026, 10, 1, 4) }).map((hour) => hour.toISOString()));
for (const wrong of [() => formatInTimeZone(date, 'Bad/Zone', 'yyyy'), () => format(new Date(NaN), 'P'), () => toZonedTime('x', 'UTC').toString()]) {
  try {
    log(wrong());
  } catch (error) {
    log(error.name, error.message);
  }
}
