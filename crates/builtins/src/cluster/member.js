'use strict';
// `cluster` in a worker: listening handles come from the primary (`lib/internal/cluster/child.js`).

const process = require('process');
const EventEmitter = require('events');
const { clearInterval, setInterval } = require('internal/scheduler');
const { kOwner } = require('internal/net/handles');
const Worker = require('internal/cluster/worker');
const { messageListener, sendMessage } = require('internal/cluster/talk');

// The longest delay of a timer, for the no-op timer that keeps the process alive.
const kEverMs = 2 ** 31 - 1;

const cluster = new EventEmitter();
// Listening handles by the primary's key.
const handles = new SafeMap();
// Per requested address: the index of the next server, and the indexes of the open servers.
const serverGroups = new SafeMap();

const send = (message, callback) => sendMessage(process, message, null, callback);

function _setupWorker() {
  const worker = new Worker({ id: +process.env.NODE_UNIQUE_ID | 0, process, state: 'online' });
  cluster.worker = worker;
  process.once('disconnect', () => {
    worker.emit('disconnect');
    // A worker exits when its primary is gone.
    if (!worker.exitedAfterDisconnect) process.exit(0);
  });
  process.on('internalMessage', messageListener(worker, (message, handle) => {
    if (message.act === 'newconn') onConnection(message, handle);
    else if (message.act === 'disconnect') leave(worker, true);
  }));
  send({ act: 'online' });
}

// Asks the primary for a listening handle; the callback gets a status and a handle.
function _getServer(server, options, callback) {
  let { address } = options;
  if (options.port < 0 && typeof address === 'string') address = require('path').resolve(address);
  const place = [address, options.port, options.addressType, options.fd].join(':');
  let group = serverGroups.get(place);
  if (group === undefined) serverGroups.set(place, group = { next: 0, open: new SafeSet() });
  const index = group.next++;
  group.open.add(index);
  const forget = () => {
    group.open.delete(index);
    if (group.open.size === 0 && serverGroups.get(place) === group) serverGroups.delete(place);
  };

  const message = { act: 'queryServer', index, data: null, ...options, address };
  if (server._getServerData) message.data = server._getServerData();
  send(message, (reply, handle) => {
    if (typeof server._setServerData === 'function') server._setServerData(reply.data);
    if (handle) useShared(reply, handle, forget, callback);
    else useDealt(reply, forget, callback);
  });
  server.once('listening', () => {
    // The server may be closed by now.
    if (!serverGroups.has(place)) return;
    cluster.worker.state = 'listening';
    send({ ...message, act: 'listening', port: server.address()?.port || options.port });
  });
}

// Uses a shared handle that has arrived. Its `close` sends a message to the primary.
function useShared({ errno, key }, handle, forget, callback) {
  const { close } = handle;
  handle.close = function(...args) {
    send({ act: 'close', key });
    handles.delete(key);
    forget();
    return close.apply(handle, args);
  };
  handles.set(key, handle);
  callback(errno, handle);
}

// Stands in for a handle if the primary accepts connections (round robin): only keeps the process alive.
class Listener {
  #key;
  #sockname;
  #forget;
  #timer;

  constructor(key, sockname, forget) {
    this.#key = key;
    this.#sockname = sockname;
    this.#forget = forget;
    // Only TCP handles have an address.
    if (sockname) this.getsockname = this.#getsockname;
    this.ref();
  }

  #getsockname(out) {
    if (this.#key !== undefined) Object.assign(out, this.#sockname);
    return 0;
  }

  listen() { return 0; }

  close() {
    if (this.#key === undefined) return;
    this.unref();
    send({ act: 'close', key: this.#key });
    handles.delete(this.#key);
    this.#forget();
    this.#key = undefined;
  }

  ref() { this.#timer ??= setInterval(() => {}, kEverMs); }

  unref() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function useDealt({ errno, key, sockname }, forget, callback) {
  if (errno) {
    callback(errno, null);
    return;
  }
  const listener = new Listener(key, sockname, forget);
  handles.set(key, listener);
  callback(0, listener);
}

// Handles a connection from the primary. If the server is closed or full, the reply makes the primary give it to another worker.
function onConnection({ key, seq }, connection) {
  const listener = handles.get(key);
  const server = listener?.[kOwner];
  const isFull = server && server.maxConnections != null && server._connections >= server.maxConnections &&
    !server.dropMaxConnection;
  const accepted = listener !== undefined && !isFull;
  send({ ack: seq, accepted });
  if (accepted) listener.onconnection(0, connection);
  else connection?.close();
}

// Closes all servers, then the channel.
function leave(worker, isAsked) {
  worker.exitedAfterDisconnect = true;
  let left = 1;
  const closed = () => {
    if (--left > 0) return;
    // The primary must receive `exitedAfterDisconnect` before the disconnect.
    if (isAsked) process.disconnect();
    else send({ act: 'exitedAfterDisconnect' }, () => process.disconnect());
  };
  for (const handle of handles.values()) {
    left++;
    (handle[kOwner] ?? handle).close(closed);
  }
  handles.clear();
  closed();
}

Worker.prototype.disconnect = function() {
  if (this.state !== 'disconnecting' && this.state !== 'destroying') {
    this.state = 'disconnecting';
    leave(this, false);
  }
  return this;
};

Worker.prototype.destroy = function() {
  if (this.state === 'destroying') return;
  this.exitedAfterDisconnect = true;
  if (!this.isConnected()) process.exit(0);
  this.state = 'destroying';
  send({ act: 'exitedAfterDisconnect' }, () => process.disconnect());
  process.once('disconnect', () => process.exit(0));
};

module.exports = Object.assign(cluster, {
  isWorker: true,
  isMaster: false,
  isPrimary: false,
  worker: null,
  Worker,
  _setupWorker,
  _getServer,
});
