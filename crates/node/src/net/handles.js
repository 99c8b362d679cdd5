'use strict';
// What sockets and servers have as `_handle`: thin classes over the natives. A method gives 0 or libuv's negative number.

// A number that no handle has.
const kNone = 0xffffffff;

const kOwner = Symbol('owner_symbol');

// What `write` gives if nothing is left to be written. No number of libuv's, and no count.
const kWritten = -Infinity;
const kLater = native.LATER;

// What all handles share. The object hears of its handle by its methods, so it opens it after it was made.
class Handle {
  // The native's number; none once it is closing.
  #at = kNone;

  constructor() {
    this[kOwner] = null;
  }

  // For the classes below and for `dgram`.
  static open(handle, at) { handle.#at = at; }
  static at(handle) { return handle.#at; }

  get fd() { return native.fd(this.#at); }

  close(callback) {
    if (this.#at === kNone) return;
    if (callback !== undefined) this.closed = callback;
    native.close(this.#at);
    this.#at = kNone;
  }

  // As close, with a reset of the connection.
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

// Called from the closing phase.
Handle.prototype.closed = undefined;

const { at: numberOf, open } = Handle;
delete Handle.at;
delete Handle.open;

class StreamHandle extends Handle {
  constructor(kind) {
    super();
    this.reading = false;
    this.onconnection = null;
    // This gives it an `onread` that is not shown.
    open(this, native.open(kind, this));
  }

  get bytesRead() { return native.bytesRead(numberOf(this)); }
  get bytesWritten() { return native.bytesWritten(numberOf(this)); }

  get isStreamBase() { return true; }
  get writeQueueSize() { return native.writeQueueSize(numberOf(this)); }

  listen(backlog) { return native.listen(numberOf(this), backlog | 0); }
  // Called for each connection.
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

  // Writes what goes out at once of a buffer, a string (UTF-8, or Latin-1 if that is said) or a list of buffers and UTF-8
  // strings. `kWritten`, or how many bytes are written if there is a rest, or libuv's number.
  write(data, latin1) {
    const result = native.write(numberOf(this), data, latin1);
    if (result >= 0 && result < kLater) return kWritten;
    return result < 0 ? result : result - kLater;
  }

  // How many bytes there are in all; the request's `oncomplete` is called when they are written.
  writeRest(request, data, latin1, written) {
    return native.writeRest(numberOf(this), request, data, latin1, written);
  }

  // With another handle, through an IPC pipe; as `writeRest`.
  writeHandle(request, data, passed) { return native.writeHandle(numberOf(this), request, data, numberOf(passed)); }

  getsockname(out) { return fill(out, native.localAddress(numberOf(this))); }
  getpeername(out) { return fill(out, native.peerAddress(numberOf(this))); }
}

// Of what the natives found, the parts as Node names them.
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
  // 'Pipe', 'TCP' or 'UDP' if such a handle has come and can be accepted.
  passedKind() { return native.passedKind(numberOf(this)); }
  fchmod(mode) {
    return native.chmodPipe(numberOf(this), (mode & Pipe.READABLE) !== 0, (mode & Pipe.WRITABLE) !== 0);
  }
}
// A pipe has no address: sockets and servers look whether there is a method.
Pipe.prototype.getsockname = undefined;
Pipe.prototype.getpeername = undefined;
Pipe.prototype.reset = undefined;
Object.assign(Pipe, { SOCKET: 0, SERVER: 1, IPC: 2, READABLE: 1, WRITABLE: 2 });

const { addHandles, addRequests } = require('internal/resources');
addRequests(() => native.active(true));
addHandles(() => native.active(false), () => native.activeObjects().map((handle) => handle[kOwner] ?? handle));

module.exports = { Handle, Pipe, StreamHandle, TCP, fill, kOwner, kWritten, numberOf, open };
