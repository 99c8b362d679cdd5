// Sockets, servers, children and key presses keep their time where a script has replaced the timers, as tests do.
const net = require('net');
const http = require('http');
const { exec } = require('child_process');
const { PerformanceObserver, performance } = require('perf_hooks');

const { setTimeout: realTimeout, clearTimeout: realClear } = globalThis;
const timers = require('timers');
const calls = [];
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate']) {
  globalThis[name] = timers[name] = () => { calls.push(name); };
}
const guard = realTimeout(() => {
  console.log('hangs');
  process.exit(1);
}, 20000);

const within = (name, act) => new Promise((resolve) => act((value) => {
  console.log(name, value);
  resolve();
}));

(async () => {
  const server = net.createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await within('socket', (done) => {
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.setTimeout(10, () => {
      socket.destroy();
      done('timeout');
    });
  });
  server.close();

  const web = http.createServer((request, response) => response.end('body')).listen(0, '127.0.0.1');
  await new Promise((resolve) => web.once('listening', resolve));
  await within('http', (done) => http.get({ port: web.address().port, host: '127.0.0.1' }, (response) => {
    response.resume().on('end', () => done(response.statusCode));
  }));
  await new Promise((resolve) => web.close(resolve));

  await within('child', (done) => exec('sleep 30', { timeout: 50 }, (error) => done(error.killed)));
  await within('observer', (done) => {
    new PerformanceObserver((list) => done(list.getEntries()[0].name)).observe({ entryTypes: ['mark'] });
    performance.mark('here');
  });
  realClear(guard);
  console.log(calls);
})();
