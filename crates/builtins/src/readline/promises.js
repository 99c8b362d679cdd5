'use strict';
// The module `readline/promises`: an Interface whose `question` returns a promise. Everything else is in interface.js.

const { AbortError } = require('internal/errors');
const { Interface: Shared, ask, cancelQuestion } = require('internal/readline/interface');
const { Readline } = require('internal/readline/plan');
const { validateAbortSignal } = require('internal/validators');

class Interface extends Shared {
  question(query, options = undefined) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const signal = options?.signal;
    const failed = () => new AbortError(undefined, { cause: signal.reason });
    let disposable;
    try {
      if (signal) {
        validateAbortSignal(signal, 'options.signal');
        if (signal.aborted) throw failed();
        const onAbort = () => {
          cancelQuestion(this);
          reject(failed());
        };
        disposable = require('internal/abort').addAbortListener(signal, onAbort);
      }
      ask(this, query, (answer) => {
        disposable?.[Symbol.dispose]();
        resolve(answer);
      }, reject);
    } catch (error) {
      reject(error);
    }
    return promise;
  }
}

function createInterface(input, output, completer, terminal) {
  return new Interface(input, output, completer, terminal);
}

module.exports = {
  Interface,
  Readline,
  createInterface,
};
