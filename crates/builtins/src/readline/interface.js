'use strict';
// The base class of the Interfaces of `readline` and `readline/promises`: splits a stream into lines, answers
// questions, pauses and resumes. Line editing on a terminal is in editing.js.
//
// Methods with a leading underscore are called through the object, because programs override them.

const process = require('process');
const EventEmitter = require('events');
const { ERR_INVALID_ARG_VALUE, ERR_USE_AFTER_CLOSE } = require('internal/errors');
const {
  validateAbortSignal, validateArray, validateNumber, validateString, validateUint32,
} = require('internal/validators');
const editing = require('internal/readline/editing');

const { kState } = editing;
const kHistorySize = 30;
const kMinCrlfDelayMs = 100;
const kEscapeTimeoutMs = 500;
// The async iterator pauses the input when it holds this many lines.
const kHeldLines = 1024;

const kFirstEventParam = Symbol.for('nodejs.kFirstEventParam');

const isNone = (value) => value === undefined || value === null;

// Internal state; the last lines of this file expose some of its fields under their old names.
class State {
  decoder = undefined;
  // For input that is no terminal: the text of the last, unfinished line.
  line_buffer = undefined;
  // The async iterator, created on demand.
  lines = undefined;
  oldPrompt = undefined;
  previousKey = null;
  prompt = '';
  questionCallback = undefined;
  questionReject = undefined;
  sawKeyPress = false;
  // Time of the last carriage return in ms; 0 if a following line feed is a line end of its own.
  sawReturnAt = 0;
  // The prefix of the history search with the arrow keys; null outside of a search.
  search = null;
  undo = [];
  redo = [];
  // The kill ring: deleted texts, latest first, and the index of the text that a yank inserts.
  killed = [];
  killedAt = 0;
  isYanking = false;
}

function checked(options) {
  if (options.tabSize !== undefined) validateUint32(options.tabSize, 'tabSize', true);
  const timeout = options.escapeCodeTimeout;
  if (timeout !== undefined && !Number.isFinite(timeout)) {
    // `lib/internal/readline/interface.js: InterfaceConstructor` puts the default into the message, not the invalid
    // value.
    throw new ERR_INVALID_ARG_VALUE('input.escapeCodeTimeout', kEscapeTimeoutMs);
  }
  if (options.signal) validateAbortSignal(options.signal, 'options.signal');
  if (options.completer !== undefined && typeof options.completer !== 'function') {
    throw new ERR_INVALID_ARG_VALUE('completer', options.completer);
  }
  if (options.history !== undefined) validateArray(options.history, 'history');
  validateNumber(options.historySize === undefined ? kHistorySize : options.historySize, 'historySize', 0);
  return options;
}

// A function, not a class: `readline.Interface` calls it on an existing object.
function InterfaceConstructor(input, output, completer, terminal) {
  const options = checked(input?.input ? input : { input, output, completer, terminal });
  EventEmitter.call(this);
  Object.defineProperty(this, kState, { __proto__: null, value: new State(), configurable: true });
  this.isCompletionEnabled = true;
  this.escapeCodeTimeout = options.escapeCodeTimeout ?? kEscapeTimeoutMs;
  this.tabSize = options.tabSize ?? 8;
  this.line = '';
  this.output = options.output;
  this.input = options.input;
  this.history = options.history ?? [];
  this.historySize = options.historySize ?? kHistorySize;
  this.removeHistoryDuplicates = Boolean(options.removeHistoryDuplicates);
  this.crlfDelay = options.crlfDelay ? Math.max(kMinCrlfDelayMs, options.crlfDelay) : kMinCrlfDelayMs;
  this.completer = options.completer;
  this.setPrompt(options.prompt === undefined ? '> ' : options.prompt);
  this.terminal = Boolean(options.terminal === undefined ? options.output?.isTTY : options.terminal);

  const listeners = this.terminal ? terminalListeners(this) : plainListeners(this);
  // Listeners of the input are added before raw mode is set, and removed on 'close'.
  for (const [stream, event, listener] of listeners) stream.on(event, listener);
  this.once('close', () => {
    for (const [stream, event, listener] of listeners) stream.removeListener(event, listener);
  });
  if (this.terminal) {
    this._setRawMode(true);
    this.cursor = 0;
    this.historyIndex = -1;
  }
  if (options.signal) closeOnAbort(this, options.signal);
  this.input.resume();
}
Object.setPrototypeOf(InterfaceConstructor.prototype, EventEmitter.prototype);
Object.setPrototypeOf(InterfaceConstructor, EventEmitter);

function closeOnAbort(owner, signal) {
  const onAborted = () => owner.close();
  if (signal.aborted) {
    process.nextTick(onAborted);
    return;
  }
  const disposable = EventEmitter.addAbortListener(signal, onAborted);
  owner.once('close', disposable[Symbol.dispose]);
}

// Listener of 'end': an unfinished last line is emitted as a line.
function ender(owner, unfinished) {
  return () => {
    const line = unfinished();
    if (typeof line === 'string' && line.length > 0) owner.emit('line', line);
    owner.close();
  };
}

