'use strict';
// Line editing on a terminal: what each key does to the line, and how the line is drawn. Keys are decoded in keys.js;
// reading lines from other streams is in interface.js. As `lib/internal/readline/interface.js`.

const process = require('process');
const { AbortError } = require('internal/errors');
const { clearScreenDown, cursorTo, moveCursor } = require('internal/tty/cursor');
const { getStringWidth, stripVTControlCharacters } = require('internal/util/text');
const { kEmptyObject } = require('internal/util');
const { lengthAt, lengthBefore } = require('internal/readline/keys');

const kState = Symbol('state');

// Limits of the undo stack and of the kill ring (deleted text that can be yanked), as `kMaxUndoRedoStackSize` and
// `kMaxLengthOfKillRing` of `lib/internal/readline/interface.js`.
const kMaxSteps = 2048;
const kMaxKilled = 32;

const kLineEnd = /\r?\n|\r(?!\n)/;
// Patterns of a word and the white space next to it. `kWordRight` is for moving to the right, `kWordToDelete` for deleting to the right:
// `[kWordRight]` and `[kDeleteWordRight]` of `lib/internal/readline/interface.js` differ. `kWordBackwards` is for reversed text.
const kWordRight = /^(?:\s+|[^\w\s]+|\w+)\s*/;
const kWordToDelete = /^(?:\s+|\W+|\w+)\s*/;
const kWordBackwards = /^\s*(?:[^\w\s]+|\w+)?/;

const wordLeftLength = (text) => kWordBackwards.exec([...text].reverse().join(''))[0].length;

function commonPrefix(texts) {
  if (texts.length === 0) return '';
  let prefix = texts[0];
  for (const text of texts) {
    let at = 0;
    while (at < prefix.length && prefix[at] === text[at]) at++;
    prefix = prefix.slice(0, at);
  }
  return prefix;
}

function interrupt(owner) {
  if (owner.listenerCount('SIGINT') > 0) owner.emit('SIGINT');
  else finish(owner, 'Aborted with Ctrl+C');
}

function finish(owner, reason) {
  owner.close();
  owner[kState].questionReject?.(new AbortError(reason));
}

function deleteOrEnd(owner) {
  if (owner.line.length === 0) finish(owner, 'Aborted with Ctrl+D');
  else owner._deleteRight();
}

function clearScreen(owner) {
  cursorTo(owner.output, 0, 0);
  clearScreenDown(owner.output);
  owner._refreshLine();
}

function suspend(owner) {
  if (owner.listenerCount('SIGTSTP') > 0) {
    owner.emit('SIGTSTP');
    return;
  }
  process.once('SIGCONT', () => {
    // An Interface that was paused in the meantime stays paused.
    if (!owner.paused) {
      owner.pause();
      owner.emit('SIGCONT');
    }
    owner._setRawMode(true);
    owner._refreshLine();
  });
  owner._setRawMode(false);
  process.kill(process.pid, 'SIGTSTP');
}

function carriageReturn(owner) {
  owner[kState].sawReturnAt = Date.now();
  owner._line();
}

// A line feed ends the line, unless it follows a carriage return within `crlfDelay`.
function lineFeed(owner) {
  const state = owner[kState];
  const isAlone = state.sawReturnAt === 0 || Date.now() - state.sawReturnAt > owner.crlfDelay;
  if (isAlone) owner._line();
  state.sawReturnAt = 0;
}

const toStart = (owner) => owner._moveCursor(-Infinity);
const toEnd = (owner) => owner._moveCursor(Infinity);
const toLeft = (owner) => owner._moveCursor(-lengthBefore(owner.line, owner.cursor));
const toRight = (owner) => owner._moveCursor(lengthAt(owner.line, owner.cursor));

// Actions of the keys, by modifier.
const withCtrlAndShift = {
  __proto__: null,
  backspace: (owner) => owner._deleteLineLeft(),
  delete: (owner) => owner._deleteLineRight(),
};

