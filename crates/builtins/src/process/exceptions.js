'use strict';
// Uncaught exceptions and unhandled rejections: dispatch to listeners, and the error report when the process exits.

const scheduler = require('internal/scheduler');
const process = require('process');

const isWorker = scheduler.options().threadId !== 0;
let capture = null;
// Like `capture`, but receives the reasons of rejections unchanged. The REPL sets it.
let captureReason;
// The `domain` module sets both functions. `domains(error)` returns true if a domain handles the error; `tellDomain` passes a rejection to the domain
// of its promise first.
let domains;
let tellDomain = (context, reason, tellAll) => tellAll();

function setCapture(callback) {
  if (callback === null) {
    capture = null;
    return;
  }
  if (typeof callback !== 'function') {
    const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
    throw new ERR_INVALID_ARG_TYPE('fn', ['Function', 'null'], callback);
  }
  if (capture !== null) {
    const { ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET } = require('internal/errors');
    throw new ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET();
  }
  capture = callback;
}

function noop() {}

// True for an Error, also for one of another realm.
const isError = (value) => value instanceof Error || require('internal/stack').isError(value);

function isErrorLike(value) {
  return typeof value === 'object' && value !== null && (isError(value) || Object.hasOwn(value, 'stack'));
}

// True if the terminal supports colors. They are only used on terminals, or with FORCE_COLOR.
function inColor() {
  if (native.kindOf(2) !== 'TTY') return process.env.FORCE_COLOR !== undefined && colorDepth() > 2;
  return colorDepth() > 2;
}
const colorDepth = () => require('internal/tty/colors').getColorDepth();

function inspected(thrown) {
  try {
    const { inspect } = require('internal/util/inspect');
    return inspect(thrown, { colors: inColor(), customInspect: false, depth: Math.max(inspect.defaultOptions.depth, 5) });
  } catch {
    if (!isErrorLike(thrown)) return Object.prototype.toString.call(thrown);
    return thrown.code === undefined ? `${thrown.stack}` : `${thrown.stack} {\n  code: '${thrown.code}'\n}`;
  }
}

const plainErrors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

// True if an error has no properties besides its stack: its stack is then printed without `inspect`.
function isPlain(thrown) {
  return plainErrors.some((one) => one.prototype === Object.getPrototypeOf(thrown)) && typeof thrown.stack === 'string' &&
    Object.keys(thrown).length === 0 && !Object.hasOwn(thrown, 'cause') && !Object.hasOwn(thrown, 'name') && !inColor();
}

// The text that is printed for a thrown value.
function textOf(thrown) {
  if (thrown !== null && (typeof thrown === 'object' || typeof thrown === 'function')) {
    const isWhole = isErrorLike(thrown) && isPlain(thrown) && /^ {4}at /m.test(thrown.stack);
    return isWhole ? thrown.stack : inspected(thrown);
  }
  // Node prints nothing for a symbol.
  return typeof thrown === 'symbol' ? '' : String(thrown);
}

// A line of source text: of a file, of a module from hooks, of `-e` code, or of a builtin.
const lineOf = (file, number) => require('internal/stack').line(file, number) ?? undefined;

const marks = require('internal/process/marks');
const { throwOfError, throwOfValue } = marks;
const marked = (file, number, column, statement) => marks.marked(lineOf, file, number, column, statement);

// The marked source line of an error whose stack cannot be read: the engine knows where the error was created.
function markedByEngine(thrown) {
  const again = placeOfRethrow(thrown);
  if (again !== '') return again;
  const site = require('internal/stack').placeOfError(thrown);
  return site === undefined ? '' : marked(site.file, site.line, site.column, throwOfError);
}

