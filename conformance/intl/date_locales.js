// Intl.DateTimeFormat: English as it is written in its countries, and how a locale is found.
'use strict';
const time = Date.UTC(2026, 8, 5, 14, 7, 9);
const bags = [
  {}, { dateStyle: 'full', timeStyle: 'short' }, { dateStyle: 'short', timeStyle: 'medium' }, { dateStyle: 'medium' },
  { month: 'short', day: 'numeric' }, { weekday: 'short', day: '2-digit', month: 'long' }, { hour: 'numeric', minute: '2-digit' },
  { hour: 'numeric', hour12: true }, { month: 'long', year: 'numeric' }, { hour: 'numeric', dayPeriod: 'short' },
];
const locales = ('001 150 US GB CA AU NZ IE IN ZA HK SG JP IL KE NG PK PH MT BE DE NL SE FI DK CH BW BZ ID AE ZW').split(' ');
for (const region of locales) {
  const locale = `en-${region}`;
  const texts = bags.map((bag) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...bag }).format(time));
  console.log(locale, texts.join(' | '));
  const zones = ['Europe/London', 'Europe/Berlin', 'Australia/Sydney', 'America/Toronto', 'Asia/Kolkata'].map((timeZone) => {
    const names = ['short', 'shortGeneric', 'longGeneric'];
    return names.map((timeZoneName) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName, year: 'numeric' }).format(time)).join(' ');
  });
  console.log('  ', zones.join(' | '));
}
const requested = [
  'en', 'EN-gb', ['en-GB', 'en'], 'en-ZZ', 'en-Latn-GB', 'en-u-hc-h23', 'en-GB-u-hc-h11-nu-latn', 'en-US-u-ca-gregory', 'en-US-x-foo', [],
  'en-u-foo-bar', 'en-u-hc-h99', 'en-u-hc',
];
for (const locale of requested) {
  const { locale: found, hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions();
  console.log(JSON.stringify(locale), found, hourCycle, Intl.DateTimeFormat.supportedLocalesOf(locale));
}
for (const options of [{ hour12: true }, { hour12: false }, { hourCycle: 'h23' }, { hourCycle: 'h11' }, { calendar: 'gregory' }]) {
  const { hourCycle, hour12, calendar } = new Intl.DateTimeFormat('en-GB-u-hc-h12-ca-gregory', { hour: '2-digit', ...options }).resolvedOptions();
  console.log(options, hourCycle, hour12, calendar);
}