const withCtrl = {
  __proto__: null,
  a: toStart,
  b: toLeft,
  backspace: (owner) => owner._deleteWordLeft(),
  c: interrupt,
  d: deleteOrEnd,
  delete: (owner) => owner._deleteWordRight(),
  e: toEnd,
  f: toRight,
  h: (owner) => owner._deleteLeft(),
  k: (owner) => owner._deleteLineRight(),
  l: clearScreen,
  left: (owner) => owner._wordLeft(),
  n: (owner) => owner._historyNext(),
  p: (owner) => owner._historyPrev(),
  right: (owner) => owner._wordRight(),
  u: (owner) => owner._deleteLineLeft(),
  w: (owner) => owner._deleteWordLeft(),
  y: yank,
  z: suspend,
};

const withMeta = {
  __proto__: null,
  b: (owner) => owner._wordLeft(),
  backspace: (owner) => owner._deleteWordLeft(),
  d: (owner) => owner._deleteWordRight(),
  delete: (owner) => owner._deleteWordRight(),
  f: (owner) => owner._wordRight(),
  y: yankOlder,
};

const alone = {
  __proto__: null,
  backspace: (owner) => owner._deleteLeft(),
  delete: (owner) => owner._deleteRight(),
  down: (owner) => owner._historyNext(),
  end: toEnd,
  enter: lineFeed,
  home: toStart,
  left: toLeft,
  return: carriageReturn,
  right: toRight,
  up: (owner) => owner._historyPrev(),
};

// Pushes the state of the line to the undo stack, before a change.
function remember(owner) {
  const { undo } = owner[kState];
  if (undo.push({ line: owner.line, cursor: owner.cursor }) > kMaxSteps) undo.shift();
}

function goBack(owner, from, to) {
  if (from.length === 0) return;
  to.push({ line: owner.line, cursor: owner.cursor });
  ({ line: owner.line, cursor: owner.cursor } = from.pop());
  owner._refreshLine();
}

function kill(owner, text) {
  const state = owner[kState];
  if (!text || text === state.killed[0]) return;
  state.killed.unshift(text);
  state.killedAt = 0;
  if (state.killed.length > kMaxKilled) state.killed.pop();
}

function yank(owner) {
  const state = owner[kState];
  if (state.killed.length === 0) return;
  state.isYanking = true;
  owner._insertString(state.killed[state.killedAt]);
}

// Yank-pop: replaces the yanked text by the next older one of the kill ring.
function yankOlder(owner) {
  const state = owner[kState];
  if (!state.isYanking || state.killed.length < 2) return;
  const last = state.killed[state.killedAt];
  state.killedAt = (state.killedAt + 1) % state.killed.length;
  replaceBefore(owner, last.length, state.killed[state.killedAt]);
  owner._refreshLine();
}

// Replaces the `length` code units before the cursor by `text`.
function replaceBefore(owner, length, text) {
  const head = owner.line.slice(0, owner.cursor - length) + text;
  owner.line = head + owner.line.slice(owner.cursor);
  owner.cursor = head.length;
}

// Moves to the next history entry that begins with the search prefix; `step` is 1 for older entries, -1 for newer ones.
function fromHistory(owner, step) {
  const { history, line } = owner;
  const search = owner[kState].search || '';
  remember(owner);
  let at = owner.historyIndex + step;
  const isThere = () => at >= 0 && at < history.length;
  while (isThere() && (!history[at].startsWith(search) || history[at] === line)) at += step;
  owner.line = isThere() ? history[at] : search;
  owner.historyIndex = at;
  owner.cursor = owner.line.length;
  owner._refreshLine();
}

// The first up or down key sets the search prefix to the text before the cursor; any other key clears it.
function updateSearch(owner, key) {
  const state = owner[kState];
  if ((key.name === 'up' || key.name === 'down') && !key.ctrl && !key.meta && !key.shift) {
    state.search ??= owner.line.slice(0, owner.cursor);
  } else if (state.search !== null) {
    state.search = null;
    if (owner.history.length === owner.historyIndex) owner.historyIndex = -1;
  }
}

// Formats the completions as a table.
function table(completions, columns) {
  const widths = completions.map((text) => getStringWidth(text));
  const width = Math.max(...widths) + 2;
  const perRow = columns === Infinity ? 1 : Math.floor(columns / width) || 1;
  let output = '\r\n';
  let inRow = 0;
  let blanks = 0;
  completions.forEach((text, at) => {
    if (text === '' || inRow === perRow) {
      output += '\r\n';
      inRow = 0;
      blanks = 0;
    } else {
      output += ' '.repeat(blanks);
    }
    if (text === '') {
      output += '\r\n';
      return;
    }
    output += text;
    blanks = width - widths[at];
    inRow++;
  });
  return inRow === 0 ? output : `${output}\r\n\r\n`;
}

