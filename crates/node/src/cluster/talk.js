'use strict';
// Messages between a primary and its workers. Each has a number, by which it can be answered.

// Who was asked, and who wants the answer.
const answers = new Map();
let next = 0;

// Whether it could be sent; the callback gets the answer.
function tell(process, message, handle, callback) {
  if (!process.connected) return false;
  if (typeof callback === 'function') answers.set(next, { process, callback });
  return process.send({ cmd: 'NODE_CLUSTER', ...message, seq: next++ }, handle);
}

// A listener for a process's messages: answers go to whoever asked, and the rest to the callback.
function hearing(worker, callback) {
  return (message, handle) => {
    if (message.cmd !== 'NODE_CLUSTER') return;
    const answer = message.ack === undefined ? undefined : answers.get(message.ack)?.callback;
    if (answer !== undefined) answers.delete(message.ack);
    (answer ?? callback).call(worker, message, handle);
  };
}

// A process that is gone will not answer: whoever waits for that gets an answer that says nothing.
function giveUp(process) {
  for (const [number, asked] of answers) {
    if (asked.process !== process) continue;
    answers.delete(number);
    asked.callback({});
  }
}

module.exports = { giveUp, hearing, tell };
