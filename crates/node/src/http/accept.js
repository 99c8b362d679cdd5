'use strict';
// Sockets of a server that nobody but the server hears of. One has what it needs to wait for a request, and the parser
// reads it; its listeners and the states of its two streams are made when somebody looks, as they would be by then.

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

// It was not read as a stream; the same of writing is for the native as well.
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

// The parser reads it, and stands for who listens to 'data'.
const kReads = readableBits.kReading | readableBits.kNeedReadable | readableBits.kHasFlowing | readableBits.kFlowing |
  readableBits.kHasPaused | readableBits.kDataListening;

// A property that is made when somebody looks, also by way of an object that inherits from the socket.
function made(name, make) {
  derived(proto, name, function() {
    let socket = this;
    while (socket !== null && !Object.hasOwn(socket, kConnection)) socket = Object.getPrototypeOf(socket);
    if (socket === null) return undefined;
    ownValue(socket, name, make(socket));
    return socket[name];
  });
}

made('_readableState', (socket) => {
  const { highWaterMark } = socket[kConnection].server;
  socket[kIsUnread] = false;
  const state = new ReadableState({ highWaterMark, emitClose: false }, socket, true);
  state[kState] = (state[kState] | kReads) & ~readableBits.kSync;
  return state;
});

made('_writableState', (socket) => {
  const { at, server: { highWaterMark } } = socket[kConnection];
  const isHeld = socket[kIsUnwritten] === kHolds;
  socket[kIsUnwritten] = false;
  const state = new WritableState({ highWaterMark, decodeStrings: false, emitClose: false }, socket, true);
  // As after any write.
  if (socket._bytesDispatched > 0) state.sync = false;
  if (isHeld) takeHeld(state, native.giveUp(socket[kHandle], at) ?? [0, false]);
  countUntold(socket, state, highWaterMark);
  return state;
});

// What the native held is the stream's, as Node would have written it: see `entries` in `held.rs`.
function takeHeld(state, held) {
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

// What a side is that has no state. Whoever asks for this, as `http` does with each body, has none made.
const unread = (answer) => (socket) => (socket[kIsUnread] ? answer(socket) : undefined);
const unwritten = (answer) => (socket) => (socket[kIsUnwritten] ? answer(socket) : undefined);
const markOf = (socket) => socket[kConnection]?.server.highWaterMark;
const answers = {
  destroyed: (socket) => (socket[kIsUnread] || socket[kIsUnwritten] ? false : undefined),
  readable: unread(() => true),
  readableHighWaterMark: unread(markOf),
  writable: unwritten(() => true),
  writableCorked: unwritten(() => 0),
  writableHighWaterMark: unwritten(markOf),
  writableLength: unwritten(() => 0),
};
for (const name of Object.keys(answers)) {
  const { get, set } = descriptorOf(net.Socket.prototype, name);
  const answer = answers[name];
  Object.defineProperty(proto, name, {
    __proto__: null, get() { return answer(this) ?? get.call(this); }, set, configurable: true,
  });
}

function descriptorOf(object, name) {
  return Object.getOwnPropertyDescriptor(object, name) ?? descriptorOf(Object.getPrototypeOf(object), name);
}

// It flows already.
proto.resume = function resume() {
  return this[kIsUnread] ? this : net.Socket.prototype.resume.call(this);
};

// What is shown is all there.
proto[Symbol.for('nodejs.util.inspect.custom')] = function() {
  return (this._events, this._readableState, this._writableState, this);
};

// `listeners` are the server's for each socket, by event; `methods` what such sockets have of their own. Gives their prototype.
function prepare({ close, error, drain, data, end, timeout, resume, pause }, methods) {
  Object.assign(proto, methods);
  made('_events', (socket) => {
    const events = {
      close, error, prefinish: undefined, finish: undefined, drain, data, end: [onReadableStreamEnd, end],
      readable: undefined, timeout, resume, pause,
    };
    // What follows looks at it.
    ownValue(socket, '_events', events);
    EventEmitter.init.call(socket);
    socket._eventsCount = 8;
    // Who comes now may hear what the stream tells.
    if (untoldOf(socket) !== undefined) void socket._writableState;
    return events;
  });
  return proto;
}

// Takes a connection's handle, as `net.Server` and the server's listener would do together.
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
