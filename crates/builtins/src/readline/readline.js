'use strict';
// The module `readline`: the Interface with callbacks, `question`, and cursor movements. The base class is in
// interface.js.

const process = require('process');
const { AbortError } = require('internal/errors');
const { Interface: Shared, InterfaceConstructor, ask, cancelQuestion } = require('internal/readline/interface');
const { complete, completionFailed } = require('internal/readline/editing');
const { clearLine, clearScreenDown, cursorTo, moveCursor } = require('internal/tty/cursor');
const { kEmptyObject, promisify } = require('internal/util');
const { validateAbortSignal } = require('internal/validators');

// Adapts a completer without callback, which returns its result.
const withCallback = (completer) => (typeof completer !== 'function' || completer.length === 2 ?
  completer : (line, callback) => callback(null, completer(line)));

function Interface(input, output, completer, terminal) {
  if (!(this instanceof Interface)) return new Interface(input, output, completer, terminal);
  // `lib/readline.js: Interface` overwrites the caller's option.
  if (input?.input && typeof input.completer === 'function') input.completer = withCallback(input.completer);
  else completer = withCallback(completer);
  InterfaceConstructor.call(this, input, output, completer, terminal);
  if (process.env.TERM === 'dumb') this._ttyWrite = writeDumb.bind(this);
}
Object.setPrototypeOf(Interface.prototype, Shared.prototype);
Object.setPrototypeOf(Interface, Shared);

const listen = (signal, listener) => require('internal/abort').addAbortListener(signal, listener);

Interface.prototype.question = function question(query, options, cb) {
  if (typeof options === 'function') cb = options;
  const { signal } = options !== null && typeof options === 'object' ? options : kEmptyObject;
  if (signal) {
    validateAbortSignal(signal, 'options.signal');
    if (signal.aborted) return;
    const onAbort = () => cancelQuestion(this);
    const disposable = listen(signal, onAbort);
    const answer = cb;
    cb = (line) => {
      disposable[Symbol.dispose]();
      if (typeof answer === 'function') answer(line);
    };
  }
  if (typeof cb === 'function') ask(this, query, cb);
};

Interface.prototype.question[promisify.custom] = function question(query, options) {
  const signal = options !== null && typeof options === 'object' ? options.signal : undefined;
  const aborted = () => new AbortError(undefined, { cause: signal.reason });
  if (signal?.aborted) return Promise.reject(aborted());
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted());
    const disposable = signal && listen(signal, onAbort);
    this.question(query, options ?? kEmptyObject, (answer) => {
      disposable?.[Symbol.dispose]();
      resolve(answer);
    });
  });
};

Interface.prototype._tabComplete = function(isSecondTry) {
  this.pause();
  this.completer(this.line.slice(0, this.cursor), (error, value) => {
    this.resume();
    if (error) completionFailed(this, error);
    else complete(this, isSecondTry, value);
  });
};

// `_ttyWrite` for TERM=dumb: text is only appended, as there are no cursor movements. As `lib/readline.js:
// _ttyWriteDumb`.
function writeDumb(text, key) {
  key ||= kEmptyObject;
  if (key.name === 'escape') return;
  if (key.name !== 'enter') this._sawReturnAt = 0;
  if (key.ctrl && key.name === 'c' && this.listenerCount('SIGINT') > 0) {
    this.emit('SIGINT');
  } else if (key.ctrl && (key.name === 'c' || key.name === 'd')) {
    this.close();
  } else if (key.name === 'return') {
    this._sawReturnAt = Date.now();
    this._line();
  } else if (key.name === 'enter') {
    if (this._sawReturnAt === 0 || Date.now() - this._sawReturnAt > this.crlfDelay) this._line();
    this._sawReturnAt = 0;
  } else if (typeof text === 'string' && text) {
    this.line += text;
    this.cursor += text.length;
    this._writeToOutput(text);
  }
}

function createInterface(input, output, completer, terminal) {
  return new Interface(input, output, completer, terminal);
}

module.exports = {
  Interface,
  clearLine,
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents(stream, owner) { return require('internal/readline/keypress')(stream, owner); },
  moveCursor,
  promises: require('readline/promises'),
};
