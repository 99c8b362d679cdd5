'use strict';
// `cluster` in the primary process (`lib/internal/cluster/primary.js`).

const process = require('process');
const EventEmitter = require('events');
const { ERR_SOCKET_BAD_PORT } = require('internal/errors');
const Worker = require('internal/cluster/worker');
const { cancelReplies, messageListener, sendMessage } = require('internal/cluster/talk');

const SCHED_NONE = 1;
const SCHED_RR = 2;

const cluster = new EventEmitter();
// Emits an event when the last worker is gone.
const departures = new EventEmitter();
// Listening handles of workers by key.
const handles = new SafeMap();
let lastId = 0;
let isSetUp = false;
let policy;

function setupPrimary(options) {
  const settings = {
    args: process.argv.slice(2), exec: process.argv[1], execArgv: process.execArgv, silent: false,
    ...cluster.settings, ...options,
  };
  cluster.settings = settings;
  if (!isSetUp) {
    isSetUp = true;
    // From now on changes of `schedulingPolicy` have no effect.
    policy = cluster.schedulingPolicy;
    if (policy !== SCHED_NONE && policy !== SCHED_RR) {
      require('assert').fail(`Bad cluster.schedulingPolicy: ${policy}`);
    }
  }
  process.nextTick(() => cluster.emit('setup', settings));
}

function startProcess(id, env) {
  const { args, cwd, exec, execArgv, gid, inspectPort, serialization, silent, stdio, uid, windowsHide } = cluster.settings;
  if (inspectPort === null) throw new ERR_SOCKET_BAD_PORT('Port', null, true);
  return require('child_process').fork(exec, args, {
    cwd, env: { ...process.env, ...env, NODE_UNIQUE_ID: `${id}` }, execArgv: [...execArgv], gid, serialization, silent, stdio,
    uid, windowsHide,
  });
}

function forget(worker) {
  delete cluster.workers[worker.id];
  if (Object.keys(cluster.workers).length === 0) departures.emit('disconnect');
}

function forgetHandles(worker) {
  for (const [key, handle] of handles) {
    if (handle.remove(worker)) handles.delete(key);
  }
}

function fork(env) {
  cluster.setupPrimary();
  const id = ++lastId;
  const worker = new Worker({ id, process: startProcess(id, env) });
  worker.on('message', (message, handle) => cluster.emit('message', worker, message, handle));

  // A worker is removed when it has both exited and disconnected; until then it stays visible in `cluster.workers`.
  worker.process.once('exit', (code, signal) => {
    if (!worker.isConnected()) {
      forgetHandles(worker);
      forget(worker);
    }
    worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
    worker.state = 'dead';
    worker.emit('exit', code, signal);
    cluster.emit('exit', worker, code, signal);
  });
  worker.process.once('disconnect', () => {
    forgetHandles(worker);
    cancelReplies(worker.process);
    if (worker.isDead()) forget(worker);
    worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
    worker.state = 'disconnected';
    worker.emit('disconnect');
    cluster.emit('disconnect', worker);
  });
  worker.process.on('internalMessage', messageListener(worker, onMessage));
  process.nextTick(() => cluster.emit('fork', worker));
  cluster.workers[id] = worker;
  return worker;
}

function disconnect(callback) {
  const workers = Object.values(cluster.workers);
  if (workers.length === 0) process.nextTick(() => departures.emit('disconnect'));
  for (const worker of workers) if (worker.isConnected()) worker.disconnect();
  if (typeof callback === 'function') departures.once('disconnect', callback);
}

// Handlers of messages from workers.
const acts = {
  __proto__: null,

  online(worker) {
    worker.state = 'online';
    worker.emit('online');
    cluster.emit('online', worker);
  },

  listening(worker, { address, addressType, fd, port }) {
    const where = { addressType, address, port, fd };
    worker.state = 'listening';
    worker.emit('listening', where);
    cluster.emit('listening', worker, where);
  },

  exitedAfterDisconnect(worker, { seq }) {
    worker.exitedAfterDisconnect = true;
    sendMessage(worker.process, { ack: seq });
  },

  // A worker closed a server; its handle may be gone already.
  close(worker, { key }) {
    if (handles.get(key)?.remove(worker)) handles.delete(key);
  },

  queryServer,
};

function onMessage(message) {
  acts[message.act]?.(this, message);
}

// The shorter of the absolute and relative path: the name of a Unix socket is limited.
function shortest(address) {
  const relative = require('path').relative(process.cwd(), address);
  return address.length < relative.length ? address : relative;
}

function makeHandle(key, message) {
  const { address, addressType, port } = message;
  const { RoundRobin, Shared } = require('internal/cluster/sharing');
  // UDP has no connections to distribute.
  const isShared = policy !== SCHED_RR || addressType === 'udp4' || addressType === 'udp6';
  const where = port < 0 && typeof address === 'string' ? shortest(address) : address;
  return new (isShared ? Shared : RoundRobin)(key, where, message);
}

// Handles a worker's request to listen.
function queryServer(worker, message) {
  if (worker.exitedAfterDisconnect) return;
  const { address, addressType, data, fd, index, port, seq } = message;
  const key = `${address}:${port}:${addressType}:${fd}${port === 0 ? `:${index}` : ''}`;
  const known = handles.get(key);
  // A worker that asks for a handle it already has gets a new one, or an error if that fails.
  const handle = known && !known.has(worker) ? known : makeHandle(key, message);
  if (!known) handles.set(key, handle);
  handle.data ||= data;
  handle.add(worker, (status, reply, passed) => {
    if (!status) handles.set(key, handle);
    const answer = { errno: status, key, ack: seq, data: handles.get(key)?.data, ...reply };
    if (!known && status) handles.delete(key);
    sendMessage(worker.process, answer, passed);
  });
}

Worker.prototype.disconnect = function() {
  this.exitedAfterDisconnect = true;
  sendMessage(this.process, { act: 'disconnect' });
  forgetHandles(this);
  forget(this);
  return this;
};

Worker.prototype.destroy = function(signal) {
  this.process.kill(signal || 'SIGTERM');
};

const policies = { __proto__: null, rr: SCHED_RR, none: SCHED_NONE };

module.exports = Object.assign(cluster, {
  isWorker: false,
  isMaster: true,
  isPrimary: true,
  Worker,
  workers: {},
  settings: {},
  SCHED_NONE,
  SCHED_RR,
  schedulingPolicy: policies[process.env.NODE_CLUSTER_SCHED_POLICY] ?? SCHED_RR,
  setupPrimary,
  setupMaster: setupPrimary,
  fork,
  disconnect,
});
