'use strict';
// `IncomingMessage`: a request at a server, a response at a client.
//
// Little of it is looked at in most programs, so little is made: headers stay one string until they are asked for, and
// the stream's state is made when something of a stream is done with the message. What a message is to begin with is on
// its prototype.

const process = require('process');
const EventEmitter = require('events');
const { Readable, finished } = require('stream');
const flags = require('internal/streams/flags');
const readableBits = require('internal/streams/readable_state');
const { steps } = require('internal/streams/steps');

const { ReadableState } = readableBits;

// Headers as the parser tells them: names and values, line feeds between them.
const kBlock = Symbol('kBlock');
const kFlags = Symbol('kFlags');
// How many names and values are taken of the block; 0 is all.
const kLimit = Symbol('kLimit');
const kRaw = Symbol('kRaw');
const kHeaders = Symbol('kHeaders');
const kHeadersCount = Symbol('kHeadersCount');
const kHeadersDistinct = Symbol('kHeadersDistinct');
const kTrailers = Symbol('kTrailers');
const kTrailersCount = Symbol('kTrailersCount');
const kTrailersDistinct = Symbol('kTrailersDistinct');
const kRawTrailers = Symbol('kRawTrailers');

// How far a message is while it has no state of a stream. Those that nobody wants come from `kFresh` over `kEnding`, if ticks wait,
// to `kEnded`; and when the answer is out over `kLeft`, `kLeaving` and `kRead`, if ticks wait, to `kGone`.
const kPhase = Symbol('kPhase');
const {
  FRESH: kFresh,
  // It is complete.
  ENDED: kEnded,
  // It is complete, and nobody wanted it.
  GONE: kGone,
  // It is complete, and nobody wanted it; a tick to come reads it to its end.
  LEFT: kLeft,
  // It has a state.
  MADE: kMade,
  // It is complete, which a tick to come tells.
  ENDING: kEnding,
  // As `kLeft`, and another tick to come tells that it was read.
  LEAVING: kLeaving,
  // It is complete and was read to its end for nobody, which a tick to come tells.
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

// What a stream is that was read to its end by nobody.
const kFlows = readableBits.kHasFlowing | readableBits.kFlowing | readableBits.kHasPaused;
const kOver = readableBits.kEnded | readableBits.kEndEmitted | flags.kDestroyed | flags.kClosed | flags.kCloseEmitted |
  kFlows;
// What is so of a stream whose end nobody has asked for yet.
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
  // Nothing is asked for before somebody reads.
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

// Whether nobody listens to a message, nor sees to what it emits.
const { emit } = EventEmitter.prototype;
const { hasOwn } = Object;
const isUnheard = (message) => !hasOwn(message, '_events') && message.emit === emit;

// A message needs nothing of what an emitter begins with, unless a program has its own beginning.
const { init } = EventEmitter;
function initialize(message) {
  if (EventEmitter.init !== init) EventEmitter.call(message);
}

// The message is complete. Without a state there is nobody to tell, unless more ticks wait than `count`, which are nobody's: who
// comes by one of the others comes before the tick that the end is followed by.
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

// The tick that an end is followed by, if somebody has come meanwhile, or will.
function tellEnd(message, isHeard) {
  if (message[kPhase] === kMade || !native.isLeft(message)) {
    steps.emitReadable(message);
  } else if (message[kPhase] === kEnding) {
    message[kPhase] = kEnded;
  } else if (isHeard && message[kPhase] === kLeft) {
    // It flows already.
    message[kPhase] = kLeaving;
    process.nextTick(tellRead, message);
  }
}

// The answer has gone out. Whether the message is left to the tick that reads it to its end.
function passOver(message) {
  if (message[kPhase] !== kEnded || !native.isLeft(message)) return false;
  message[kPhase] = kLeft;
  return true;
}

// In that tick: whether it is gone, as nobody hears of it, nor has a turn before it would be.
function passAway(message) {
  if (message[kPhase] !== kLeft || native.hasTicks(0) || !native.isLeft(message)) return false;
  message[kPhase] = kGone;
  return true;
}

// The tick that a `resume` is followed by.
function readToEnd(message) {
  const phase = message[kPhase];
  if ((phase !== kLeft && phase !== kLeaving) || !native.isLeft(message)) {
    steps.resumed(message, message._readableState);
    return;
  }
  message[kPhase] = kRead;
  if (phase === kLeft) process.nextTick(tellRead, message);
}

// The tick that follows from that. Whoever has a turn before it would be closed gets a state to look at.
function tellRead(message) {
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

// Where a program may have made something of the class, properties are set and methods called one by one, as Node does.
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

function tellInFull(message, limit) {
  const bits = message[kFlags];
  const block = message[kBlock];
  const lines = block === undefined ? [] : block.split('\n');
  message.httpVersionMajor = bits >> 12 & 15;
  message.httpVersionMinor = bits >> 8 & 15;
  message.httpVersion = `${bits >> 12 & 15}.${bits >> 8 & 15}`;
  message.upgrade = (bits & 2) !== 0;
  message._addHeaderLines(lines, limit > 0 ? Math.min(limit, lines.length) : lines.length);
}

// A property that is worked out until it is set, for what is set often.
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

// A property that is worked out until it is set.
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
  if (raw === undefined) {
    const block = message[kBlock];
    raw = message[kRaw] = block === undefined ? [] : block.split('\n');
  }
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
  // As Node: the lists are no accessors there, and the others stay what they are.
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

// As ever: an error that nobody listens to is none.
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

// Of these the first counts; of all others the values are joined.
const kOnce = new Set([
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

// Reads it for nobody.
proto._dump = function _dump() {
  if (this._dumped) return;
  this._dumped = true;
  this.removeAllListeners('data');
  this.resume();
};

module.exports = { IncomingMessage, readStart, readStop };

// The engine forgets a shape that no object has, and would make those of a request with each: one of each is kept.
function keepShapes(prototype, keys) {
  return [...keys, undefined].map((_, count) => {
    const kept = Object.create(prototype);
    for (const key of keys.slice(0, count)) kept[key] = undefined;
    return kept;
  });
}

// For this folder.
const inside = {
  answered, derived, initialize, isUnheard, keepShapes, kBlock, kEnded, kFlags, kLimit, kPhase, ownValue, passAway, passOver,
  pushEnd, readToEnd, tellEnd, tellInFull,
};
for (const name of Object.keys(inside)) {
  Object.defineProperty(module.exports, name, { __proto__: null, value: inside[name] });
}
