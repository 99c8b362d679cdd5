// Intl.DateTimeFormat: time zones. Canonical names, offsets through the years, and what the zones are called.
'use strict';
const names = [
  'UTC', 'utc', 'Etc/UTC', 'Etc/GMT+5', 'Etc/GMT-14', 'Zulu', 'US/Pacific', 'us/eastern', 'EST', 'EST5EDT',
  'europe/BERLIN', 'Asia/Kolkata', 'Asia/Calcutta', 'Asia/Kathmandu', 'Asia/Saigon', 'America/Buenos_Aires', 'Australia/ACT',
  'America/Port-au-Prince', 'Africa/Asmara', 'Antarctica/DumontDUrville', 'NZ-CHAT', 'GB', 'Japan', 'PRC', 'ROK', 'Europe/Kyiv',
  '+05:30', '-0800', '+14', '+23:59',
];
const renamed = [
  'Asia/Kolkata', 'Asia/Calcutta', 'Asia/Kathmandu', 'Asia/Saigon', 'America/Buenos_Aires', 'Africa/Asmara', 'Europe/Kyiv',
];
const styles = ['short', 'long', 'shortOffset', 'longOffset'];
const times = [Date.UTC(2024, 0, 15, 12), Date.UTC(2024, 6, 15, 12), Date.UTC(1995, 6, 15, 12), Date.UTC(1890, 0, 1)];
for (const timeZone of names) {
  const zone = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  // Engines differ in the canonical names of zones that were renamed.
  console.log(timeZone, renamed.includes(timeZone) ? '' : `= ${zone}`);
  for (const time of times) {
    const said = styles.map((timeZoneName) => {
      const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName }).formatToParts(time);
      return parts.find((part) => part.type === 'timeZoneName').value;
    });
    console.log(' ', new Date(time).toLocaleString('en-US', { timeZone }), said.join(' | '));
  }
}
for (const timeZone of ['x', '', 'Mars/Phobos', '+24:00', '+5', '05:30', '+05:60', 'Etc/GMT+15', 'Factory', null, 5]) {
  try {
    console.log(new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone);
  } catch (error) {
    console.log(error.name);
  }
}
// Many zones, in winter and in summer.
const isShown = (zone) => /^(Europe|Australia|America\/[O-Z]|Asia\/[T-Z])/.test(zone) && !/K(ie|yi)v$|Yangon/.test(zone);
for (const timeZone of Intl.supportedValuesOf('timeZone').filter(isShown)) {
  const said = ['long', 'shortOffset'].map((timeZoneName) => {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName, hour: 'numeric', minute: '2-digit' });
    return `${format.format(times[0])}, ${format.format(times[1])}`;
  });
  console.log(timeZone, said.join(' | '));
}
// The default zone is what the variable says.
for (const zone of ['America/Sao_Paulo', 'Asia/Tokyo', 'UTC']) {
  process.env.TZ = zone;
  console.log(Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(times[0]).toLocaleString());
}
