'use strict';
// `HTTPParser` as scripts know it, from `_http_common` and from `process.binding('http_parser')`: a parser that tells what it
// finds by numbered methods, as Node's does. Servers and clients here have a shorter way.

const { Buffer } = require('buffer');
const tracking = require('internal/async_hooks/tracking');
const { Parser, defaultHeaderSize, kComplete, kKeepAlive, kUpgrade, parseError } = require('internal/http/common');

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

// So many names and values are told at once.
const kMostWords = 62;

const wordsOf = (block) => (block === undefined ? [] : block.split('\n'));

class HTTPParser extends Parser {
  #isRequest = true;
  // A message has begun and is not complete.
  #isBegun = false;
  // There were trailers, or more headers than are told at once: from then on they come before the head.
  #isInParts = false;
  // What was not told yet of a request's.
  #url = '';
  // The handle that it reads, what that called before, and what is being parsed.
  #handle = null;
  #onread = undefined;
  #current = undefined;

  initialize(type, resource, maxHeaderSize = 0, lenientFlags = kLenientNone) {
    this.#isRequest = type === REQUEST;
    this.#isBegun = this.#isInParts = false;
    const size = maxHeaderSize || defaultHeaderSize();
    native.initialize(this, this.#isRequest, lenientFlags === kLenientAll, size, 0, tracking.on ? resource : undefined);
  }

  // How many bytes were taken, or the error.
  execute(bytes) {
    const result = native.execute(this, bytes);
    if (typeof result === 'number') {
      if (!native.isIdle(this)) this.#begin();
      return result;
    }
    this.#begin();
    return parseError(result);
  }

  // The other end is done: the error if something is missing.
  finish() {
    const result = native.finishParsing(this);
    return result === undefined ? undefined : parseError(result);
  }

  // Reads what comes from a handle until it is told not to.
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
  // From the list of a server's connections: it is in none.
  remove() {}

  // ---- What the native tells.
  onhead(number, line, block, flags) {
    this.#begin();
    const isRequest = this.#isRequest;
    let url = isRequest ? line : undefined;
    this.#url = url ?? '';
    let headers = wordsOf(block);
    if (this.#isInParts || headers.length > kMostWords) {
      this.#tellHeaders(headers);
      headers = url = undefined;
    }
    const method = isRequest ? number : undefined;
    const [status, reason] = isRequest ? [] : [number, line];
    const answer = this[kOnHeadersComplete]?.(
      (flags >> 12) & 0xf, (flags >> 8) & 0xf, headers, method, url, status, reason,
      (flags & kUpgrade) !== 0, (flags & kKeepAlive) !== 0);
    if ((flags & kComplete) !== 0) this.onend();
    return answer;
  }

  onbody(bytes) { this[kOnBody]?.(new FastBuffer(bytes)); }

  onend(trailers) {
    if (trailers !== undefined) this.#tellHeaders(wordsOf(trailers));
    this.#isBegun = false;
    this[kOnMessageComplete]?.();
  }

  #begin() {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this[kOnMessageBegin]?.();
  }

  #tellHeaders(words) {
    this.#isInParts = true;
    let at = 0;
    do {
      const url = this.#url;
      this.#url = '';
      this[kOnHeaders]?.(words.slice(at, at + kMostWords), url);
      at += kMostWords;
    } while (at < words.length);
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
