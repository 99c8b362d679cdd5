'use strict';
// The `stdio` option: the type of each descriptor of a child.

const errors = require('internal/errors');
const { Handle, Pipe, numberOf } = require('internal/net/handles');

// Converts the string form of the option to the items of the three standard descriptors.
function fromWord(word, channel) {
  const list = [];
  switch (word) {
    case 'ignore':
    case 'overlapped':
    case 'pipe':
      list.push(word, word, word);
      break;
    case 'inherit':
      list.push(0, 1, 2);
      break;
    default:
      throw new errors.ERR_INVALID_ARG_VALUE('stdio', word);
  }
  if (channel) list.push(channel);
  return list;
}

const handleOf = (value) => [value, value.handle, value._handle].find((one) => one instanceof Handle);

class Items {
  constructor(sync) {
    this.sync = sync;
    this.list = [];
    this.ipc = undefined;
    this.ipcFd = undefined;
  }

  fail(error) {
    for (const { type, handle } of this.list) {
      if (type === 'pipe') handle?.close();
    }
    throw error;
  }

  add(value, at) {
    value ??= at < 3 ? 'pipe' : 'ignore';
    if (value === 'ignore') {
      this.list.push({ __proto__: null, type: 'ignore' });
    } else if (value === 'pipe' || value === 'overlapped' || (typeof value === 'number' && value < 0)) {
      const item = { __proto__: null, type: 'pipe', readable: at === 0, writable: at !== 0 };
      if (!this.sync) item.handle = new Pipe(Pipe.SOCKET);
      this.list.push(item);
    } else if (value === 'ipc') {
      this.addChannel(at);
    } else if (value === 'inherit') {
      this.list.push({ __proto__: null, type: 'fd', fd: at });
    } else if (typeof value === 'number' || typeof value.fd === 'number') {
      this.list.push({ __proto__: null, type: 'fd', fd: typeof value === 'number' ? value : value.fd });
    } else if (handleOf(value) !== undefined) {
      this.list.push({ __proto__: null, type: 'wrap', handle: handleOf(value), stream: value });
    } else if (ArrayBuffer.isView(value) || typeof value === 'string') {
      if (!this.sync) this.fail(new errors.ERR_INVALID_SYNC_FORK_INPUT(require('internal/util/inspect').inspect(value)));
    } else {
      this.fail(new errors.ERR_INVALID_ARG_VALUE('stdio', value));
    }
  }

  addChannel(at) {
    if (this.sync) this.fail(new errors.ERR_IPC_SYNC_FORK());
    if (this.ipc !== undefined) this.fail(new errors.ERR_IPC_ONE_PIPE());
    this.ipc = new Pipe(Pipe.IPC);
    this.ipcFd = at;
    this.list.push({ __proto__: null, type: 'pipe', handle: this.ipc, ipc: true });
  }
}

// Converts the option. `list` has the items of the descriptors, `ipc` is the handle of the IPC channel, `ipcFd` its descriptor in the child.
function itemsOf(stdio, sync) {
  if (typeof stdio === 'string') stdio = fromWord(stdio);
  else if (!Array.isArray(stdio)) throw new errors.ERR_INVALID_ARG_VALUE('stdio', stdio);
  // Like Node, extend the array of the caller to three items.
  while (stdio.length < 3) stdio.push(undefined);
  const items = new Items(sync);
  for (let at = 0; at < stdio.length; at++) items.add(stdio[at], at);
  return items;
}

// Converts an item to the form that the native code takes.
function plain({ type, fd, handle, readable, input }, sync) {
  switch (type) {
    case 'fd': return { kind: 'fd', value: fd };
    case 'wrap': return { kind: 'stream', value: numberOf(handle) };
    case 'pipe':
      if (!sync) return { kind: 'pipe', value: numberOf(handle) };
      return readable ? { kind: 'input', value: input } : { kind: 'output' };
    default: return { kind: 'ignore' };
  }
}

module.exports = { fromWord, itemsOf, plain };
