'use strict';
// An internal port without events or listeners, for messages of the runtime between threads.

const { parts } = require('internal/clone');

// Notifications of a port (crates/js/src/port.rs); 1 is a message that could not be read.
const kMessage = 0, kClose = 2;

// Opens an end. `onMessage` receives each message, and undefined when the port closes.
function open(end, onMessage) {
  native.open(end, (what, value) => onMessage(what === kMessage ? value : undefined), parts);
  native.start(end);
}

module.exports = {
  kClose,
  kMessage,
  open,
  pair: native.pair,
  say: (port, value) => native.postPlain(port, parts, value),
  post: (port, value, buffers, ports, handles) => native.post(port, parts, value, buffers, ports, handles),
  receive: native.receive,
  close: native.close,
  setRef: native.setRef,
};
