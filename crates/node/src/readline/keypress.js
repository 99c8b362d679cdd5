'use strict';
// `emitKeypressEvents`: makes a stream tell the keys that its bytes mean, while somebody listens for them.

const { KeyDecoder, kEscape, lengthAt } = require('internal/readline/keys');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const { StringDecoder } = require('string_decoder');

const kDecoder = Symbol('keypress-decoder');

// As GNU readline: how long an escape waits for what may follow it.
const kEscapeTimeoutMs = 500;

// `owner` is an Interface that wants to know, if there is one.
module.exports = function emitKeypressEvents(stream, owner = {}) {
  if (stream[kDecoder]) return;
  const text = stream[kDecoder] = new StringDecoder('utf8');
  const keys = new KeyDecoder();
  const { escapeCodeTimeout = kEscapeTimeoutMs } = owner;
  let timer;

  function take(character) {
    const got = keys.take(character);
    if (got !== undefined) stream.emit('keypress', got[0], got[1]);
  }

  function onData(input) {
    if (stream.listenerCount('keypress') === 0) {
      stream.removeListener('data', onData);
      stream.on('newListener', onNewListener);
      return;
    }
    const string = text.write(input);
    if (string === '') return;
    clearTimeout(timer);
    owner._sawKeyPress = lengthAt(string, 0) === string.length;
    // Whatever is pasted is not completed: only the last key of a chunk may be.
    owner.isCompletionEnabled = false;
    let length = 0;
    for (const character of string) {
      length += character.length;
      const isLast = length === string.length;
      if (isLast) owner.isCompletionEnabled = true;
      take(character);
      if (isLast && character === kEscape) timer = setTimeout(take, escapeCodeTimeout, '');
    }
  }

  function onNewListener(event) {
    if (event !== 'keypress') return;
    stream.on('data', onData);
    stream.removeListener('newListener', onNewListener);
  }

  if (stream.listenerCount('keypress') > 0) stream.on('data', onData);
  else stream.on('newListener', onNewListener);
};
