'use strict';
// Messages between the primary and its workers, with sequence numbers for replies.

// Messages without a reply so far, by sequence number: the receiving process and the callback.
const pendingReplies = new SafeMap();
let next = 0;

// Sends a message; returns whether it could be sent. The callback gets the reply.
function sendMessage(process, message, handle, callback) {
  if (!process.connected) return false;
  if (typeof callback === 'function') pendingReplies.set(next, { process, callback });
  return process.send({ cmd: 'NODE_CLUSTER', ...message, seq: next++ }, handle);
}

// Creates a message listener: replies go to their callbacks, other messages to `callback`.
function messageListener(worker, callback) {
  return (message, handle) => {
    if (message.cmd !== 'NODE_CLUSTER') return;
    const answer = message.ack === undefined ? undefined : pendingReplies.get(message.ack)?.callback;
    if (answer !== undefined) pendingReplies.delete(message.ack);
    (answer ?? callback).call(worker, message, handle);
  };
}

// Calls the pending callbacks of a process that has exited with an empty reply.
function cancelReplies(process) {
  for (const [number, pending] of pendingReplies) {
    if (pending.process !== process) continue;
    pendingReplies.delete(number);
    pending.callback({});
  }
}

module.exports = { cancelReplies, messageListener, sendMessage };
