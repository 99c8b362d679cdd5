'use strict';
// How workers share a listening address: round robin by the primary, or a shared handle.

const { sendMessage } = require('internal/cluster/talk');

const kIpv6Only = 1;

// Round robin: the primary accepts and sends each connection to the next free worker
// (`lib/internal/cluster/round_robin_handle.js`).
class RoundRobin {
  #key;
  #workers = new SafeMap();
  // Idle workers, longest idle first.
  #free = new SafeMap();
  // Accepted connections that no worker has taken yet.
  #waiting = [];
  #handle = null;
  // The server, until it listens.
  #server;

  constructor(key, address, { port, fd, flags, backlog, readableAll, writableAll }) {
    this.#key = key;
    this.#server = require('net').createServer();
    if (fd >= 0) this.#server.listen({ fd, backlog });
    else if (port >= 0) this.#server.listen({ port, host: address, ipv6Only: Boolean(flags & kIpv6Only), backlog });
    else this.#server.listen({ path: address, backlog, readableAll, writableAll });
    this.#server.once('listening', () => {
      this.#handle = this.#server._handle;
      this.#handle.onconnection = (status, connection) => { if (status === 0) this.#deal(connection); };
      this.#server._handle = null;
      this.#server = null;
    });
  }

  has(worker) { return this.#workers.has(worker.id); }

  add(worker, reply) {
    this.#workers.set(worker.id, worker);
    const done = () => {
      const sockname = {};
      const { getsockname } = this.#handle;
      getsockname?.call(this.#handle, sockname);
      reply(null, getsockname ? { sockname } : null, null);
      this.#handOver(worker);
    };
    if (this.#server === null) {
      done();
      return;
    }
    this.#server.once('listening', done);
    this.#server.once('error', (error) => reply(error.errno, null));
  }

  // Returns true if it was the last worker.
  remove(worker) {
    if (!this.#workers.delete(worker.id)) return false;
    this.#free.delete(worker.id);
    if (this.#workers.size > 0) return false;
    for (const connection of this.#waiting.splice(0)) connection.close();
    if (this.#handle !== null) this.#handle.close();
    else this.#server.close();
    this.#handle = null;
    return true;
  }

  #deal(connection) {
    // The last worker may have left while the connection was sent to it.
    if (this.#workers.size === 0) {
      connection.close();
      return;
    }
    this.#waiting.push(connection);
    const [worker] = this.#free.values();
    if (worker === undefined) return;
    this.#free.delete(worker.id);
    this.#handOver(worker);
  }

  #handOver(worker) {
    // The worker may have closed its server, or be gone.
    if (!this.has(worker) || !worker.isConnected()) return;
    const connection = this.#waiting.shift();
    if (connection === undefined) {
      this.#free.set(worker.id, worker);
      return;
    }
    sendMessage(worker.process, { act: 'newconn', key: this.#key }, connection, ({ accepted }) => {
      if (accepted) connection.close();
      else this.#deal(connection);
      this.#handOver(worker);
    });
  }
}

// Every worker gets the handle; the kernel decides which one accepts (`lib/internal/cluster/shared_handle.js`).
class Shared {
  #workers = new SafeSet();
  #handle = null;
  #status = 0;

  constructor(key, address, { port, addressType, fd, flags }) {
    const isUdp = addressType === 'udp4' || addressType === 'udp6';
    const bound = isUdp ? require('internal/dgram')._createSocketHandle(address, port, addressType, fd, flags) :
      require('internal/net/server').bound(address, port, addressType, fd, flags);
    if (typeof bound === 'number') this.#status = bound;
    else this.#handle = bound;
  }

  has(worker) { return this.#workers.has(worker.id); }

  add(worker, reply) {
    this.#workers.add(worker.id);
    reply(this.#status, null, this.#handle);
  }

  remove(worker) {
    if (!this.#workers.delete(worker.id) || this.#workers.size > 0) return false;
    this.#handle?.close();
    this.#handle = null;
    return true;
  }
}

module.exports = { RoundRobin, Shared };