function plainListeners(owner) {
  const { StringDecoder } = require('string_decoder');
  const { input, [kState]: state } = owner;
  state.decoder = new StringDecoder('utf8');
  return [
    [input, 'error', (error) => owner.emit('error', error)],
    [input, 'data', (data) => owner._normalWrite(data)],
    [input, 'end', ender(owner, () => state.line_buffer)],
  ];
}

function terminalListeners(owner) {
  const { input, output } = owner;
  require('internal/readline/keypress')(input, owner);
  const listeners = [
    [input, 'error', (error) => owner.emit('error', error)],
    [input, 'keypress', (text, key) => {
      owner._ttyWrite(text, key);
      // After the second half of a surrogate pair, redraw: the halves were written separately.
      if (key?.sequence && /^[\ud800-\udfff]/u.test(key.sequence)) owner._refreshLine();
    }],
    [input, 'end', ender(owner, () => owner.line)],
  ];
  if (!isNone(output)) listeners.push([output, 'resize', () => owner._refreshLine()]);
  return listeners;
}

class Interface extends editing.of(InterfaceConstructor) {
  get columns() { return this.output?.columns || Infinity; }

  getPrompt() { return this[kState].prompt; }
  setPrompt(prompt) { this[kState].prompt = prompt; }

  prompt(preserveCursor) {
    if (this.paused) this.resume();
    if (this.terminal && process.env.TERM !== 'dumb') {
      if (!preserveCursor) this.cursor = 0;
      this._refreshLine();
    } else {
      this._writeToOutput(this[kState].prompt);
    }
  }

  _setRawMode(mode) {
    const wasRaw = this.input.isRaw;
    if (typeof this.input.setRawMode === 'function') this.input.setRawMode(mode);
    return wasRaw;
  }

  _writeToOutput(stringToWrite) {
    validateString(stringToWrite, 'stringToWrite');
    if (!isNone(this.output)) this.output.write(stringToWrite);
  }

  _onLine(line) {
    const state = this[kState];
    const answer = state.questionCallback;
    if (!answer) {
      this.emit('line', line);
      return;
    }
    state.questionCallback = null;
    this.setPrompt(state.oldPrompt);
    answer(line);
  }

  // Splits input that is no terminal into lines. A line feed right after a carriage return belongs to the same line
  // end, even in the next chunk, unless `crlfDelay` has passed. As `lib/internal/readline/interface.js:
  // [kNormalWrite]`.
  _normalWrite(bytes) {
    if (bytes === undefined) return;
    const state = this[kState];
    let text = state.decoder.write(bytes);
    if (state.sawReturnAt && Date.now() - state.sawReturnAt <= this.crlfDelay) {
      if (text[0] === '\n') text = text.slice(1);
      state.sawReturnAt = 0;
    }
    if (text === '') return;
    const lines = text.split(/\r\n|\n|\r/);
    // Only the first piece is joined with the unfinished line, which is not scanned again: a long line takes linear
    // time.
    lines[0] = (state.line_buffer ?? '') + lines[0];
    state.line_buffer = lines.pop();
    if (lines.length === 0) return;
    state.sawReturnAt = text.endsWith('\r') ? Date.now() : 0;
    for (const line of lines) this._onLine(line);
  }

  close() {
    if (this.closed) return;
    this.pause();
    if (this.terminal) this._setRawMode(false);
    this.closed = true;
    this.emit('close');
  }

  pause() {
    if (this.paused) return undefined;
    this.input.pause();
    this.paused = true;
    this.emit('pause');
    return this;
  }

  resume() {
    if (!this.paused) return undefined;
    this.input.resume();
    this.paused = false;
    this.emit('resume');
    return this;
  }

  write(data, key) {
    if (this.paused) this.resume();
    if (this.terminal) this._ttyWrite(data, key);
    else this._normalWrite(data);
  }

  [Symbol.asyncIterator]() {
    return this[kState].lines ??= EventEmitter.on(this, 'line', {
      close: ['close'], highWaterMark: kHeldLines, [kFirstEventParam]: true,
    });
  }

  [Symbol.dispose]() { this.close(); }
}

// Underscore properties that programs read, as in `lib/readline.js`.
for (const name of [
  'decoder', 'line_buffer', 'oldPrompt', 'previousKey', 'prompt', 'questionCallback', 'sawKeyPress', 'sawReturnAt',
]) {
  Object.defineProperty(Interface.prototype, `_${name}`, {
    __proto__: null,
    configurable: true,
    get() { return this[kState][name]; },
    set(value) { this[kState][name] = value; },
  });
}

// Shows `query` as the prompt; the next line is passed to `callback`.
function ask(owner, query, callback, reject) {
  if (owner.closed) throw new ERR_USE_AFTER_CLOSE('readline');
  const state = owner[kState];
  if (reject !== undefined) state.questionReject = reject;
  if (!state.questionCallback) {
    state.oldPrompt = state.prompt;
    owner.setPrompt(query);
    state.questionCallback = callback;
  }
  owner.prompt();
}

function cancelQuestion(owner) {
  const state = owner[kState];
  if (!state.questionCallback) return;
  state.questionCallback = null;
  owner.setPrompt(state.oldPrompt);
  owner.clearLine();
}

module.exports = { Interface, InterfaceConstructor, ask, cancelQuestion };
