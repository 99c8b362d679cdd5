'use strict';
// `AcceptedSocket`: the lightweight socket of the accept fast path. The native parser reads from its handle;
// listeners and stream states are created on first access, with the values that Node's would have by then.

const { Buffer } = require('buffer');
const EventEmitter = require('events');
const net = require('net');
const { errnoException } = require('internal/errors');
const { kOwner } = require('internal/net/handles');
const { kSetNoDelay, onReadableStreamEnd } = require('internal/net/socket');
const { kHandle, onStreamRead } = require('internal/net/stream_io');
const { kState } = require('internal/streams/flags');
const readableBits = require('internal/streams/readable_state');
const {
  WritableState, kAllBuffers, kAllNoop, kBuffered, kBufferedValue, kCorked, noCallback,
} = require('internal/streams/writable_state');
const { Connection, kConnections } = require('internal/http/connection');
const { derived, ownValue } = require('internal/http/incoming');
const { countUntold, kConnection, kIsUnwritten, untoldOf } = require('internal/http/response');

const { ReadableState } = readableBits;
const { HOLDS: kHolds } = native;

// True while the socket has no `_readableState`. `kIsUnwritten` is the same for writing.
const kIsUnread = Symbol('kIsUnread');

function AcceptedSocket(server, handle) {
  this[kHandle] = handle;
  this.server = server;
  this._server = server;
  this._httpMessage = null;
  this.parser = null;
  this[kConnection] = undefined;
}
const proto = AcceptedSocket.prototype;
Object.setPrototypeOf(proto, net.Socket.prototype);
Object.assign(proto, {
  constructor: net.Socket,
  connecting: false,
  allowHalfOpen: true,
  _paused: false,
  _eventsCount: 8,
  [kIsUnread]: true,
  [kIsUnwritten]: true,
  [kSetNoDelay]: true,
});

// State bits of a socket whose 'data' listener is the server: reading and flowing.
const kReads = readableBits.kReading | readableBits.kNeedReadable | readableBits.kHasFlowing | readableBits.kFlowing |
  readableBits.kHasPaused | readableBits.kDataListening;

// Defines a property that is created on first access, also through an object that inherits from the socket.
function defineLazy(name, make) {
  derived(proto, name, function() {
    let socket = this;
    while (socket !== null && !Object.hasOwn(socket, kConnection)) socket = Object.getPrototypeOf(socket);
    if (socket === null) return undefined;
    ownValue(socket, name, make(socket));
    return socket[name];
  });
}

defineLazy('_readableState', (socket) => {
  const { highWaterMark } = socket[kConnection].server;
  socket[kIsUnread] = false;
  const state = new ReadableState({ highWaterMark, emitClose: false }, socket, true);
  state[kState] = (state[kState] | kReads) & ~readableBits.kSync;
  return state;
});

defineLazy('_writableState', (socket) => {
  const { at, server: { highWaterMark } } = socket[kConnection];
  const isHeld = socket[kIsUnwritten] === kHolds;
  socket[kIsUnwritten] = false;
  const state = new WritableState({ highWaterMark, decodeStrings: false, emitClose: false }, socket, true);
  // As after any completed write.
  if (socket._bytesDispatched > 0) state.sync = false;
  if (isHeld) takeNativeState(state, native.giveUp(socket[kHandle], at) ?? [0, false]);
  countUntold(socket, state, highWaterMark);
  return state;
});

// Moves data that the native code holds into the stream's state, in the form Node would have written it.
function takeNativeState(state, held) {
  state.pendingcb = held[0];
  state.needDrain = held[1];
  if (held.length === 2) return;
  state.corked = 1;
  state[kState] = (state[kState] | kBuffered | kCorked) & ~(kAllBuffers | kAllNoop);
  const buffered = state[kBufferedValue] = [];
  for (let at = 2; at < held.length; at += 3) {
    const encoding = held[at + 1] ?? 'buffer';
    const chunk = encoding === 'buffer' ? Buffer.from(held[at]) : held[at];
    buffered.push({ chunk, encoding, callback: held[at + 2] ? () => {} : noCallback });
    state.pendingcb++;
    state.length += chunk.length;
  }
}

derived(proto, 'timeout', function() { return this[kConnection]?.timeout; });

// Values of stream properties while no state exists. Reading them does not create the state.
const unread = (answer) => (socket) => (socket[kIsUnread] ? answer(socket) : undefined);
const unwritten = (answer) => (socket) => (socket[kIsUnwritten] ? answer(socket) : undefined);
const markOf = (socket) => socket[kConnection]?.server.highWaterMark;
const defaultsWithoutState = {
  destroyed: (socket) => (socket[kIsUnread] || socket[kIsUnwritten] ? false : undefined),
  readable: unread(() => true),
  readableHighWaterMark: unread(markOf),
  writable: unwritten(() => true),
  writableCorked: unwritten(() => 0),
  writableHighWaterMark: unwritten(markOf),
  writableLength: unwritten(() => 0),
};
for (const name of Object.keys(defaultsWithoutState)) {
  const { get, set } = descriptorOf(net.Socket.prototype, name);
  const answer = defaultsWithoutState[name];
  Object.defineProperty(proto, name, {
    __proto__: null, get() { return answer(this) ?? get.call(this); }, set, configurable: true,
  });
}

function descriptorOf(object, name) {
  return Object.getOwnPropertyDescriptor(object, name) ?? descriptorOf(Object.getPrototypeOf(object), name);
}

// The socket flows already.
proto.resume = function resume() {
  return this[kIsUnread] ? this : net.Socket.prototype.resume.call(this);
};

// Create all lazy properties before the socket is inspected.
proto[Symbol.for('nodejs.util.inspect.custom')] = function() {
  return (this._events, this._readableState, this._writableState, this);
};

// `listeners` are the server's listeners by event, `methods` the own methods of such sockets. Returns the prototype.
function prepare({ close, error, drain, data, end, timeout, resume, pause }, methods) {
  Object.assign(proto, methods);
  defineLazy('_events', (socket) => {
    const events = {
      close, error, prefinish: undefined, finish: undefined, drain, data, end: [onReadableStreamEnd, end],
      readable: undefined, timeout, resume, pause,
    };
    // Set it first: the code below reads `_events`.
    ownValue(socket, '_events', events);
    EventEmitter.init.call(socket);
    socket._eventsCount = 8;
    // A listener added now must see the events of a fast-path write, so create the state.
    if (untoldOf(socket) !== undefined) void socket._writableState;
    return events;
  });
  return proto;
}

// Creates the socket and the connection, as `net.Server` and the 'connection' listener would.
function accept(server, handle) {
  const socket = new AcceptedSocket(server, handle);
  handle[kOwner] = socket;
  handle.onread = onStreamRead;
  handle.reading = true;
  const status = handle.readStart();
  handle.setNoDelay(true);
  const connection = new Connection(server, socket);
  server[kConnections]?.add(connection);
  handle._consumed = true;
  connection.at = connection.consume(handle);
  if (status !== 0) socket.destroy(errnoException(status, 'read'));
}

module.exports = { accept, prepare };
