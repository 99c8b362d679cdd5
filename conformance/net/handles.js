'use strict';
// The handles of sockets, as scripts get them from Node's bindings: what is replaced there is what sockets call.
const net = require('net');
const dgram = require('dgram');
const { TCP, constants: tcp } = process.binding('tcp_wrap');
const { Pipe, constants: pipe } = process.binding('pipe_wrap');
const { UDP, constants: udp } = process.binding('udp_wrap');
const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } = process.binding('stream_wrap');
const { UV_EOF, UV_EINVAL, UV_ECONNRESET } = process.binding('uv');
console.log(tcp, pipe, udp);

// A handle that is bound already, for a server.
function listen(done) {
  const handle = new TCP(tcp.SERVER);
  console.log(handle.bind('127.0.0.1', 0), handle.fd > 0, handle.bind('nothing', 0) === UV_EINVAL);
  const address = {};
  console.log(handle.getsockname(address), address.address, address.family, address.port > 0);
  const server = net.createServer((socket) => socket.end('hello')).listen(handle, () => {
    console.log(server.address().port === address.port);
    const { setNoDelay } = TCP.prototype;
    TCP.prototype.setNoDelay = function(...args) {
      console.log('setNoDelay', args);
      return setNoDelay.apply(this, args);
    };
    const client = net.connect(address.port, '127.0.0.1');
    client.setNoDelay(true);
    client.setEncoding('utf8').on('data', console.log).on('close', () => {
      TCP.prototype.setNoDelay = setNoDelay;
      server.close(done);
    });
  });
}

// A socket on a handle that is the script's own.
function foreign(done) {
  const steps = [
    function() {
      const bytes = new Uint8Array(9);
      bytes.set(Buffer.from('..hello..'));
      streamBaseState[kReadBytesOrError] = 5;
      streamBaseState[kArrayBufferOffset] = 2;
      this.onread(bytes.buffer);
    },
    function() {
      streamBaseState[kReadBytesOrError] = UV_EOF;
      this.onread(undefined);
    },
  ];
  let started = false;
  const handle = {
    readStart() {
      if (started) return 0;
      started = true;
      for (const step of steps) setImmediate(() => step.call(handle));
      return 0;
    },
    readStop: () => 0,
    close: (callback) => setImmediate(callback),
  };
  const socket = new net.Socket({ handle, writable: false });
  socket.on('data', (chunk) => console.log(`${chunk}`, chunk.length));
  socket.on('end', () => console.log('end')).on('close', (isError) => {
    console.log('close', isError);
    failing(done);
  });
}

function failing(done) {
  const handle = {
    readStart() {
      setImmediate(() => {
        streamBaseState[kReadBytesOrError] = UV_ECONNRESET;
        this.onread(undefined);
      });
      return 0;
    },
    close: (callback) => setImmediate(callback),
  };
  const socket = new net.Socket({ handle, writable: false });
  socket.on('error', (error) => console.log(error.message, error.errno === UV_ECONNRESET)).on('close', done).resume();
}

function datagrams(done) {
  const { bind } = UDP.prototype;
  UDP.prototype.bind = function(...args) {
    console.log('bind', args);
    return bind.apply(this, args);
  };
  const socket = dgram.createSocket({ type: 'udp4', reuseAddr: true }).bind(0, '127.0.0.1', () => {
    UDP.prototype.bind = bind;
    socket.close(done);
  });
}

listen(() => foreign(() => datagrams(() => console.log('done'))));
