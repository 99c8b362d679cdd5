'use strict';
// A primary and its workers: events in their order, connections by turns, the ways to end.
const cluster = require('cluster');
const net = require('net');

if (cluster.isWorker) {
  const server = net.createServer((socket) => socket.end(`worker ${cluster.worker.id}`));
  process.on('message', (message) => {
    if (message === 'listen') server.listen(0, '127.0.0.1');
    else if (message === 'twice') net.createServer().listen(server.address().port, '127.0.0.1').on('error', (error) => process.send(error.code));
    else if (message === 'disconnect') cluster.worker.disconnect();
    else if (message === 'destroy') cluster.worker.kill();
    else if (message === 'exit') process.exit(7);
    else process.send([message, cluster.isPrimary, cluster.isMaster, Object.keys(cluster).filter((key) => !key.startsWith('_')).sort().join()]);
  });
  return;
}

const log = (...args) => console.log(...args);
const once = (emitter, event) => new Promise((done) => emitter.once(event, (...args) => done(args)));
const text = (port) => new Promise((done) => {
  let all = '';
  net.connect(port, '127.0.0.1').setEncoding('utf8').on('data', (part) => { all += part; }).on('close', () => done(all));
});
const about = ({ exitedAfterDisconnect, state, id }) => `${id} ${state} ${exitedAfterDisconnect}`;

(async () => {
  log(cluster.isPrimary, cluster.isWorker, cluster.schedulingPolicy === cluster.SCHED_RR, Object.keys(cluster.workers), cluster.settings);
  log(Object.keys(cluster).filter((key) => !key.startsWith('_')).sort().join());
  cluster.on('setup', (settings) => log('setup', Object.keys(settings).join(), settings.silent, cluster.settings === settings));
  for (const event of ['fork', 'online', 'disconnect']) cluster.on(event, (worker) => log(event, about(worker)));
  cluster.on('exit', (worker, code, signal) => log('exit', about(worker), code, signal, worker.isDead(), worker.isConnected()));
  cluster.on('message', (worker, message) => log('message', worker.id, message));
  cluster.on('listening', (worker, { address, addressType, fd, port }) => log('listening', about(worker), address, addressType, fd, port > 0));
  cluster.setupPrimary({ args: ['extra'] });

  log('-- one');
  const first = cluster.fork({ EXTRA: 1 });
  log(about(first), Object.keys(cluster.workers), first.isConnected(), first.isDead(), first.process.connected);
  await once(first, 'online');
  first.send('hello');
  await once(first, 'message');
  first.send('listen');
  const [{ port }] = await once(first, 'listening');
  log(await text(port));
  first.send('twice');
  await once(first, 'message');

  log('-- the worker disconnects');
  first.send('disconnect');
  await Promise.all([once(first, 'disconnect'), once(first, 'exit')]);
  log(about(first), Object.keys(cluster.workers));

  log('-- the primary disconnects it');
  const second = cluster.fork();
  await once(second, 'online');
  log(second.disconnect() === second, Object.keys(cluster.workers));
  await Promise.all([once(second, 'disconnect'), once(second, 'exit')]);
  log(about(second));

  log('-- it kills itself, is killed, exits');
  for (const how of ['destroy', 'kill', 'exit']) {
    const worker = cluster.fork();
    await once(worker, 'online');
    const over = Promise.all([once(worker, 'disconnect'), once(worker, 'exit')]);
    if (how === 'kill') worker.kill('SIGKILL');
    else worker.send(how);
    await over;
    log(about(worker), Object.keys(cluster.workers));
  }

  log('-- all');
  const three = [cluster.fork(), cluster.fork(), cluster.fork()];
  cluster.removeAllListeners();
  await Promise.all(three.map((worker) => once(worker, 'online')));
  cluster.disconnect(() => {
    log('all gone', Object.keys(cluster.workers));
    cluster.disconnect(() => log('nobody there'));
  });
})();
