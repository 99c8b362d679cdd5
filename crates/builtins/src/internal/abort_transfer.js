'use strict';
// Transferable AbortSignals (`util.transferableAbortSignal`): a signal that is posted to another thread stays usable in
// this one. The message carries a port; when the signal aborts, its reason is sent through the port and aborts the
// copy.

const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { AbortController, abort, isSignal, makeSignal } = require('internal/abort_controller');
const { kDeserialize, kMoved, kStayed, kTransfer, kTransferList } = require('internal/clone_symbols');

const deserializeInfo = 'internal/abort_transfer:AbortSignal';
// The MessageChannel of each signal that is being posted.
const channels = new SafeWeakMap();

const methods = {
  // The ports are unreferenced: a signal must not keep the process alive.
  [kTransferList]() {
    if (this.aborted) return [];
    const { MessageChannel } = require('internal/messaging');
    const channel = new MessageChannel();
    channel.port1.unref();
    channel.port2.unref();
    channels.set(this, channel);
    return [channel.port2];
  },

  [kTransfer]() {
    const { aborted, reason } = this;
    if (aborted) return { data: { aborted, reason }, deserializeInfo };
    return { data: { port: channels.get(this).port2 }, deserializeInfo };
  },

  [kMoved]() {
    const port = channels.get(this)?.port1;
    if (port === undefined) return;
    channels.delete(this);
    this.addEventListener('abort', () => {
      port.postMessage(this.reason);
      port.close();
    }, { once: true });
  },

  [kStayed]() {
    const channel = channels.get(this);
    if (channel === undefined) return;
    channels.delete(this);
    channel.port1.close();
    channel.port2.close();
  },
};

const properties = { __proto__: null };
for (const name of Object.getOwnPropertySymbols(methods)) properties[name] = { __proto__: null, value: methods[name] };

function transferableAbortSignal(signal) {
  if (!isSignal(signal)) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  return Object.defineProperties(signal, properties);
}

function transferableAbortController() {
  const controller = new AbortController();
  transferableAbortSignal(controller.signal);
  return controller;
}

function fillSignal(signal, { aborted, reason, port }) {
  if (aborted) {
    abort(signal, reason);
    return;
  }
  port.onmessage = ({ data }) => {
    port.close();
    abort(signal, data);
  };
  port.unref();
}

// Deserialization: `shell` creates an empty signal, `fill` connects it to the transferred state.
const AbortSignal = { [kDeserialize]: { shell: () => transferableAbortSignal(makeSignal()), fill: fillSignal } };

module.exports = { AbortSignal, transferableAbortController, transferableAbortSignal };
