'use strict';
// The global `Response` of the Fetch Standard: body extraction, reading and cloning. There is no network fetch.

const { Headers, freeze } = require('internal/fetch/headers');
const { isAnyArrayBuffer } = require('internal/util/types');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const nullBodies = new SafeSet([101, 103, 204, 205, 304]);
const redirects = new SafeSet([301, 302, 303, 307, 308]);

const streams = () => require('internal/webstreams/readable');
const isDisturbed = (stream) => require('stream').isDisturbed(stream);

// Extracts a body (Fetch Standard, "extract a body"): bytes or a stream, and the content type.
function extract(body) {
  if (body === undefined || body === null) return null;
  if (typeof body === 'object') {
    if (body instanceof streams().ReadableStream) {
      if (body.locked || isDisturbed(body)) throw new TypeError('Response body object should not be disturbed or locked');
      return { stream: body };
    }
    if (isAnyArrayBuffer(body)) return { bytes: new Uint8Array(body.slice(0)) };
    if (ArrayBuffer.isView(body)) {
      return { bytes: new Uint8Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength)) };
    }
    if (require('internal/blob').isBlob(body)) return { stream: body.stream(), type: body.type || undefined };
    if (body instanceof require('internal/url').URLSearchParams) {
      return { bytes: encode(String(body)), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    }
    if (typeof body[Symbol.asyncIterator] === 'function') return { stream: streams().ReadableStream.from(body) };
  }
  return { bytes: encode(`${body}`), type: 'text/plain;charset=UTF-8' };
}

function encode(text) { return new (require('internal/encoding').TextEncoder)().encode(text); }

function decode(bytes) { return new (require('internal/encoding').TextDecoder)().decode(bytes); }

function streamOf(bytes) {
  return new (streams().ReadableStream)({
    type: 'bytes',
    pull(controller) {
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
    },
  });
}

async function gather(stream) {
  const chunks = [];
  let length = 0;
  for await (const chunk of stream) {
    if (!ArrayBuffer.isView(chunk) || chunk.constructor === DataView) {
      throw new TypeError('Received non-Uint8Array chunk');
    }
    chunks.push(chunk);
    length += chunk.byteLength;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength), at);
    at += chunk.byteLength;
  }
  return bytes;
}

function optionsOf(init) {
  const { status, statusText, headers } = init ?? {};
  const number = status === undefined ? 200 : Math.trunc(Number(status)) & 0xffff;
  if (number < 200 || number > 599) {
    throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
  }
  const text = statusText === undefined ? '' : `${statusText}`;
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) throw new TypeError('Invalid statusText');
  return { status: number, statusText: text, headers: new Headers(headers) };
}

class Response {
  #type = 'default';
  #status;
  #statusText;
  #headers;
  // The body, or null. The byte stream is created on access.
  #body = null;
  #isRead = false;

  static error() {
    const response = new Response();
    response.#type = 'error';
    response.#status = 0;
    freeze(response.#headers);
    return response;
  }

  static json(data, init = undefined) {
    if (arguments.length === 0) throw new TypeError('Response.json: 1 argument required, but 0 found.');
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError('Value is not JSON serializable');
    const response = new Response(encode(text), init);
    if (!response.#headers.has('content-type')) response.#headers.set('content-type', 'application/json');
    return response;
  }

  static redirect(url, status = 302) {
    if (arguments.length === 0) throw new TypeError('Response.redirect: 1 argument required, but 0 found.');
    const { URL } = require('internal/url');
    let place;
    try {
      place = new URL(`${url}`);
    } catch (cause) {
      throw new TypeError(`Failed to parse URL from ${url}`, { cause });
    }
    if (!redirects.has(status)) throw new RangeError(`Invalid status code ${status}`);
    const response = new Response();
    response.#status = status;
    response.#headers.append('location', place.href);
    freeze(response.#headers);
    return response;
  }

  constructor(body = null, init = undefined) {
    const { status, statusText, headers } = optionsOf(init);
    this.#status = status;
    this.#statusText = statusText;
    this.#headers = headers;
    this.#body = extract(body);
    if (this.#body === null) return;
    if (nullBodies.has(status)) throw new TypeError(`Response constructor: Invalid response status code ${status}`);
    if (this.#body.type !== undefined && !headers.has('content-type')) headers.append('content-type', this.#body.type);
  }

  get type() { return this.#type; }

  get url() { return ''; }

  get redirected() { return false; }

  get status() { return this.#status; }

  get ok() { return this.#status >= 200 && this.#status <= 299; }

  get statusText() { return this.#statusText; }

  get headers() { return this.#headers; }

  get body() {
    if (this.#body === null) return null;
    if (this.#body.stream === undefined) {
      this.#body.stream = streamOf(this.#body.bytes);
      // A body that was read marks its stream as disturbed.
      if (this.#isRead) this.#body.stream.cancel();
    }
    return this.#body.stream;
  }

  get bodyUsed() {
    if (this.#body === null) return false;
    return this.#isRead || (this.#body.stream !== undefined && isDisturbed(this.#body.stream));
  }

  clone() {
    if (this.bodyUsed || this.#body?.stream?.locked) throw new TypeError('Response.clone: Body has already been consumed.');
    const { status, statusText } = this;
    const copy = new Response(null, { status: status || 200, statusText, headers: this.#headers });
    copy.#type = this.#type;
    copy.#status = status;
    if (this.#body?.stream !== undefined) {
      const [ours, theirs] = this.#body.stream.tee();
      this.#body = { stream: ours };
      copy.#body = { stream: theirs };
    } else if (this.#body !== null) {
      copy.#body = { bytes: this.#body.bytes };
    }
    return copy;
  }

  async #read() {
    if (this.#body === null) return new Uint8Array(0);
    if (this.bodyUsed || this.#body.stream?.locked) throw new TypeError('Body is unusable: Body has already been read');
    this.#isRead = true;
    return this.#body.stream === undefined ? this.#body.bytes.slice() : gather(this.#body.stream);
  }

  async blob() {
    const { Blob } = require('internal/blob');
    return new Blob([await this.#read()], { type: this.#headers.get('content-type') ?? '' });
  }

  async arrayBuffer() { return (await this.#read()).buffer; }

  async text() { return decode(await this.#read()); }

  async json() { return JSON.parse(decode(await this.#read())); }

  async bytes() { return this.#read(); }

  [inspectSymbol](depth, options) {
    const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
    const shown = { status, statusText, headers, body, bodyUsed, ok, redirected, type, url };
    return `Response ${require('internal/util/inspect').inspect(shown, { ...options, depth: options.depth ?? depth })}`;
  }
}

for (const name of [
  'type', 'url', 'redirected', 'status', 'ok', 'statusText', 'headers', 'body', 'bodyUsed', 'clone', 'blob', 'arrayBuffer', 'text', 'json',
  'bytes',
]) {
  Object.defineProperty(Response.prototype, name, { __proto__: null, enumerable: true });
}
Object.defineProperty(Response.prototype, Symbol.toStringTag, { __proto__: null, value: 'Response', configurable: true });

module.exports = { Response };
