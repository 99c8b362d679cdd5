'use strict';
// `Readline` of `readline/promises`: collects cursor movements and writes them together in `commit()`. As
// `lib/internal/readline/promises.js`.

const process = require('process');
const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { isWritable } = require('internal/streams/kinds');
const { validateBoolean, validateInteger } = require('internal/validators');

class Readline {
  #stream;
  #isWrittenAtOnce = false;
  #pending = '';

  constructor(stream, options = undefined) {
    if (!isWritable(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'Writable', stream);
    this.#stream = stream;
    const autoCommit = options?.autoCommit;
    if (autoCommit !== undefined && autoCommit !== null) {
      validateBoolean(autoCommit, 'options.autoCommit');
      this.#isWrittenAtOnce = autoCommit;
    }
  }

  #add(text) {
    if (this.#isWrittenAtOnce) process.nextTick(() => this.#stream.write(text));
    else this.#pending += text;
    return this;
  }

  cursorTo(x, y = undefined) {
    validateInteger(x, 'x');
    if (y === undefined || y === null) return this.#add(`\x1b[${x + 1}G`);
    validateInteger(y, 'y');
    return this.#add(`\x1b[${y + 1};${x + 1}H`);
  }

  moveCursor(dx, dy) {
    if (!dx && !dy) return this;
    validateInteger(dx, 'dx');
    validateInteger(dy, 'dy');
    const across = dx === 0 ? '' : `\x1b[${Math.abs(dx)}${dx < 0 ? 'D' : 'C'}`;
    const down = dy === 0 ? '' : `\x1b[${Math.abs(dy)}${dy < 0 ? 'A' : 'B'}`;
    return this.#add(across + down);
  }

  clearLine(dir) {
    validateInteger(dir, 'dir', -1, 1);
    return this.#add(dir < 0 ? '\x1b[1K' : dir > 0 ? '\x1b[0K' : '\x1b[2K');
  }

  clearScreenDown() { return this.#add('\x1b[0J'); }

  commit() {
    // If `write` throws, the promise is rejected.
    return new Promise((resolve) => {
      this.#stream.write(this.#pending, resolve);
      this.#pending = '';
    });
  }

  rollback() {
    this.#pending = '';
    return this;
  }
}

module.exports = { Readline };
