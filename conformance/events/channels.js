// What the runtime tells on channels: of sockets, children, threads, of what is printed, required and imported.
const dc = require('diagnostics_channel');
const net = require('net');
const tell = (name, ...what) => process.stdout.write(`${name} ${what.join(' ')}\n`);

for (const given of [{}, { start: '' }, 0, null, { start: dc.channel('a') }]) {
  try {
    dc.tracingChannel(given);
  } catch (error) {
    // What is said of `undefined` is the engine's.
    tell('refused', error.name, error.code, error.code && error.message);
  }
}

dc.subscribe('console.warn', (args) => { args.push('and more'); });
dc.subscribe('console.log', (args) => tell('log', args.length));
console.log('said');
new console.Console(process.stdout).log('said', 'twice');
dc.subscribe('udp.socket', ({ socket }) => tell('udp', socket.constructor.name));
require('dgram').createSocket('udp4').close();
dc.subscribe('child_process', ({ process: child }) => tell('child', child.constructor.name, child.pid));
require('child_process').spawn(process.execPath, ['-e', '0']);
dc.subscribe('worker_threads', ({ worker }) => tell('worker', worker.constructor.name));
new (require('worker_threads').Worker)('0', { eval: true });

const events = (name) => Object.fromEntries(['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((stage) => [
  stage, (event) => tell(name, stage, Object.keys(event), event.id ?? event.url ?? '', event.error?.code),
]));
dc.tracingChannel('module.require').subscribe(events('require'));
require('path');
try {
  require('./is-not-there');
} catch (error) {
  tell('caught', error.code);
}

async function imports() {
  const seen = events('import');
  dc.tracingChannel('module.import').subscribe(seen);
  await import('path');
  await import('./is-not-there.mjs').catch((error) => tell('caught', error.code));
  dc.tracingChannel('module.import').unsubscribe(seen);
  listens();
}

function listens() {
  dc.tracingChannel('net.server.listen').subscribe({
    asyncStart: ({ options }) => tell('listen', 'start', options.mark),
    asyncEnd: ({ server }) => tell('listen', 'end', server === first),
    error: ({ error }) => tell('listen', 'error', error.code),
  });
  const first = net.createServer();
  first.listen({ port: 0, host: undefined, mark: 1 }, () => {
    const second = net.createServer().on('error', () => first.close());
    second.listen({ port: first.address().port, mark: 2 });
  });
}
imports();