function setStack(thrown, value) {
  Object.defineProperty(thrown, 'stack', { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

// Errors whose stack already includes the source line.
const placed = new SafeWeakSet();

// Prepends the source line to the stack of a SyntaxError, as Node does for a file that does not compile.
function putPlace(error) {
  const place = placeOf(error, false);
  if (place === '') return;
  setStack(error, place + error.stack);
  placed.add(error);
}

// The marked source line of an error whose stack names no file. For a rejection, Node shows a line of `node:internal/process/promises`.
function placeWithoutFrames(made, fromPromise) {
  if (fromPromise) return 'node:internal/process/promises:394\n    triggerUncaughtException(err, true /* fromPromise */);\n    ^\n\n';
  return made?.file === undefined ? '' : marked(made.file, made.line, made.column, throwOfError);
}

// The marked source line of the last `throw` of a value, which may be far from where an error was created.
function placeOfRethrow(thrown) {
  const { file, line, column } = require('internal/stack').placeOfThrow(thrown) ?? {};
  return file === undefined ? '' : marked(file, line, column, throwOfValue);
}

// The marked line of invalid JSON. V8 reports it as a script without a name.
function placeInJson({ number, line, column }) {
  if (column === undefined) return `<anonymous_script>:${number}\n${line}\n\n`;
  return marks.marked(() => line, '<anonymous_script>', number, column);
}

const frameOfFile =
  /^ {4}at (?:.* \()?((?:file:\/\/)?(?:\/|node:|\[eval\]|\[stdin\]|evalmachine\.<anonymous>).*?):(\d+)(?::(\d+))?\)?$/m;

// The source line of an error, with a caret under the column.
function placeOf(thrown, fromPromise) {
  if (!isErrorLike(thrown) || placed.has(thrown)) return '';
  if (typeof thrown.stack !== 'string') return markedByEngine(thrown);
  if (thrown.code === 'MODULE_NOT_FOUND' && thrown.requireStack !== undefined) {
    return 'node:internal/modules/cjs/loader:1433\n  throw err;\n  ^\n\n';
  }
  if (thrown.code === 'ERR_UNHANDLED_REJECTION') {
    return 'node:internal/process/promises:392\n      new UnhandledPromiseRejection(reason);\n      ^\n\n';
  }
  const place = thrown[require('internal/errors').kPlace];
  if (place !== undefined) return place;
  const again = fromPromise ? '' : placeOfRethrow(thrown);
  if (again !== '') return again;
  const inJson = require('internal/json').placeOf(thrown);
  if (inJson !== undefined) return placeInJson(inJson);
  const inText = require('internal/stack').placeOfSyntax(thrown);
  if (inText !== undefined) return marks.markedSyntax(lineOf, inText.file, inText.line, inText.column, thrown.message);
  const made = require('internal/stack').placeOfError(thrown);
  // With source maps, the stack has positions in the original source: find the position in the generated text first.
  const generated = thrown instanceof SyntaxError ? undefined : require('internal/stack').generatedPlace(thrown);
  if (generated !== undefined) return marked(generated.file, generated.line, generated.column, fromPromise ? undefined : throwOfError);
  const match = frameOfFile.exec(thrown.stack);
  if (match === null) return placeWithoutFrames(made, fromPromise);
  // For a rejection, only the position where the error was created is known.
  return marked(match[1], +match[2], +(match[3] ?? 1), fromPromise ? undefined : throwOfError);
}

// Sets the stack of an unhandled 'error' event, which also shows where the event was emitted. Returns false for other errors.
function enhanceUnhandled(thrown) {
  const { kEnhanceStackBeforeInspector } = require('internal/errors');
  const enhance = thrown[kEnhanceStackBeforeInspector];
  if (typeof enhance !== 'function') return false;
  setStack(thrown, enhance());
  return true;
}

// Returns `name: message` without calling user code, like V8 if the error cannot be inspected.
function plainText(thrown) {
  try {
    return thrown instanceof Error ? Error.prototype.toString.call(thrown) : Object.prototype.toString.call(thrown);
  } catch {
    return '[object Object]';
  }
}

// The report of an uncaught error.
function textOfError(thrown, fromPromise) {
  const place = enhanceUnhandled(thrown) ?
    "node:events:497\n      throw er; // Unhandled 'error' event\n      ^\n\n" : placeOf(thrown, fromPromise);
  const text = place + textOf(thrown);
  if (!require('internal/options').has('trace-uncaught')) return text;
  return `${text}\nThrown at:\n${/^ {4}at [^]*/m.exec(thrown.stack)?.[0] ?? ''}\n`;
}

const uncaughtHint = () => require('internal/process/trace_hint').hintOf('--trace-uncaught', 'exception was thrown');

// The report of an uncaught value that is not an error.
function textOfValue(thrown) {
  const where = require('internal/stack').placeOfThrow(thrown);
  const place = where === undefined ? '' : marked(where.file, where.line, where.column, throwOfValue);
  let text = place === '' ? `Uncaught:\n${textOf(thrown)}` : `\n${place.slice(0, -1)}${textOf(thrown)}`;
  if (require('internal/options').has('trace-uncaught')) {
    if (where !== undefined) text += `\nThrown at:${where.text}\n`;
  } else if (thrown === null || (typeof thrown !== 'object' && typeof thrown !== 'function')) {
    text += `\n${uncaughtHint()}`;
  }
  return text;
}

function textOfThrown(thrown, fromPromise) {
  const isOne = isError(thrown) || isErrorLike(thrown) && placeOf(thrown) !== '';
  return isOne ? textOfError(thrown, fromPromise) : textOfValue(thrown);
}

// True if not even the prototype of a value can be read: it is a revoked proxy.
function isRevoked(value) {
  try {
    Object.getPrototypeOf(value);
    return false;
  } catch {
    return true;
  }
}

// The report of a value that throws when it is inspected.
function textOfUnseen(thrown) {
  const hint = uncaughtHint();
  const where = require('internal/stack').placeOfThrow(thrown);
  if (where !== undefined) {
    // For a revoked proxy, no text is printed (`src/node_errors.cc: PrintUncaughtException`).
    const text = isRevoked(thrown) ? '' : `${plainText(thrown)}\n`;
    return `\n${marked(where.file, where.line, where.column, throwOfValue)}${text}${hint}`;
  }
  return `${markedByEngine(thrown) || 'Uncaught:\n'}${plainText(thrown)}\n${hint}`;
}

function print(thrown, fromPromise = false) {
  let text;
  try {
    text = textOfThrown(thrown, fromPromise);
  } catch (error) {
    try {
      // The program may have replaced a builtin of ECMAScript: try again with the original builtins.
      text = require('internal/original_builtins').retry(error, () => textOfThrown(thrown, fromPromise));
    } catch {
      // Inspecting the value throws.
      text = textOfUnseen(thrown);
    }
  }
  native.writeText(2, `${text}\n\nPhasor v${process.versions.phasor} (Node.js ${process.version} compatible)\n`);
}

function emitExitOnce(code) {
  if (process._exiting) return;
  process._exiting = true;
  process.exitCode = code;
  scheduler.setExiting();
  try {
    process.emit('exit', code);
  } catch {
    // An exception of an 'exit' listener is ignored, because the first error is reported
    // (`lib/internal/process/execution.js: createOnGlobalUncaughtException`).
  }
}

// Reports the error to the parent thread and terminates the worker. Never returns.
function leaveWorker(error, emits) {
  if (emits) emitExitOnce(1);
  process._exiting = true;
  require('internal/worker/main').tell(error);
  process.reallyExit(process.exitCode ?? 1);
}

// Handles an uncaught exception. Returns only if the exception was handled (`lib/internal/process/execution.js: createOnGlobalUncaughtException`).
function fatal(error, fromPromise) {
  const origin = fromPromise ? 'unhandledRejection' : 'uncaughtException';
  let handled;
  try {
    process.emit('uncaughtExceptionMonitor', error, origin);
    if (domains !== undefined && domains(error)) {
      handled = true;
    } else if (capture !== null) {
      capture(error);
      handled = true;
    } else {
      handled = process.emit('uncaughtException', error, origin);
    }
  } catch (inner) {
    if (isWorker) leaveWorker(inner, false);
    print(inner);
    process.reallyExit(7);
  }
  if (!handled) {
    if (isWorker) leaveWorker(error, true);
    emitExitOnce(1);
    print(error, fromPromise);
    if (require('internal/options').has('abort-on-uncaught-exception')) native.abort();
    process.reallyExit(process.exitCode ?? 1);
  }
  // Keeps the loop alive for one more iteration, so that queued callbacks run (`lib/internal/process/execution.js: createOnGlobalUncaughtException`).
  scheduler.setImmediate(noop);
  return true;
}

// Reports an error when passing it to its handlers has failed. Never returns.
function lastWords(error) {
  if (isWorker) leaveWorker(error, false);
  print(error);
  process.reallyExit(1);
}

// Called when a program has removed `process._fatalException`: prints the error and exits (`src/node_errors.cc: TriggerUncaughtException`).
function unheard(error) {
  if (!isWorker) print(error);
  process.reallyExit(6);
}

const mode = require('internal/options').value('unhandled-rejections') ?? 'throw';

// Maps each promise whose rejection was reported to the number of its report.
const reported = new SafeWeakMap();
let reports = 0;

// A value as V8 shows it in messages. Does not call user code.
function reasonText(reason) {
  if (typeof reason === 'symbol') return reason.toString();
  if (reason === null || typeof reason !== 'object') return `${reason}`;
  if (scheduler.requireBuiltin('util').types.isProxy(reason)) return '#<Object>';
  const tag = Object.prototype.toString.call(reason);
  const builtin = tag !== '[object Object]' && !Object.hasOwn(Object.getPrototypeOf(reason) ?? {}, Symbol.toStringTag);
  const name = Object.getPrototypeOf(reason)?.constructor?.name;
  return builtin || typeof name !== 'string' || name === '' || Object.hasOwn(reason, 'toString') ? tag : `#<${name}>`;
}

class UnhandledPromiseRejection extends Error {
  code = 'ERR_UNHANDLED_REJECTION';
  constructor(reason) {
    super('This error originated either by throwing inside of an async function without a catch block, ' +
      `or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${reason}".`);
    this.name = 'UnhandledPromiseRejection';
    Error.captureStackTrace(this, UnhandledPromiseRejection);
  }
}

function asError(reason) {
  if (isErrorLike(reason)) return reason;
  return new UnhandledPromiseRejection(reasonText(reason));
}

function warn(reason, id) {
  const { emitWarning, bare } = require('internal/process/warnings');
  const name = 'UnhandledPromiseRejectionWarning';
  const warning = bare(name,
    'Unhandled promise rejection. This error originated either by throwing inside of an async function without a ' +
    'catch block, or by rejecting a promise which was not handled with .catch(). To terminate the node process on ' +
    'unhandled promise rejection, use the CLI flag `--unhandled-rejections=strict` (see ' +
    `https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). (rejection id: ${id})`);
  try {
    if (isErrorLike(reason)) {
      warning.stack = reason.stack;
      emitWarning(reason.stack, name);
    } else {
      emitWarning(reasonText(reason), name);
    }
  } catch {
    // Reading the stack throws, or the stack is not a string.
    emitWarning(reasonText(reason), name);
  }
  emitWarning(warning);
}

function unhandled(promise, reason, context) {
  const id = ++reports;
  reported.set(promise, id);
  const emit = () => tellDomain(context, reason, () => process.emit('unhandledRejection', reason, promise));
  switch (mode) {
    case 'none':
      emit();
      return;
    case 'warn':
      emit();
      warn(reason, id);
      return;
    case 'warn-with-error-code':
      if (!emit()) {
        warn(reason, id);
        process.exitCode = 1;
      }
      return;
    case 'strict':
      fatal(asError(reason), true);
      if (!emit()) warn(reason, id);
      return;
    default:
      if (emit()) return;
      if (captureReason === undefined) fatal(asError(reason), true);
      else captureReason(reason);
  }
}

function rejectionHandled(promise) {
  const id = reported.get(promise);
  if (process.emit('rejectionHandled', promise)) return;
  const { emitWarning, bare } = require('internal/process/warnings');
  emitWarning(bare('PromiseRejectionHandledWarning',
    `Promise rejection was handled asynchronously (rejection id: ${id})`));
}

module.exports = {
  setCapture, hasCapture: () => capture !== null, fatal, lastWords, print, putPlace, unheard, unhandled, rejectionHandled,
  captureRejections(callback) { captureReason = callback; },
  useDomains(handler, teller) {
    domains = handler;
    tellDomain = teller;
  },
};
