'use strict';
// Error paths of EventEmitter: an 'error' event without a listener, and the MaxListenersExceededWarning.

const { ERR_UNHANDLED_ERROR, kEnhanceStackBeforeInspector } = require('internal/errors');

function throwUnhandled(emitter, args, emitFunction) {
  const error = args.length > 0 ? args[0] : undefined;
  if (error instanceof Error) {
    try {
      const capture = {};
      Error.captureStackTrace(capture, emitFunction);
      Object.defineProperty(error, kEnhanceStackBeforeInspector, {
        __proto__: null,
        value: () => enhanceStackTrace(emitter, error, capture),
        configurable: true,
      });
    } catch {
      // A frozen error cannot get a new stack: throw it unchanged.
    }
    throw error;
  }
  let text;
  try {
    text = require('internal/util/inspect').inspect(error);
  } catch {
    text = error;
  }
  const unhandled = new ERR_UNHANDLED_ERROR(text);
  unhandled.context = error;
  throw unhandled;
}

// Adds the location of the emit to an unhandled error's stack, without the frames common to both stacks.
function enhanceStackTrace(emitter, error, own) {
  let where = '';
  try {
    const { name } = emitter.constructor;
    if (name !== 'EventEmitter') where = ` on ${name} instance`;
  } catch {
    // An emitter without a constructor has no class name.
  }
  const separator = `\nEmitted 'error' event${where} at:\n`;
  const errorLines = error.stack.split('\n').slice(1);
  const ownLines = own.stack.split('\n').slice(1);
  const [length, offset] = require('internal/util/inspect').identicalSequenceRange(ownLines, errorLines);
  if (length > 3) {
    ownLines.splice(offset + 1, length - 2, '    [... lines matching original stack trace ...]');
  }
  return error.stack + separator + ownLines.join('\n');
}

function warnOfLeak(emitter, type, existing, limit) {
  existing.warned = true;
  const { inspect } = require('internal/util/inspect');
  const warning = new Error(
    `Possible EventEmitter memory leak detected. ${existing.length} ${String(type)} listeners ` +
    `added to ${inspect(emitter, { depth: -1 })}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  warning.emitter = emitter;
  warning.type = type;
  warning.count = existing.length;
  require('process').emitWarning(warning);
}

module.exports = { throwUnhandled, warnOfLeak };
