'use strict';
// `readline.emitKeypressEvents`: decodes the input of a stream into 'keypress' events while the event has listeners. As
// `lib/internal/readline/emitKeypressEvents.js`.

const { KeyDecoder, kEscape, lengthAt } = require('internal/readline/keys');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const { StringDecoder } = require('string_decoder');

const kDecoder = Symbol('keypress-decoder');

// How long an escape character waits for the rest of an escape sequence: the default of GNU readline.
const kEscapeTimeoutMs = 500;

// `owner`: the Interface that reads the stream, if any. It is informed of key presses and pastes.
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
    // Tab completes only as the last key of a chunk: a Tab within pasted text is text.
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
