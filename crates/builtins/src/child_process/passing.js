'use strict';
// Sending sockets and servers over an IPC channel: the handles and messages that are sent, and the objects that the receiver creates.
//
// A server counts the connections that it has sent, and waits for them in `close()`. Both ends have a list for each server key, and exchange internal
// messages (`lib/internal/socket_list.js`).

const EventEmitter = require('events');
const { ERR_CHILD_CLOSED_BEFORE_REPLY, ERR_INVALID_HANDLE_TYPE } = require('internal/errors');
const { Pipe, TCP } = require('internal/net/handles');

// List of the sending process: the connections of a server that were sent to a child (`SocketListSend` in Node).
class SentSockets extends EventEmitter {
  constructor(child, key) {
    super();
    this.key = key;
    this.child = child;
    child.once('exit', () => this.emit('exit', this));
  }

  #ask(cmd, answer, options, callback) {
    const { child, key } = this;
    const leave = () => {
      child.removeListener('disconnect', onClosed);
      child.removeListener('internalMessage', onMessage);
    };
    const onClosed = () => {
      leave();
      callback(new ERR_CHILD_CLOSED_BEFORE_REPLY());
    };
    const onMessage = (message) => {
      if (message.cmd !== answer || message.key !== key) return;
      leave();
      callback(null, message);
    };
    if (!child.connected) {
      onClosed();
      return;
    }
    child._send({ cmd, key }, undefined, options);
    child.once('disconnect', onClosed);
    child.on('internalMessage', onMessage);
  }

  close(callback) {
    this.#ask('NODE_SOCKET_NOTIFY_CLOSE', 'NODE_SOCKET_ALL_CLOSED', { swallowErrors: true }, callback);
  }

  getConnections(callback) {
    this.#ask('NODE_SOCKET_GET_COUNT', 'NODE_SOCKET_COUNT', {}, (error, answer) => {
      if (error) callback(error);
      else callback(null, answer.count);
    });
  }
}

// List of the receiving process (`SocketListReceive` in Node).
class ReceivedSockets {
  #open = 0;
  #isAsked = false;

  constructor(target, key) {
    const send = (message) => { if (target.connected) target._send({ ...message, key }, undefined, { swallowErrors: true }); };
    this.sendIfClosed = () => {
      if (!this.#isAsked || this.#open > 0) return;
      this.#isAsked = false;
      send({ cmd: 'NODE_SOCKET_ALL_CLOSED' });
    };
    target.on('internalMessage', (message) => {
      if (message.key !== key) return;
      if (message.cmd === 'NODE_SOCKET_GET_COUNT') {
        send({ cmd: 'NODE_SOCKET_COUNT', count: this.#open });
      } else if (message.cmd === 'NODE_SOCKET_NOTIFY_CLOSE') {
        this.#isAsked = true;
        this.sendIfClosed();
      }
    });
  }

  add(socket) {
    this.#open++;
    socket.once('close', () => {
      this.#open--;
      this.sendIfClosed();
    });
  }
}

function listOf(lists, key, make) {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, list = make());
  return list;
}

const same = {
  take: (channel, message, handle) => handle,
  make: (channel, message, handle, done) => done(handle),
};

const kinds = {
  '__proto__': null,

  'dgram.Native': same,

  'dgram.Socket': {
    take(channel, message, socket) {
      message.dgramType = socket.type;
      return require('internal/dgram').handleOf(socket);
    },
    make(channel, message, handle, done) {
      const socket = new (require('dgram').Socket)(message.dgramType);
      socket.bind(handle, () => done(socket));
    },
  },

  'net.Native': same,

  'net.Server': {
    take: (channel, message, server) => server._handle,
    make(channel, message, handle, done) {
      const server = new (require('net').Server)();
      server.listen(handle, () => done(server));
    },
  },

  'net.Socket': {
    // The sender closes its handle after the acknowledgement of the receiver.
    closesAfterAck: true,
    take(channel, message, socket, { keepOpen }) {
      const { _handle: handle, server } = socket;
      if (!handle) return undefined;
      if (server) {
        message.key = server._connectionKey;
        const { sent, target } = channel;
        if (!sent.has(message.key)) {
          const list = listOf(sent, message.key, () => new SentSockets(target, message.key));
          server._setupWorker(list);
        }
        if (!keepOpen) server._connections--;
      }
      if (keepOpen) return handle;
      // Stop reading, because all further data belongs to the receiver.
      handle.readStop();
      handle.onread = () => {};
      socket._handle = null;
      socket.setTimeout(0);
      socket._httpMessage?.detachSocket?.(socket);
      return handle;
    },
    make(channel, message, handle, done) {
      const socket = new (require('net').Socket)({ handle, readable: true, writable: true });
      if (message.key) {
        listOf(channel.got, message.key, () => new ReceivedSockets(channel.target, message.key)).add(socket);
      }
      done(socket);
    },
  },
};

// Returns the type of an object that is passed to `send()`.
function kindOf(passed) {
  const { Server, Socket } = require('net');
  if (passed instanceof Socket) return 'net.Socket';
  if (passed instanceof Server) return 'net.Server';
  if (passed instanceof TCP || passed instanceof Pipe) return 'net.Native';
  if (passed instanceof require('dgram').Socket) return 'dgram.Socket';
  if (passed instanceof require('internal/dgram').UDP) return 'dgram.Native';
  throw new ERR_INVALID_HANDLE_TYPE();
}

// Accepts a handle that was received through a pipe; returns null if there is none.
function received(pipe) {
  const kind = pipe.passedKind();
  if (kind === undefined) return null;
  const { UDP } = kind === 'UDP' ? require('internal/dgram') : {};
  const handle = kind === 'UDP' ? new UDP() : kind === 'TCP' ? new TCP(TCP.SOCKET) : new Pipe(Pipe.SOCKET);
  if (pipe.accept(handle) === 0) return handle;
  handle.close();
  return null;
}

module.exports = { kindOf, kinds, received };
