'use strict';
// `http.IncomingMessage`: a request at a server, a response at a client.
//
// Most programs read few of its properties, so they are created lazily: headers stay one string until first access,
// and the Readable state is created when the message is first used as a stream. Default values are on the prototype.

const process = require('process');
const EventEmitter = require('events');
const { Readable, finished } = require('stream');
const flags = require('internal/streams/flags');
const readableBits = require('internal/streams/readable_state');
const { steps } = require('internal/streams/steps');

const { ReadableState } = readableBits;

// Raw headers from the parser: names and values, separated by line feeds.
const kBlock = Symbol('kBlock');
const kFlags = Symbol('kFlags');
// Maximum number of names and values taken from the block; 0 means all.
const kLimit = Symbol('kLimit');
const kRaw = Symbol('kRaw');
const kHeaders = Symbol('kHeaders');
const kHeadersCount = Symbol('kHeadersCount');
const kHeadersDistinct = Symbol('kHeadersDistinct');
const kTrailers = Symbol('kTrailers');
const kTrailersCount = Symbol('kTrailersCount');
const kTrailersDistinct = Symbol('kTrailersDistinct');
const kRawTrailers = Symbol('kRawTrailers');

// Phase of a message that has no Readable state yet. An unread message goes from `kFresh` to `kEnded` (by way of
// `kEnding` if ticks are queued). After its response was sent it goes from `kLeft` to `kGone` (by way of `kLeaving`
// and `kRead` if ticks are queued).
const kPhase = Symbol('kPhase');
const {
  FRESH: kFresh,
  // The message is complete.
  ENDED: kEnded,
  // The message is complete and was discarded without being read.
  GONE: kGone,
  // The message is complete and unread; a queued tick will discard it.
  LEFT: kLeft,
  // The Readable state exists.
  MADE: kMade,
  // The message is complete; a queued tick will emit 'readable'.
  ENDING: kEnding,
  // Like `kLeft`, and another queued tick will emit 'end'.
  LEAVING: kLeaving,
  // The message was discarded; a queued tick will emit 'end'.
  READ: kRead,
} = native;

const isComplete = (phase) => phase !== kFresh && phase !== kMade;
const isLeaving = (phase) => phase === kGone || phase === kLeft || phase === kLeaving || phase === kRead;

function readStart(socket) {
  if (socket && !socket._paused && socket.readable) socket.resume();
}

function readStop(socket) {
  if (socket) socket.pause();
}

