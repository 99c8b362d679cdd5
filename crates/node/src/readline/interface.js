'use strict';
// What the Interfaces of `readline` and `readline/promises` share: a stream's lines, the question that waits for one of
// them, and pausing. How a line is edited on a terminal is in `internal/readline/editing`.
//
// The methods with a low line before their name are called as methods of the object, since programs put their own in
// their place.

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
// How many lines an iterator holds before the input is paused.
const kHeldLines = 1024;

const kFirstEventParam = Symbol.for('nodejs.kFirstEventParam');

const isNone = (value) => value === undefined || value === null;

// What only the methods look at.
class State {
  decoder = undefined;
  // Of a plain input: what has come of a line that has not ended.
  line_buffer = undefined;
  // The iterator, once there is one.
  lines = undefined;
  oldPrompt = undefined;
  previousKey = null;
  prompt = '';
  questionCallback = undefined;
  questionReject = undefined;
  sawKeyPress = false;
  // When a carriage return came, in ms; 0 if a line feed is not part of it.
  sawReturnAt = 0;
  // What a line of the history must begin with, while the arrows are used.
  search = null;
  undo = [];
  redo = [];
  // Texts that were cut, the latest first, and the one that is put back next.
  killed = [];
  killedAt = 0;
  isYanking = false;
}

function checked(options) {
  if (options.tabSize !== undefined) validateUint32(options.tabSize, 'tabSize', true);
  const timeout = options.escapeCodeTimeout;
  if (timeout !== undefined && !Number.isFinite(timeout)) {
    // As Node: it is the default that is shown.
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

// A function, and no class: the older Interface is one that is called on an object.
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
  // Those of the input are there before its mode is changed, and go with the Interface.
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

// The last line need not have an end.
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
      // Half of a pair has been written: both halves together are shown as they should be.
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

  // A plain input's bytes, or text. A line feed right after a carriage return is part of the same end, also if it comes in
  // the next chunk, unless that takes too long.
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
    // Nothing is joined and nothing looked at again while a long line has no end.
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

// Names under which programs look at the state.
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

// Asks; the next line is the answer.
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
