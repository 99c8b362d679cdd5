'use strict';
// Shared by server and client: the parser object, the parser pool, token and header validation.

const process = require('process');
const { Buffer } = require('buffer');
const tracking = require('internal/async_hooks/tracking');
const { IncomingMessage, kBlock, kFlags, kLimit, pushEnd, readStart, readStop, tellInFull } = require('internal/http/incoming');
const { numberOf } = require('internal/net/handles');
const { kTimeout } = require('internal/net/stream_io');
const { defineLazyProperties } = require('internal/util');

const FastBuffer = Buffer[Symbol.species];

const kIncomingMessage = Symbol('IncomingMessage');
const kSkipPendingData = Symbol('SkipPendingData');

// Node's default limit on the number of header names and values of one message.
const kMaxHeaderPairs = 2000;

// Flags of a parsed head, as passed by the native parser.
const kKeepAlive = 1;
const kUpgrade = 2;
const kComplete = 4;
const kHost = 8;
const kExpect = 16;

const { ALL_METHODS: allMethods, METHODS: methods } = native;

// Builds Node's parse error from the parser's code, reason and position.
function parseError([code, reason, bytesParsed], rawPacket) {
  const error = new Error('Parse Error');
  error.bytesParsed = bytesParsed;
  error.code = code;
  error.reason = reason;
  if (rawPacket !== undefined) {
    error.rawPacket = rawPacket;
    error.message = `Parse Error: ${reason}`;
  }
  return error;
}

// The `executionAsyncResource()` of callbacks that deliver a message.
class HTTPServerAsyncResource {
  constructor(socket) {
    this.type = 'HTTPINCOMINGMESSAGE';
    this.socket = socket;
  }
}
class HTTPClientAsyncResource {
  constructor(req) {
    this.type = 'HTTPINCOMINGMESSAGE';
    this.req = req;
  }
}

// Creates an object that the native code accepts as a parser.
function Parser() { return native.parser(new.target.prototype); }

class MessageParser extends Parser {
  // `by` is the server's socket or the client's request.
  initialize(isRequest, maxHeaderSize, isLenientNow, by) {
    let resource;
    if (tracking.on) resource = isRequest ? new HTTPServerAsyncResource(by) : new HTTPClientAsyncResource(by);
    const mostWords = isRequest ? this.maxHeaderPairs : 0;
    native.initialize(this, isRequest, !!isLenientNow, maxHeaderSize || defaultHeaderSize(), mostWords, resource);
  }

  // Returns the number of bytes parsed, or an error.
  execute(bytes) {
    const result = native.execute(this, bytes);
    return typeof result === 'number' ? result : parseError(result, bytes);
  }

  // The peer ended the connection: returns an error if the message is incomplete.
  finish() {
    const result = native.finishParsing(this);
    return result === undefined ? undefined : parseError(result);
  }

  // Lets the parser read from the handle. Returns the handle's number.
  consume(handle) {
    const at = numberOf(handle);
    this._consumed = native.consume(this, at);
    return at;
  }

  unconsume() {
    native.unconsume(this);
    this._consumed = false;
  }

  // Detaches the parser from its connection.
  release() {
    this.free();
    this._consumed = false;
    this.socket = null;
    this.incoming = null;
    this.outgoing = null;
    this.onIncoming = null;
    this.maxHeaderPairs = kMaxHeaderPairs;
    this.joinDuplicateHeaders = undefined;
    parsers.free(this);
  }

  free() { native.free(this); }
  close() { native.free(this); }
  get isIdle() { return native.isIdle(this); }
  isExpired(headersTimeout, requestTimeout) { return native.isExpired(this, headersTimeout, requestTimeout); }

