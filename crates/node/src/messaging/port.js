'use strict';
// A port without a face: for the runtime's own talk between threads, where neither events nor listeners are wanted.

const { parts } = require('internal/clone');

// What a port tells of (crates/js/src/port.rs); 1 is a message that could not be read.
const kMessage = 0, kClose = 2;

// Opens an end; `onMessage` gets each message, and undefined after the last.
function open(end, onMessage) {
  native.open(end, (what, value) => onMessage(what === kMessage ? value : undefined), parts);
  native.start(end);
}

module.exports = {
  kClose,
  kMessage,
  open,
  pair: native.pair,
  say: (port, value) => native.say(port, parts, value),
  post: (port, value, buffers, ports, handles) => native.post(port, parts, value, buffers, ports, handles),
  receive: native.receive,
  close: native.close,
  setRef: native.setRef,
};