// Applies the result of a completer: inserts the common prefix of all completions, or prints the table if Tab was
// pressed twice. As `lib/internal/readline/interface.js: [kTabCompleter]`.
function complete(owner, isSecondTry, [completions, completed]) {
  if (!completions || completions.length === 0) return;
  const prefix = commonPrefix(completions.filter((text) => text !== ''));
  if (prefix.startsWith(completed) && prefix.length > completed.length) {
    owner._insertString(prefix.slice(completed.length));
  } else if (!completed.startsWith(prefix)) {
    replaceBefore(owner, completed.length, prefix);
    owner._refreshLine();
  } else if (isSecondTry) {
    remember(owner);
    owner._writeToOutput(table(completions, owner.columns));
    owner._refreshLine();
  }
}

function completionFailed(owner, error) {
  const { inspect } = require('internal/util/inspect');
  owner._writeToOutput(`Tab completion error: ${inspect(error)}`);
}

// Inserts typed or pasted text. Each line end in it submits a line.
function type(owner, text) {
  const lines = text.split(kLineEnd);
  const last = lines.pop();
  for (const line of lines) {
    owner._insertString(line);
    owner._line();
  }
  owner._insertString(last);
}

function actionOf(key) {
  if (key.ctrl) return (key.shift ? withCtrlAndShift : withCtrl)[key.name];
  return (key.meta ? withMeta : alone)[key.name];
}

