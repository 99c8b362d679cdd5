'use strict';
// The `_handle` classes of sockets and servers: thin wrappers of native handles. Methods return 0, or a negative libuv error code.

const { beginSpan } = require('internal/scheduler/trace');

// The handle number of a handle that is closed.
const kNone = 0xffffffff;

const kOwner = Symbol('owner_symbol');

// The native code calls these functions, which call methods of handles and requests.
native.setCallbacks({
  onread(handle, count, bytes) { handle.onread(count, bytes); },
  accepting(handle, status, client) { handle.accepting(status, client); },
  newClient(handle) { return handle.newClient(); },
  exited(handle, code, signal) { handle.exited(code, signal); },
  closed(handle) { handle.closed?.(); },
  ontimeout(handle) { handle.ontimeout(); },
  onmessage(handle, count, bytes, address, isIPv6, port) { handle.onmessage(count, bytes, address, isIPv6, port); },
  oncomplete(request, first, second, third) { request.oncomplete(first, second, third); },
});

// Base class of all handles. The native code calls methods of the object, so the object is created before the native handle.
class Handle {
  // The number of the native handle; `kNone` after `close()`.
  #at = kNone;

  constructor() {
    this[kOwner] = null;
  }

  // Give the classes below and `dgram` access to the handle number.
  static open(handle, at) { handle.#at = at; }
  static at(handle) { return handle.#at; }
  static isHandle(value) { return #at in value; }

  get fd() { return native.fd(this.#at); }

  close(callback) {
    if (this.#at === kNone) return;
    if (callback !== undefined) this.closed = callback;
    native.close(this.#at);
    this.#at = kNone;
  }

  // Like `close`, but also sends a TCP reset.
  reset(callback) {
    const status = native.reset(this.#at);
    if (status === 0) {
      if (callback !== undefined) this.closed = callback;
      this.#at = kNone;
    }
    return status;
  }

  ref() { native.setRef(this.#at, true); }
  unref() { native.setRef(this.#at, false); }
  hasRef() { return native.hasRef(this.#at); }
  getAsyncId() { return this.asyncId ?? -1; }
}

// The callback of `close()`. It is called in the closing phase.
Handle.prototype.closed = undefined;

const { at: numberOf, isHandle, open } = Handle;
delete Handle.at;
delete Handle.isHandle;
delete Handle.open;

// Begins a span in a recording that belongs to a handle, if the value is one. Returns the number of the span.
function beginHandleSpan(handle, kind, label) {
  const isNative = typeof handle === 'object' && handle !== null && isHandle(handle);
  return isNative ? native.traceSpan(numberOf(handle), kind, label) : beginSpan(kind, label);
}

class StreamHandle extends Handle {
  constructor(kind) {
    super();
    this.reading = false;
    this.onconnection = null;
    // The native code defines the property `onread`, which is not enumerable.
    open(this, native.open(kind, this));
  }

  get bytesRead() { return native.bytesRead(numberOf(this)); }
  get bytesWritten() { return native.bytesWritten(numberOf(this)); }

  get isStreamBase() { return true; }
  get writeQueueSize() { return native.writeQueueSize(numberOf(this)); }

  listen(backlog) { return native.listen(numberOf(this), backlog | 0); }
  // The native code calls this method for each incoming connection.
  accepting(status, client = status === 0 ? this.newClient() : undefined) {
    const accepted = status === 0 ? this.accept(client) : status;
    if (accepted !== 0) client?.close();
    if (status !== 0 || accepted === 0) this.onconnection(status, client);
  }
  accept(client) { return native.accept(numberOf(this), numberOf(client)); }
  readStart() { return native.readStart(numberOf(this)); }
  readStop() { return native.readStop(numberOf(this)); }
  shutdown(request) { return native.shutdown(numberOf(this), request); }
  useUserBuffer(buffer) { native.useUserBuffer(numberOf(this), buffer); }

  // Tries to write a buffer, a string (UTF-8, or Latin-1 if `isLatin1` is true), or a list of buffers and UTF-8 strings. Returns the number of bytes
  // that were not written, or a negative libuv error code.
  write(data, isLatin1) { return native.write(numberOf(this), data, isLatin1); }

  // Writes the last `left` bytes after an incomplete `write`, and calls `request.oncomplete` when they are written. Returns the total byte length.
  writeRest(request, data, isLatin1, left) {
    return native.writeRest(numberOf(this), request, data, isLatin1, left);
  }

  // Like `writeRest`, but also sends another handle through an IPC pipe.
  writeHandle(request, data, passed) { return native.writeHandle(numberOf(this), request, data, numberOf(passed)); }

  getsockname(out) { return fill(out, native.localAddress(numberOf(this))); }
  getpeername(out) { return fill(out, native.peerAddress(numberOf(this))); }
}

// Copies an address from the native result to an object with Node's property names.
function fill(out, found) {
  if (typeof found === 'number') return found;
  [out.address, out.family, out.port] = found;
  return 0;
}

class TCP extends StreamHandle {
  constructor(type) {
    super(type === 1 ? 1 : 0);
  }

  newClient() { return new TCP(TCP.SOCKET); }
  open(fd) { return native.adopt(numberOf(this), fd, true); }
  bind(address, port, flags = 0) {
    return native.bindTcp(numberOf(this), `${address}`, port & 0xffff, false, (flags & TCP.REUSEPORT) !== 0);
  }
  bind6(address, port, flags = 0) {
    return native.bindTcp(
      numberOf(this), `${address}`, port & 0xffff, (flags & TCP.IPV6ONLY) !== 0, (flags & TCP.REUSEPORT) !== 0);
  }
  connect(request, address, port) { return native.connectTcp(numberOf(this), address, port, request); }
  connect6(request, address, port) { return native.connectTcp(numberOf(this), address, port, request); }
  setNoDelay(enable) { return native.setNoDelay(numberOf(this), enable); }
  setKeepAlive(enable, seconds) { return native.setKeepAlive(numberOf(this), enable, seconds >>> 0); }
}
Object.assign(TCP, { SOCKET: 0, SERVER: 1, IPV6ONLY: 1, REUSEPORT: 2 });

class Pipe extends StreamHandle {
  constructor(type) {
    super(type + 2);
  }

  newClient() { return new Pipe(Pipe.SOCKET); }
  open(fd) { return native.adopt(numberOf(this), fd, false); }
  bind(name) { return native.bindPipe(numberOf(this), name); }
  connect(request, name) { return native.connectPipe(numberOf(this), name, request); }
  // Returns 'Pipe', 'TCP' or 'UDP' if a handle of that type has been received over IPC and can be accepted.
  passedKind() { return native.passedKind(numberOf(this)); }
  fchmod(mode) {
    return native.chmodPipe(numberOf(this), (mode & Pipe.READABLE) !== 0, (mode & Pipe.WRITABLE) !== 0);
  }
}
// A pipe has no address. Sockets and servers check whether these methods exist.
Pipe.prototype.getsockname = undefined;
Pipe.prototype.getpeername = undefined;
Pipe.prototype.reset = undefined;
Object.assign(Pipe, { SOCKET: 0, SERVER: 1, IPC: 2, READABLE: 1, WRITABLE: 2 });

const { addHandles, addRequests } = require('internal/resources');
addRequests(() => native.active(true));
addHandles(() => native.active(false), () => native.activeObjects().map((handle) => handle[kOwner] ?? handle));

module.exports = { Handle, Pipe, StreamHandle, TCP, beginHandleSpan, fill, kOwner, numberOf, open };
