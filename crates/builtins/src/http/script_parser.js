'use strict';
// The public `HTTPParser` of `_http_common` and `process.binding('http_parser')`: reports to numbered callbacks
// (`kOnHeaders`, ...) like Node's binding. The server and client of this module do not use it.

const { Buffer } = require('buffer');
const tracking = require('internal/async_hooks/tracking');
const { Parser, defaultHeaderSize, parseError } = require('internal/http/common');

const FastBuffer = Buffer[Symbol.species];

const REQUEST = 1;
const RESPONSE = 2;
const kOnMessageBegin = 0;
const kOnHeaders = 1;
const kOnHeadersComplete = 2;
const kOnBody = 3;
const kOnMessageComplete = 4;
const kOnExecute = 5;
const kLenientNone = 0;
const kLenientAll = 1023;

// Maximum number of header names and values for one call of `kOnHeaders`.
const kMaxFields = 62;

const fieldsOf = (block) => (block === undefined ? [] : block.split('\n'));

class HTTPParser extends Parser {
  #isRequest = true;
  // True after the beginning of a message, until it is complete.
  #isBegun = false;
  // True if `kOnHeaders` must report the headers: there are trailers, or more headers than fit into one call.
  #isInParts = false;
  // The part of the request URL that has not been reported yet.
  #url = '';
  // The consumed handle, the `onread` that it had before, and the buffer that is being parsed.
  #handle = null;
  #onread = undefined;
  #current = undefined;

  initialize(type, resource, maxHeaderSize = 0, lenientFlags = kLenientNone) {
    this.#isRequest = type === REQUEST;
    this.#isBegun = this.#isInParts = false;
    const size = maxHeaderSize || defaultHeaderSize();
    native.initialize(this, this.#isRequest, lenientFlags === kLenientAll, size, 0, tracking.on ? resource : undefined);
  }

  // Returns the number of bytes parsed, or an error.
  execute(bytes) {
    const result = native.execute(this, bytes);
    if (typeof result === 'number') {
      if (!native.isIdle(this)) this.#begin();
      return result;
    }
    this.#begin();
    return parseError(result);
  }

  // Called when the peer has ended the connection. Returns an error if a message is incomplete.
  finish() {
    const result = native.finishParsing(this);
    return result === undefined ? undefined : parseError(result);
  }

  // Parses the data that the handle reads, until `unconsume()` is called.
  consume(handle) {
    this.#handle = handle;
    this.#onread = handle.onread;
    handle.onread = (count, bytes) => {
      if (count < 0) {
        Reflect.apply(this.#onread, handle, [count, bytes]);
        return;
      }
      this.#current = new FastBuffer(bytes);
      try {
        const result = this.execute(this.#current);
        this[kOnExecute]?.(result);
      } finally {
        this.#current = undefined;
      }
    };
  }

  unconsume() {
    if (this.#handle === null) return;
    this.#handle.onread = this.#onread;
    this.#handle = null;
  }

  getCurrentBuffer() { return this.#current; }

  free() {
    this.unconsume();
    native.free(this);
  }
  close() { this.free(); }
  // Part of Node's interface. It has no effect: this parser is in no list of connections.
  remove() {}

  // ---- Callbacks of the native parser
  onhead(major, minor, number, line, block, keepsAlive, isUpgrade, isComplete) {
    this.#begin();
    const isRequest = this.#isRequest;
    let url = isRequest ? line : undefined;
    this.#url = url ?? '';
    let headers = fieldsOf(block);
    if (this.#isInParts || headers.length > kMaxFields) {
      this.#reportHeaders(headers);
      headers = url = undefined;
    }
    const method = isRequest ? number : undefined;
    const [status, reason] = isRequest ? [] : [number, line];
    const answer = this[kOnHeadersComplete]?.(
      major, minor, headers, method, url, status, reason, isUpgrade, keepsAlive);
    if (isComplete) this.onend();
    return answer;
  }

  onbody(bytes) { this[kOnBody]?.(new FastBuffer(bytes)); }

  onend(trailers) {
    if (trailers !== undefined) this.#reportHeaders(fieldsOf(trailers));
    this.#isBegun = false;
    this[kOnMessageComplete]?.();
  }

  #begin() {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this[kOnMessageBegin]?.();
  }

  #reportHeaders(fields) {
    this.#isInParts = true;
    let at = 0;
    do {
      const url = this.#url;
      this.#url = '';
      this[kOnHeaders]?.(fields.slice(at, at + kMaxFields), url);
      at += kMaxFields;
    } while (at < fields.length);
  }
}

Object.assign(HTTPParser, {
  REQUEST,
  RESPONSE,
  kOnMessageBegin,
  kOnHeaders,
  kOnHeadersComplete,
  kOnBody,
  kOnMessageComplete,
  kOnExecute,
  kLenientNone,
  kLenientAll,
});

module.exports = { HTTPParser };