// Mixin: extends `Base` by the methods that edit a line.
const of = (Base) => class extends Base {
  _ttyWrite(text, key) {
    const state = this[kState];
    const { previousKey } = state;
    key ||= kEmptyObject;
    state.previousKey = key;
    if (!key.meta || key.name !== 'y') state.isYanking = false;
    updateSearch(this, key);

    if (typeof key.sequence === 'string') {
      if (key.sequence[0] === '\x1f') return goBack(this, state.undo, state.redo);
      if (key.sequence[0] === '\x1e') return goBack(this, state.redo, state.undo);
    }
    if (key.name === 'escape') return undefined;

    if (!key.ctrl && !key.meta) {
      if (key.name !== 'enter') state.sawReturnAt = 0;
      if (key.name === 'tab' && typeof this.completer === 'function' && this.isCompletionEnabled) {
        this._tabComplete(previousKey && previousKey.name === 'tab');
        return undefined;
      }
    }
    const action = actionOf(key);
    if (action !== undefined) action(this);
    else if (!key.ctrl && !key.meta && typeof text === 'string' && text) type(this, text);
    return undefined;
  }

  _insertString(text) {
    remember(this);
    const isPasted = !this.isCompletionEnabled;
    // Text that is appended at the end and stays in the same row need not redraw the line.
    const row = isPasted || this.cursor < this.line.length ? -1 : this.getCursorPos().rows;
    this.line = this.line.slice(0, this.cursor) + text + this.line.slice(this.cursor);
    this.cursor += text.length;
    // A redraw for each pasted character would take quadratic time.
    if (isPasted || row >= this.getCursorPos().rows) this._writeToOutput(text);
    else this._refreshLine();
  }

  // For completers that return a promise or a value (`readline/promises`).
  async _tabComplete(isSecondTry) {
    this.pause();
    let value;
    try {
      value = await this.completer(this.line.slice(0, this.cursor));
    } catch (error) {
      completionFailed(this, error);
      return;
    } finally {
      this.resume();
    }
    complete(this, isSecondTry, value);
  }

  // Adds the line to the history and returns it.
  _addHistory() {
    if (this.line.trim() === '' || this.historySize === 0) return this.line;
    const { history, line } = this;
    if (history.length === 0 || history[0] !== line) {
      const at = this.removeHistoryDuplicates ? history.indexOf(line) : -1;
      if (at !== -1) history.splice(at, 1);
      history.unshift(line);
      if (history.length > this.historySize) history.pop();
    }
    this.historyIndex = -1;
    // A listener of 'history' may remove the entry: read it first.
    const added = this.history[0];
    this.emit('history', this.history);
    return added;
  }

  _historyNext() {
    if (this.historyIndex >= 0) fromHistory(this, -1);
  }

  _historyPrev() {
    if (this.historyIndex < this.history.length && this.history.length > 0) fromHistory(this, 1);
  }

  _wordLeft() {
    if (this.cursor > 0) this._moveCursor(-wordLeftLength(this.line.slice(0, this.cursor)));
  }

  _wordRight() {
    if (this.cursor < this.line.length) this._moveCursor(kWordRight.exec(this.line.slice(this.cursor))[0].length);
  }

  _deleteLeft() {
    if (this.cursor > 0 && this.line.length > 0) cut(this, lengthBefore(this.line, this.cursor), 0);
  }

  _deleteRight() {
    if (this.cursor < this.line.length) cut(this, 0, lengthAt(this.line, this.cursor));
  }

  _deleteWordLeft() {
    if (this.cursor > 0) cut(this, wordLeftLength(this.line.slice(0, this.cursor)), 0);
  }

  _deleteWordRight() {
    if (this.cursor < this.line.length) cut(this, 0, kWordToDelete.exec(this.line.slice(this.cursor))[0].length);
  }

  _deleteLineLeft() {
    const text = this.line.slice(0, this.cursor);
    kill(this, text);
    cut(this, text.length, 0);
  }

  _deleteLineRight() {
    const text = this.line.slice(this.cursor);
    kill(this, text);
    cut(this, 0, text.length);
  }

  clearLine() {
    this._moveCursor(Infinity);
    this._writeToOutput('\r\n');
    this.line = '';
    this.cursor = 0;
    this.prevRows = 0;
  }

  _line() {
    const line = this._addHistory();
    this[kState].undo = [];
    this[kState].redo = [];
    this.clearLine();
    this._onLine(line);
  }

  // Rows and columns that a text takes on the terminal.
  _getDisplayPos(text) {
    const { columns, tabSize } = this;
    let offset = 0;
    let rows = 0;
    for (const character of stripVTControlCharacters(text)) {
      if (character === '\n') {
        rows += Math.ceil(offset / columns) || 1;
        offset = 0;
      } else if (character === '\t') {
        offset += tabSize - (offset % tabSize);
      } else {
        const width = getStringWidth(character, false);
        // A wide character that does not fit in the last column moves to the next row.
        if (width === 2 && (offset + 1) % columns === 0) offset++;
        offset += width;
      }
    }
    const cols = offset % columns;
    rows += (offset - cols) / columns;
    return { cols, rows };
  }

  getCursorPos() { return this._getDisplayPos(this[kState].prompt + this.line.slice(0, this.cursor)); }
  _getCursorPos() { return this.getCursorPos(); }

  _moveCursor(dx) {
    if (dx === 0) return;
    const before = this.getCursorPos();
    this.cursor = Math.min(Math.max(this.cursor + dx, 0), this.line.length);
    const after = this.getCursorPos();
    if (before.rows === after.rows) moveCursor(this.output, after.cols - before.cols, 0);
    else this._refreshLine();
  }

  // Redraws prompt and line.
  _refreshLine() {
    const text = this[kState].prompt + this.line;
    const end = this._getDisplayPos(text);
    const cursor = this.getCursorPos();
    if (this.prevRows > 0) moveCursor(this.output, 0, -this.prevRows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
    this._writeToOutput(text);
    // The terminal begins a new row only when a character is written into it.
    if (end.cols === 0) this._writeToOutput(' ');
    cursorTo(this.output, cursor.cols);
    if (end.rows > cursor.rows) moveCursor(this.output, 0, cursor.rows - end.rows);
    this.prevRows = cursor.rows;
  }
};

// Deletes code units on both sides of the cursor.
function cut(owner, left, right) {
  remember(owner);
  owner.line = owner.line.slice(0, owner.cursor - left) + owner.line.slice(owner.cursor + right);
  owner.cursor -= left;
  owner._refreshLine();
}

module.exports = { complete, completionFailed, kState, of };