  // ---- Callbacks of the native parser. A server's connection overrides `onhead`.
  onhead(status, reason, block, flags) {
    const { socket } = this;
    const Incoming = socket?.server?.[kIncomingMessage] || IncomingMessage;
    const incoming = this.incoming = new Incoming(socket);
    incoming[kFlags] = flags;
    incoming[kBlock] = block;
    incoming[kLimit] = this.maxHeaderPairs;
    if (!native.isUntouched()) tellInFull(incoming, this.maxHeaderPairs);
    if (this.joinDuplicateHeaders) incoming.joinDuplicateHeaders = true;
    incoming.url = '';
    incoming.statusCode = status;
    incoming.statusMessage = reason;
    return this.onIncoming(incoming, (flags & kKeepAlive) !== 0);
  }

  onbody(bytes) {
    const stream = this.incoming;
    if (this._consumed && this.socket[kTimeout]) this.socket._unrefTimer();
    if (stream === null || stream[kSkipPendingData]) return;
    if (!stream._dumped && !stream.push(new FastBuffer(bytes))) readStop(this.socket);
  }

  onend(trailers) {
    const stream = this.incoming;
    if (stream !== null && !stream[kSkipPendingData]) {
      if (trailers !== undefined) {
        stream.complete = true;
        const list = trailers.split('\n');
        stream._addHeaderLines(list, list.length);
      }
      pushEnd(stream, 0);
    }
    readStart(this.socket);
  }

  onfault(fault, packet) { this.onexecuted(parseError(fault, new FastBuffer(packet))); }
  onupgrade(rest) { this.onexecuted(0, new FastBuffer(rest)); }
}
// Default values of a parser.
Object.assign(MessageParser.prototype, {
  socket: null,
  incoming: null,
  outgoing: null,
  onIncoming: null,
  maxHeaderPairs: kMaxHeaderPairs,
  joinDuplicateHeaders: undefined,
  _consumed: false,
  onexecuted: null,
  isFree: false,
});

// Pool of unused parsers.
const parsers = {
  name: 'parsers',
  max: 1000,
  list: [],
  alloc() {
    const parser = this.list.pop();
    if (parser === undefined) return new MessageParser();
    parser.isFree = false;
    return parser;
  },
  free(parser) {
    if (this.list.length >= this.max || parser.isFree) return false;
    parser.isFree = true;
    this.list.push(parser);
    return true;
  },
};

function freeParser(parser, req, socket) {
  if (parser) parser.release();
  if (req) req.parser = null;
  if (socket) socket.parser = null;
}

function checkIsHttpToken(value) { return native.isToken(`${value}`); }
function checkInvalidHeaderChar(value) { return !native.isValue(`${value}`); }

let headerSize;
function defaultHeaderSize() {
  if (headerSize === undefined) headerSize = Number(require('internal/options').value('max-http-header-size') ?? 16384);
  return headerSize;
}

let isWarned = false;
function isLenient() {
  const isOn = require('internal/options').has('insecure-http-parser') === true;
  if (isOn && !isWarned) {
    isWarned = true;
    process.emitWarning('Using insecure HTTP parsing');
  }
  return isOn;
}

function prepareError(error, parser, rawPacket) {
  error.rawPacket = rawPacket;
  if (typeof error.reason === 'string') error.message = `Parse Error: ${error.reason}`;
}

module.exports = {
  _checkInvalidHeaderChar: checkInvalidHeaderChar,
  _checkIsHttpToken: checkIsHttpToken,
  chunkExpression: /(?:^|\W)chunked(?:$|\W)/i,
  continueExpression: /(?:^|\W)100-continue(?:$|\W)/i,
  CRLF: '\r\n',
  freeParser,
  allMethods,
  methods,
  parsers,
  kIncomingMessage,
  // Defined lazily below; listed here for its place in the export order.
  HTTPParser: undefined,
  isLenient,
  prepareError,
  kSkipPendingData,
};

// The public `HTTPParser` emulates Node's binding.
defineLazyProperties(module.exports, 'internal/http/script_parser', ['HTTPParser']);

// Internal exports, hidden from enumeration.
const inside = {
  MessageParser, Parser, defaultHeaderSize, kComplete, kExpect, kHost, kKeepAlive, kUpgrade, parseError,
};
for (const name of Object.keys(inside)) {
  Object.defineProperty(module.exports, name, { __proto__: null, value: inside[name] });
}
