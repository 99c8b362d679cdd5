// A list of timers is due when its first one was, also if that one was refreshed since: it is before a list made later that is due sooner.
const busy = (ms) => { const end = Date.now() + ms; while (Date.now() < end); };
const a = setTimeout(() => console.log('a, 60 ms, refreshed'), 60);
busy(80);
a.refresh();
setTimeout(() => console.log('b, 20 ms'), 20);
busy(80);
