'use strict';
// Code that the HTTP server and client share: the parser object, the parser pool, and the validation of tokens and headers.

const process = require('process');
const { Buffer } = require('buffer');
const tracking = require('internal/async_hooks/tracking');
const { _checkInvalidHeaderChar, _checkIsHttpToken } = require('internal/http/characters');
const { IncomingMessage, readStart, readStop, setHeaderText } = require('internal/http/incoming');
const { numberOf } = require('internal/net/handles');
const { defineLazyProperties } = require('internal/util');

const FastBuffer = Buffer[Symbol.species];

const kIncomingMessage = Symbol('IncomingMessage');
const kSkipPendingData = Symbol('SkipPendingData');

// Node's default limit on the number of header names and values of one message.
const kMaxHeaderPairs = 2000;

const { ALL_METHODS: allMethods, METHODS: methods } = native;

// The native parser calls these functions, which call methods of the parser object.
native.setCallbacks({
  onhead(parser, major, minor, number, line, headers, keepsAlive, isUpgrade, isComplete, hasHost, hasExpect) {
    return parser.onhead(major, minor, number, line, headers, keepsAlive, isUpgrade, isComplete, hasHost, hasExpect);
  },
  onbody(parser, bytes) { parser.onbody(bytes); },
  onend(parser, trailers) { parser.onend(trailers); },
  onfault(parser, fault, packet) { parser.onfault(fault, packet); },
  onupgrade(parser, rest) { parser.onupgrade(rest); },
});

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

// Objects that `executionAsyncResource()` returns in callbacks that deliver a message.
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
  constructor() {
    super();
    this.socket = null;
    this.incoming = null;
    this.outgoing = null;
    this.onIncoming = null;
    this.maxHeaderPairs = kMaxHeaderPairs;
    this.joinDuplicateHeaders = undefined;
    this._consumed = false;
    this.isFree = false;
  }

  // `owner` is the socket of a server, or the request of a client.
  initialize(isRequest, maxHeaderSize, isLenientNow, owner) {
    let resource;
    if (tracking.on) resource = isRequest ? new HTTPServerAsyncResource(owner) : new HTTPClientAsyncResource(owner);
    const maxFields = isRequest ? this.maxHeaderPairs : 0;
    native.initialize(this, isRequest, Boolean(isLenientNow), maxHeaderSize || defaultHeaderSize(), maxFields, resource);
  }

  // Returns the number of bytes parsed, or an error.
  execute(bytes) {
    const result = native.execute(this, bytes);
    return typeof result === 'number' ? result : parseError(result, bytes);
  }

  // Called when the peer has ended the connection. Returns an error if a message is incomplete.
  finish() {
    const result = native.finishParsing(this);
    return result === undefined ? undefined : parseError(result);
  }

  // Makes the native parser read from the handle directly.
  consume(handle) { this._consumed = native.consume(this, numberOf(handle)); }

  unconsume() {
    native.unconsume(this);
    this._consumed = false;
  }

  // Detaches the parser from its connection and returns it to the pool.
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

  // ---- Callbacks of the native parser. The connections of a server override `onhead`, `onfault` and `onupgrade`.

  // Called with the head of a response (`lib/_http_common.js: parserOnHeadersComplete`).
  onhead(major, minor, status, reason, headers, keepsAlive, isUpgrade) {
    const { socket } = this;
    const Incoming = socket?.server?.[kIncomingMessage] || IncomingMessage;
    const incoming = this.incoming = new Incoming(socket);
    setHead(incoming, major, minor, isUpgrade);
    incoming.joinDuplicateHeaders = this.joinDuplicateHeaders;
    incoming.url = '';
    setHeaderText(incoming, headers, this.maxHeaderPairs);
    incoming.statusCode = status;
    incoming.statusMessage = reason;
    return this.onIncoming(incoming, keepsAlive);
  }

  onbody(bytes) {
    const stream = this.incoming;
    if (this._consumed) this.socket._unrefTimer();
    if (stream === null || stream[kSkipPendingData]) return;
    if (!stream._dumped && !stream.push(new FastBuffer(bytes))) readStop(this.socket);
  }

  onend(trailers) {
    const stream = this.incoming;
    if (stream !== null && !stream[kSkipPendingData]) {
      stream.complete = true;
      if (trailers !== undefined) {
        const list = trailers.split('\n');
        stream._addHeaderLines(list, list.length);
      }
      stream.push(null);
    }
    readStart(this.socket);
  }
}

function setHead(incoming, major, minor, isUpgrade) {
  incoming.httpVersionMajor = major;
  incoming.httpVersionMinor = minor;
  incoming.httpVersion = major === 1 && minor === 1 ? '1.1' : `${major}.${minor}`;
  incoming.upgrade = isUpgrade;
}

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
  _checkInvalidHeaderChar,
  _checkIsHttpToken,
  chunkExpression: /(?:^|\W)chunked(?:$|\W)/i,
  continueExpression: /(?:^|\W)100-continue(?:$|\W)/i,
  CRLF: '\r\n',
  freeParser,
  allMethods,
  methods,
  parsers,
  kIncomingMessage,
  // Defined lazily below. It is listed here to keep Node's order of the exports.
  HTTPParser: undefined,
  isLenient,
  prepareError,
  kSkipPendingData,
};

// The public `HTTPParser` has the interface of Node's binding.
defineLazyProperties(module.exports, 'internal/http/script_parser', ['HTTPParser']);

// Internal exports are not enumerable.
const internalExports = { MessageParser, Parser, defaultHeaderSize, parseError, setHead };
for (const name of Object.keys(internalExports)) {
  Object.defineProperty(module.exports, name, { __proto__: null, value: internalExports[name] });
}