function IncomingMessage(socket) {
  initialize(this);
  this.socket = socket;
  if (!native.isUntouched()) beginInFull(this, socket);
}
const proto = IncomingMessage.prototype;
Object.setPrototypeOf(proto, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

// State bits of a stream that was resumed and read to its end without a listener.
const kFlows = readableBits.kHasFlowing | readableBits.kFlowing | readableBits.kHasPaused;
const kOver = readableBits.kEnded | readableBits.kEndEmitted | flags.kDestroyed | flags.kClosed | flags.kCloseEmitted |
  kFlows;
// State bits for each phase, used when the state is created late.
const kBitsOf = {
  [kEnding]: readableBits.kEnded | readableBits.kEmittedReadable,
  [kEnded]: readableBits.kEnded,
  [kLeft]: readableBits.kEnded | kFlows | readableBits.kResumeScheduled,
  [kLeaving]: readableBits.kEnded | kFlows | readableBits.kResumeScheduled,
  [kRead]: readableBits.kEnded | kFlows,
  [kGone]: kOver,
};

function makeState(message) {
  const { socket } = message;
  const state = new ReadableState(socket ? { highWaterMark: socket.readableHighWaterMark } : undefined, message, false);
  // Suppress read-ahead until the program reads.
  state.readingMore = true;
  ownValue(message, '_readableState', state);
  const phase = message[kPhase];
  message[kPhase] = kMade;
  if (phase === kFresh) return state;
  message.complete = true;
  if (isLeaving(phase)) message._dumped = true;
  state[flags.kState] |= kBitsOf[phase];
  return state;
}

function ownValue(object, name, value) {
  Object.defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

// True if the message has no listeners and `emit` is not overridden.
const { emit } = EventEmitter.prototype;
const hasOwn = Object.hasOwn;
const isUnheard = (message) => !hasOwn(message, '_events') && message.emit === emit;

// Skip `EventEmitter.init` unless it is monkey-patched: its initial values are on the prototype.
const { init } = EventEmitter;
function initialize(message) {
  if (EventEmitter.init !== init) EventEmitter.call(message);
}

// Ends the message. Without a Readable state the phase is advanced directly, unless more than `count` ticks are
// queued: one of those could add listeners before the 'readable' tick that Node would queue here.
function pushEnd(message, count) {
  if (message[kPhase] !== kFresh || !native.isLeft(message)) {
    message.complete = true;
    message.push(null);
  } else if (native.hasTicks(count)) {
    message[kPhase] = kEnding;
    process.nextTick(tellEnd, message, false);
  } else {
    message[kPhase] = kEnded;
  }
}

// The tick that emits 'readable' after the end.
function tellEnd(message, isHeard) {
  if (message[kPhase] === kMade || !native.isLeft(message)) {
    steps.emitReadable(message);
  } else if (message[kPhase] === kEnding) {
    message[kPhase] = kEnded;
  } else if (isHeard && message[kPhase] === kLeft) {
    // The stream was resumed already.
    message[kPhase] = kLeaving;
    process.nextTick(emitEndByTick, message);
  }
}

// Called after the response was sent. Returns true if a queued tick will discard the unread message.
function passOver(message) {
  if (message[kPhase] !== kEnded || !native.isLeft(message)) return false;
  message[kPhase] = kLeft;
  return true;
}

// Called in that tick. Returns true if the message could be discarded without emitting events.
function passAway(message) {
  if (message[kPhase] !== kLeft || native.hasTicks(0) || !native.isLeft(message)) return false;
  message[kPhase] = kGone;
  return true;
}

// The tick that follows `resume()`.
function readToEnd(message) {
  const phase = message[kPhase];
  if ((phase !== kLeft && phase !== kLeaving) || !native.isLeft(message)) {
    steps.resumed(message, message._readableState);
    return;
  }
  message[kPhase] = kRead;
  if (phase === kLeft) process.nextTick(emitEndByTick, message);
}

// The tick that emits 'end'. If other ticks are queued, they must see a real Readable state.
function emitEndByTick(message) {
  if (message[kPhase] === kRead && !native.hasTicks(0) && native.isLeft(message)) message[kPhase] = kGone;
  else steps.emitEnd(message._readableState, message);
}

const defaults = {
  [kBlock]: undefined,
  [kFlags]: undefined,
  [kLimit]: 0,
  [kRaw]: undefined,
  [kHeaders]: null,
  [kHeadersCount]: -1,
  [kHeadersDistinct]: null,
  [kTrailers]: null,
  [kTrailersCount]: 0,
  [kTrailersDistinct]: null,
  [kRawTrailers]: undefined,
  [kPhase]: kFresh,
  joinDuplicateHeaders: false,
  aborted: false,
  url: '',
  method: null,
  statusCode: null,
  statusMessage: null,
  _consuming: false,
};
for (const name of Reflect.ownKeys(defaults)) {
  Object.defineProperty(proto, name, {
    __proto__: null, value: defaults[name], writable: true, enumerable: true, configurable: true,
  });
}

// Used when classes are monkey-patched: assigns every property and calls every method in Node's order.
const first = {
  httpVersionMajor: null, httpVersionMinor: null, httpVersion: null, complete: false, joinDuplicateHeaders: false,
  aborted: false, upgrade: null, url: '', method: null, statusCode: null, statusMessage: null, _consuming: false,
  _dumped: false,
};
function beginInFull(message, socket) {
  if (message[kPhase] === kFresh) makeState(message);
  Object.assign(message, first);
  message.rawHeaders = [];
  message.rawTrailers = [];
  message.client = socket;
}

// llhttp's binding passes headers on in groups of 32 fields (`src/node_http_parser.cc: kMaxHeaderFieldsCount`). Only if a group
// is full does Node drop what is beyond the limit (`lib/_http_common.js: parserOnHeaders`).
const kGroup = 2 * 32;

function linesOf(block, limit) {
  if (block === undefined) return [];
  const lines = block.split('\n');
  if (limit > 0 && lines.length > limit && lines.length >= kGroup) lines.length = limit;
  return lines;
}

function tellInFull(message, limit) {
  const bits = message[kFlags];
  const lines = linesOf(message[kBlock], limit);
  message.httpVersionMajor = bits >> 12 & 15;
  message.httpVersionMinor = bits >> 8 & 15;
  message.httpVersion = `${bits >> 12 & 15}.${bits >> 8 & 15}`;
  message.upgrade = (bits & 2) !== 0;
  message._addHeaderLines(lines, limit > 0 ? Math.min(limit, lines.length) : lines.length);
}

// Defines a property that is computed until it is assigned; the assigned value has a symbol slot, for frequent
// writes.
function answered(prototype, name, otherwise) {
  const slot = Symbol(name);
  prototype[slot] = undefined;
  Object.defineProperty(prototype, name, {
    __proto__: null,
    get() {
      const own = this[slot];
      return own === undefined ? otherwise(this) : own;
    },
    set(value) { this[slot] = value; },
    enumerable: true,
    configurable: true,
  });
  return slot;
}

// Defines a property that is computed until it is assigned; assignment turns it into an own data property.
function derived(prototype, name, get) {
  Object.defineProperty(prototype, name, {
    __proto__: null, get, set(value) { ownValue(this, name, value); }, enumerable: true, configurable: true,
  });
}
derived(proto, '_readableState', function() { return Object.hasOwn(this, 'socket') ? makeState(this) : undefined; });
derived(proto, 'client', function() { return this.socket; });
derived(proto, 'httpVersionMajor', function() { return this[kFlags] === undefined ? null : this[kFlags] >> 12 & 15; });
derived(proto, 'httpVersionMinor', function() { return this[kFlags] === undefined ? null : this[kFlags] >> 8 & 15; });
derived(proto, 'httpVersion', function() {
  const bits = this[kFlags];
  if (bits === undefined) return null;
  return (bits & 0xff00) === 0x1100 ? '1.1' : `${bits >> 12 & 15}.${bits >> 8 & 15}`;
});
derived(proto, 'upgrade', function() { return this[kFlags] === undefined ? null : (this[kFlags] & 2) !== 0; });

answered(proto, 'complete', (message) => isComplete(message[kPhase]));
answered(proto, '_dumped', (message) => isLeaving(message[kPhase]));

function rawHeaders(message) {
  let raw = message[kRaw];
  if (raw === undefined) raw = message[kRaw] = linesOf(message[kBlock], message[kLimit]);
  return raw;
}

function countOf(message, raw) {
  const count = message[kHeadersCount];
  if (count >= 0) return count;
  const limit = message[kLimit];
  return limit > 0 ? Math.min(limit, raw.length) : raw.length;
}

function collect(message, raw, count, into, isDistinct) {
  for (let at = 0; at < count; at += 2) {
    if (isDistinct) message._addHeaderLineDistinct(raw[at], raw[at + 1], into);
    else message._addHeaderLine(raw[at], raw[at + 1], into);
  }
  return into;
}

const accessors = {
  connection: [function() { return this.socket; }, function(value) { this.socket = value; }],
  rawHeaders: [function() { return rawHeaders(this); }, function(value) { this[kRaw] = value; }],
  rawTrailers: [
    function() { return this[kRawTrailers] ??= []; },
    function(value) { this[kRawTrailers] = value; },
  ],
  headers: [
    function() {
      const made = this[kHeaders];
      if (made) return made;
      const raw = rawHeaders(this);
      return this[kHeaders] = collect(this, raw, countOf(this, raw), {}, false);
    },
    function(value) { this[kHeaders] = value; },
  ],
  headersDistinct: [
    function() {
      const raw = rawHeaders(this);
      return this[kHeadersDistinct] ??= collect(this, raw, countOf(this, raw), { __proto__: null }, true);
    },
    function(value) { this[kHeadersDistinct] = value; },
  ],
  trailers: [
    function() { return this[kTrailers] ??= collect(this, this.rawTrailers, this[kTrailersCount], {}, false); },
    function(value) { this[kTrailers] = value; },
  ],
  trailersDistinct: [
    function() {
      return this[kTrailersDistinct] ??=
        collect(this, this.rawTrailers, this[kTrailersCount], { __proto__: null }, true);
    },
    function(value) { this[kTrailersDistinct] = value; },
  ],
};
for (const name of Object.keys(accessors)) {
  const [get, set] = accessors[name];
  // In Node `rawHeaders` and `rawTrailers` are data properties, hence configurable; the other accessors are not.
  Object.defineProperty(proto, name, { __proto__: null, get, set, configurable: name.startsWith('raw') });
}

proto.setTimeout = function setTimeout(msecs, callback) {
  if (callback) this.on('timeout', callback);
  this.socket.setTimeout(msecs);
  return this;
};

proto._read = function _read() {
  if (!this._consuming) {
    this._readableState.readingMore = false;
    this._consuming = true;
  }
  if (this.socket.readable) readStart(this.socket);
};

proto._destroy = function _destroy(error, callback) {
  if (!this.readableEnded || !this.complete) {
    this.aborted = true;
    this.emit('aborted');
  }
  const { socket } = this;
  if (!socket || socket.destroyed || !this.aborted) {
    process.nextTick(destroyed, this, error, callback);
    return;
  }
  socket.destroy(error);
  const cleanup = finished(socket, (ended) => {
    if (ended?.code === 'ERR_STREAM_PREMATURE_CLOSE') ended = null;
    cleanup();
    process.nextTick(destroyed, this, ended || error, callback);
  });
};

// An error without a listener is dropped (`lib/_http_incoming.js: IncomingMessage.prototype._destroy`).
function destroyed(message, error, callback) {
  if (message.listenerCount('error') === 0) callback();
  else callback(error);
}

proto._addHeaderLines = function _addHeaderLines(headers, count) {
  if (!headers?.length) return;
  let into;
  if (this.complete) {
    this.rawTrailers = headers;
    this[kTrailersCount] = count;
    into = this[kTrailers];
  } else {
    this.rawHeaders = headers;
    this[kHeadersCount] = count;
    into = this[kHeaders];
  }
  if (into) collect(this, headers, count, into, false);
};

// Headers of which only the first value counts; values of the others are joined (`lib/_http_incoming.js:
// matchKnownFields`).
const kOnce = new SafeSet([
  'age', 'host', 'from', 'etag', 'server', 'referer', 'expires', 'location', 'user-agent', 'retry-after', 'content-type',
  'max-forwards', 'authorization', 'last-modified', 'content-length', 'if-modified-since', 'proxy-authorization',
  'if-unmodified-since',
]);

proto._addHeaderLine = function _addHeaderLine(field, value, into) {
  field = field.toLowerCase();
  const before = into[field];
  if (field === 'set-cookie') {
    if (before === undefined) into[field] = [value];
    else before.push(value);
  } else if (!kOnce.has(field)) {
    if (typeof before === 'string') into[field] = `${before}${field === 'cookie' ? '; ' : ', '}${value}`;
    else into[field] = value;
  } else if (before === undefined) {
    into[field] = value;
  } else if (this.joinDuplicateHeaders) {
    into[field] = `${before}, ${value}`;
  }
};

proto._addHeaderLineDistinct = function _addHeaderLineDistinct(field, value, into) {
  field = field.toLowerCase();
  if (!into[field]) into[field] = [value];
  else into[field].push(value);
};

// Discards the rest of the body.
proto._dump = function _dump() {
  if (this._dumped) return;
  this._dumped = true;
  this.removeAllListeners('data');
  this.resume();
};

module.exports = { IncomingMessage, readStart, readStop };

// QuickJS frees a shape when no object has it. These objects keep the shapes of a message alive between requests.
function keepShapes(prototype, keys) {
  return [...keys, undefined].map((_, count) => {
    const kept = Object.create(prototype);
    for (const key of keys.slice(0, count)) kept[key] = undefined;
    return kept;
  });
}

// Internal exports, hidden from enumeration.
const inside = {
  answered, derived, initialize, isUnheard, keepShapes, kBlock, kEnded, kFlags, kLimit, kPhase, ownValue, passAway, passOver,
  pushEnd, readToEnd, tellEnd, tellInFull,
};
for (const name of Object.keys(inside)) {
  Object.defineProperty(module.exports, name, { __proto__: null, value: inside[name] });
}
