'use strict';
// A DNS resolver over UDP, with TCP for truncated answers. The choice of servers, timeouts and retries are those of c-ares with Node's settings. The
// resolver runs on the event loop, not on the thread pool.

const { Buffer } = require('buffer');
const { isIP } = require('internal/net');
const { setImmediate } = require('internal/scheduler');
const system = require('internal/dns/system');
// Installs the callbacks that deliver the events of the sockets and timers below.
require('internal/net/handles');

const kinds = {
  A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, NAPTR: 35, TLSA: 52, ANY: 255, CAA: 257,
};
const kInternet = 1;

// Error codes by the RCODE of an answer (RFC 1035 section 4.1.1).
const rcodeErrors = ['', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED'];

// A failed server is probed after this delay, by one of ten queries.
const kRetryDelayMs = 5000;
const kRetryChance = 10;

// Query ids have 16 bits. Random ids are drawn until one is unused, so some ids must stay free.
const kMaxQueries = 0xf000;

const now = native.nowMs;

// Callbacks of answered queries, which run in the check phase. As with Node's native immediates (`src/cares_wrap.h: QueueResponseCallback`), all
// callbacks run before the ticks that they queue.
let answered = [];
function callLater(call) {
  if (answered.push(call) === 1) setImmediate(callAll);
}
function callAll() {
  const calls = answered;
  answered = [];
  let at = 0;
  try {
    while (at < calls.length) calls[at++]();
  } finally {
    // A callback has thrown: schedule the remaining callbacks again.
    for (; at < calls.length; at++) callLater(calls[at]);
  }
}

class Server {
  udp = null;
  tcp = null;
  failures = 0;
  retryAtMs = 0;
  isProbed = false;

  constructor({ address, port }, order) {
    this.address = address;
    this.port = port;
    this.order = order;
  }
}

// A socket that is connected to a server. It is open while queries use it.
class Connection {
  queries = new SafeSet();
  #channel;
  #number;
  #isConnected;
  #outgoing = [];
  #incoming = Buffer.alloc(0);

  constructor(channel, server, isTcp) {
    this.#channel = channel;
    this.server = server;
    this.isTcp = isTcp;
    this.#isConnected = !isTcp;
    this.#number = native.openSocket(this, isTcp);
  }

  // Starts to connect. Returns 0 or a libuv error code.
  connect(local) {
    const { address, port } = this.server;
    if (this.isTcp) {
      const bound = local === undefined ? 0 : native.bindTcp(this.#number, local, 0, false, false);
      return bound === 0 ? native.connectTcp(this.#number, address, port, this) : bound;
    }
    let status = local === undefined ? 0 : native.bindUdp(this.#number, local, 0, 0);
    if (status === 0) status = native.connectUdp(this.#number, address, port);
    return status === 0 ? native.recvStart(this.#number) : status;
  }

  send(bytes) {
    if (!this.isTcp) {
      const status = native.send(this.#number, { oncomplete() {} }, [bytes], undefined, undefined);
      return status < 0 ? status : 0;
    }
    const framed = Buffer.alloc(bytes.byteLength + 2);
    framed.writeUInt16BE(bytes.byteLength);
    framed.set(new Uint8Array(bytes), 2);
    this.#outgoing.push(framed);
    return this.#isConnected ? this.#flush() : 0;
  }

  #flush() {
    const data = Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    const left = native.write(this.#number, data, false);
    if (left <= 0) return left;
    const status = native.writeRest(this.#number, { oncomplete() {} }, data, false, left);
    return status < 0 ? status : 0;
  }

  close() {
    if (this.#number === undefined) return;
    native.close(this.#number);
    this.#number = undefined;
  }

  // Called when the TCP connection is established, or has failed.
  oncomplete(status) {
    if (this.#number === undefined) return;
    this.#isConnected = true;
    if (status === 0) status = native.readStart(this.#number);
    if (status === 0) status = this.#flush();
    if (status !== 0) this.#channel.connectionFailed(this, 'ECONNREFUSED');
  }

  onmessage(count, bytes) {
    if (this.#number === undefined) return;
    if (count < 0) this.#channel.connectionFailed(this, 'ECONNREFUSED');
    else this.#channel.messagesReceived(this, bytes === undefined ? [] : [bytes]);
  }

  onread(count, bytes) {
    if (this.#number === undefined) return;
    if (count < 0) {
      this.#channel.connectionFailed(this, 'ECONNREFUSED');
      return;
    }
    this.#incoming = Buffer.concat([this.#incoming, new Uint8Array(bytes)]);
    const messages = [];
    for (;;) {
      const length = this.#incoming.length < 2 ? 0xffff : this.#incoming.readUInt16BE();
      if (this.#incoming.length < length + 2) break;
      messages.push(this.#incoming.subarray(2, length + 2));
      this.#incoming = this.#incoming.subarray(length + 2);
    }
    if (messages.length > 0) this.#channel.messagesReceived(this, messages);
  }
}

class Channel {
  #timeoutMs;
  #tries;
  #maxTimeoutMs;
  #servers;
  #isRotating = false;
  #isTcp = false;
  #isDefault = true;
  #isLastOk = true;
  #locals = { 4: undefined, 6: undefined };
  #queries = new SafeMap();
  #connections = new SafeSet();
  // Number of unanswered queries.
  #unanswered = 0;
  // Fires at the earliest deadline. The query with that deadline may have been answered already.
  #timer;
  #timerMs = Infinity;
  #givenTimeoutMs;

  constructor(timeoutMs, tries, maxTimeoutMs) {
    this.#givenTimeoutMs = timeoutMs;
    this.#tries = tries;
    this.#maxTimeoutMs = maxTimeoutMs;
  }

  #configure() {
    const { servers, timeoutMs, isRotating, isTcp } = system.configuration();
    this.#timeoutMs = this.#givenTimeoutMs > 0 ? this.#givenTimeoutMs : timeoutMs;
    this.#isRotating = isRotating;
    this.#isTcp = isTcp;
    if (this.#isDefault) this.#servers = servers.map((server, order) => new Server(server, order));
  }

  // Loads the servers of the system, unless other servers were set. If the only server is the local fallback and it has failed, loads them again, as
  // Node does (`src/cares_wrap.cc: ChannelWrap::EnsureServers`).
  #ensureServers() {
    if (this.#timeoutMs === undefined) this.#configure();
    if (this.#isLastOk || !this.#isDefault || this.#queries.size > 0) return;
    const [first, second] = this.#servers;
    if (second === undefined && first?.address === '127.0.0.1' && first.port === system.kPort) this.#configure();
    else this.#isDefault = false;
  }

  getServers() {
    if (this.#timeoutMs === undefined) this.#configure();
    return this.#servers.map(({ address, port }) => [address, port]);
  }

  // Sets the servers from `[family, address, port]` items. Returns false if queries are pending.
  setServers(list) {
    if (this.#unanswered > 0) return false;
    this.#isDefault = false;
    const servers = [];
    for (const [, address, port] of list) {
      const server = { address: native.canonical(address), port: (port & 0xffff) || system.kPort };
      const isKnown = servers.some((other) => other.address === server.address && other.port === server.port);
      if (!isKnown) servers.push(new Server(server, servers.length));
    }
    this.#servers = servers;
    return true;
  }

  setLocalAddress(v4, v6) {
    this.#locals = { 4: v4, 6: v6 };
  }

  cancel() {
    const all = [...this.#queries.values()];
    for (const query of all) this.#end(query, 'ECANCELLED');
    this.#closeUnused();
  }

  // Sends a query. In the check phase, calls `request.oncomplete(code)` or `request.oncomplete(null, value, ttls)`.
  query(request, name, kind) {
    this.#ensureServers();
    this.#unanswered++;
    this.#begin(native.toASCII(name), kind, (code, bytes) => {
      this.#answered(code);
      callLater(() => {
        const found = code ?? native.answerRecords(bytes, kind);
        if (typeof found === 'string') request.oncomplete(found);
        else request.oncomplete(null, ...found);
      });
    });
  }

  // Like `query`, but asks for the host names of an address.
  reverse(request, address) {
    this.#unanswered++;
    const complete = (...args) => {
      this.#answered(args[0]);
      callLater(() => request.oncomplete(...args));
    };
    const names = system.namesOf(address);
    if (names !== undefined) {
      complete(null, names);
      return;
    }
    if (this.#timeoutMs === undefined) this.#configure();
    this.#begin(reverseName(address), kinds.PTR, (code, bytes) => {
      const found = code ?? native.answerRecords(bytes, kinds.PTR);
      if (typeof found !== 'string') complete(null, ...found);
      // The hosts file has been searched already, so every other failure of the query is ENOTFOUND.
      else if (code === 'ECANCELLED' || code === null) complete(found);
      else complete('ENOTFOUND');
    });
  }

  #answered(code) {
    this.#unanswered--;
    this.#isLastOk = code !== 'ECONNREFUSED';
  }

  #begin(name, kind, done) {
    // Like c-ares, do not send names in `.onion` to name servers (RFC 7686).
    if (/\.onion\.?$/i.test(name)) {
      done('ENOTFOUND');
      return;
    }
    if (this.#servers.length === 0) {
      done('UNKNOWN_ARES_ERROR');
      return;
    }
    if (this.#queries.size > kMaxQueries) {
      done('ENOMEM');
      return;
    }
    let id;
    do {
      id = native.randomWord();
      if (id < 0) {
        done('ENOMEM');
        return;
      }
    } while (this.#queries.has(id));
    const bytes = native.question(id, name, kind);
    if (bytes === undefined) {
      done('EBADNAME');
      return;
    }
    const query = {
      id, kind, bytes, done,
      name: name.replace(/\.$/, '').toLowerCase(),
      isTcp: this.#isTcp,
      tries: 0,
      connection: null,
      deadlineMs: 0,
      isProbe: false,
    };
    this.#queries.set(id, query);
    this.#send(query);
    this.#closeUnused();
  }

  // Chooses one of the servers with the fewest failures: the first, or with `rotate` a random one.
  #choose() {
    const minFailures = Math.min(...this.#servers.map(({ failures }) => failures));
    const best = this.#servers.filter(({ failures }) => failures === minFailures);
    return best[this.#isRotating ? Math.abs(native.randomWord()) % best.length : 0];
  }

  #send(query, server) {
    if (!this.#tryToSend(query, server)) this.#retry(query, 'ECONNREFUSED');
  }

  #tryToSend(query, server = this.#choose()) {
    const connection = this.#connectionFor(server, query.isTcp);
    if (connection === undefined) {
      this.#failed(server);
      return false;
    }
    if (connection.send(query.bytes) !== 0) {
      this.connectionFailed(connection, 'ECONNREFUSED');
      return false;
    }
    query.connection = connection;
    connection.queries.add(query);
    query.deadlineMs = now() + this.#timeoutOf(query);
    this.#wakeAt(query.deadlineMs);
    if (server.failures === 0 && query.tries === 0 && !query.isProbe) this.#probe(query, server);
    return true;
  }

  // The timeout of a query: it doubles with each round over all servers, with random jitter, within limits.
  #timeoutOf(query) {
    const rounds = Math.floor(query.tries / this.#servers.length);
    let ms = this.#timeoutMs * 2 ** Math.min(rounds, 30);
    if (this.#maxTimeoutMs > 0) ms = Math.min(ms, this.#maxTimeoutMs);
    if (rounds > 0) ms -= Math.floor(ms * (Math.abs(native.randomWord()) / 0xffff) * 0.5);
    return Math.max(ms, this.#timeoutMs);
  }

  // Sometimes sends the query to a failed server as well, to check whether the server has recovered.
  #probe({ name, kind }, usedServer) {
    if (this.#servers.every(({ failures }) => failures === 0)) return;
    if (Math.abs(native.randomWord()) % kRetryChance !== 0) return;
    const ms = now();
    const server = this.#servers.find((other) => other.failures > 0 && !other.isProbed && ms >= other.retryAtMs);
    const id = native.randomWord();
    if (server === undefined || server === usedServer || id < 0 || this.#queries.has(id)) return;
    server.isProbed = true;
    const query = {
      id, kind, name, bytes: native.question(id, name, kind), isTcp: this.#isTcp, tries: 0,
      connection: null, deadlineMs: 0, isProbe: true,
      done() { server.isProbed = false; },
    };
    this.#queries.set(id, query);
    this.#send(query, server);
  }

  #connectionFor(server, isTcp) {
    const place = isTcp ? 'tcp' : 'udp';
    if (server[place] !== null && (isTcp || server.failures === 0)) return server[place];
    const connection = new Connection(this, server, isTcp);
    if (connection.connect(this.#locals[isIP(server.address)]) !== 0) {
      connection.close();
      return undefined;
    }
    server[place] = connection;
    this.#connections.add(connection);
    return connection;
  }

  #failed(server) {
    server.failures++;
    server.retryAtMs = now() + kRetryDelayMs;
  }

  // Sends a query again, unless all tries are used.
  #retry(query, status) {
    query.connection?.queries.delete(query);
    query.connection = null;
    do {
      query.tries++;
      if (query.tries >= this.#servers.length * this.#tries || query.isProbe) {
        this.#end(query, status);
        return;
      }
      // The error of the last try is reported.
    } while (!this.#tryToSend(query) && (status = 'ECONNREFUSED'));
  }

  #end(query, code, bytes) {
    if (!this.#queries.delete(query.id)) return;
    query.connection?.queries.delete(query);
    query.connection = null;
    query.done(code, bytes);
  }

  #drop(connection) {
    const { server } = connection;
    if (server.udp === connection) server.udp = null;
    if (server.tcp === connection) server.tcp = null;
    this.#connections.delete(connection);
    connection.close();
  }

  // Called when a connection has failed.
  connectionFailed(connection, status) {
    this.#failed(connection.server);
    const { queries } = connection;
    this.#drop(connection);
    for (const query of [...queries]) this.#retry(query, status);
    this.#closeUnused();
  }

  // Called when a connection has received messages.
  messagesReceived(connection, messages) {
    for (const bytes of messages) {
      if (bytes.byteLength === 0) continue;
      const head = native.answerHead(bytes);
      if (head === undefined || head === null) {
        this.connectionFailed(connection, 'EBADRESP');
        return;
      }
      this.#take(connection, bytes, head);
    }
    this.#closeUnused();
  }

  #take(connection, bytes, [id, isTruncated, code, count, name, kind, klass]) {
    const query = this.#queries.get(id);
    // Ignore an answer that is late or belongs to another query.
    if (query?.connection !== connection || kind !== query.kind || klass !== kInternet) return;
    if (name.toLowerCase() !== query.name) return;
    const { server } = connection;
    if (isTruncated && !connection.isTcp) {
      connection.queries.delete(query);
      query.connection = null;
      query.isTcp = true;
      this.#send(query);
      return;
    }
    server.failures = 0;
    server.retryAtMs = 0;
    const refusal = code === 0 ? (count === 0 ? 'ENODATA' : null) : rcodeErrors[code] ?? null;
    this.#end(query, refusal, bytes);
  }

  ontimeout() {
    const ms = now();
    this.#timerMs = Infinity;
    for (const query of [...this.#queries.values()]) {
      if (query.connection === null || query.deadlineMs > ms) continue;
      this.#failed(query.connection.server);
      this.#retry(query, 'ETIMEOUT');
    }
    for (const { deadlineMs } of this.#queries.values()) this.#wakeAt(deadlineMs);
    this.#closeUnused();
  }

  #wakeAt(deadlineMs) {
    if (deadlineMs >= this.#timerMs) return;
    this.#timerMs = deadlineMs;
    this.#timer ??= native.openTimer({ ontimeout: () => this.ontimeout() });
    native.startTimer(this.#timer, Math.max(deadlineMs - now(), 1));
  }

  // Closes unused connections, and the timer if no query is pending.
  #closeUnused() {
    for (const connection of [...this.#connections]) if (connection.queries.size === 0) this.#drop(connection);
    if (this.#queries.size > 0 || this.#timer === undefined) return;
    native.close(this.#timer);
    this.#timer = undefined;
    this.#timerMs = Infinity;
  }
}

// The `in-addr.arpa` or `ip6.arpa` name of an address.
function reverseName(address) {
  if (isIP(address) === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const digits = Buffer.from(native.ipBytes(address)).toString('hex');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

module.exports = { Channel, kinds };
