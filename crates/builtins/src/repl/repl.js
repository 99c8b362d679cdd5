'use strict';
// The interactive REPL of the command line: evaluates the lines that a separate editor thread reads from the terminal,
// and prints the results. `repl.start()` on other streams is in server.js.

const process = require('process');
const { inspect } = require('internal/util/inspect');
const complete = require('internal/repl/complete');
const { interrupted, toNodeError, markSyntax, textOfUncaught } = require('internal/repl/errors');

const PROMPT = '> ';
const CONTINUATION = '... ';

// The lines of an incomplete statement.
let pending = [];
// All evaluated lines, for .save.
let session = [];
let lines = 0;
let editing = false;
// True while the editor thread is reading a line.
let isReading = false;
// Stops waiting for a top-level await; null if there is none.
let cancelAwait = null;
// True after Ctrl-C at an empty prompt: a second one exits.
let exitsOnInterrupt = false;

let last;
let lastError;
let keepsLast = true;
let keepsError = true;

const onTerminal = native.isTerminal();
const coloured = () => onTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const defaults = { ...inspect.defaultOptions, showProxy: true };
const show = (value) => inspect(value, { ...defaults, colors: coloured() });
const printLine = (text) => native.write(`${text}\n`);

function ask() {
  isReading = true;
  const prompt = editing ? '' : pending.length > 0 ? CONTINUATION : PROMPT;
  if (!native.prompt(prompt)) process.exit();
}

// Prints an uncaught exception. `after` is written by the same call, so no other output can come between.
function uncaught(thrown, mark = '', after = '') {
  const error = toNodeError(thrown);
  lastError = keepsError ? error : lastError;
  native.write(`${mark}${textOfUncaught(error, show)}\n${after}`);
}

function shown(value) {
  if (keepsLast) last = value;
  try {
    printLine(show(value));
  } catch (error) {
    uncaught(error);
  }
}

function settle(promise, hasValue) {
  let over = false;
  const finish = (print, value) => {
    if (over) return;
    over = true;
    cancelAwait = null;
    print(value);
    ask();
  };
  cancelAwait = () => finish(uncaught, interrupted());
  // The engine wraps the value in an object, so that a promise can be the result.
  promise.then((result) => finish(shown, hasValue ? result.value : undefined), (error) => finish(uncaught, error));
}

function evaluate(code) {
  // `{` begins an object literal if the text parses as one: `lib/internal/repl/utils.js: isObjectLiteral`.
  const bare = code.trim();
  const asObject = /^\{/.test(bare) && !/;$/.test(bare) ? `(${bare})` : undefined;
  let judgement = asObject === undefined ? 'wrong' : native.judge(asObject);
  let text = asObject;
  if (judgement !== 'script' && judgement !== 'awaits') {
    text = code;
    judgement = native.judge(code);
  }
  const file = `REPL${++lines}`;
  if (judgement === 'incomplete') return false;
  pending = [];
  const awaits = judgement === 'awaits';
  require('internal/stack').know(file, text);
  const [threw, value, wasInterrupted] = native.evaluate(text, file, awaits);
  if (wasInterrupted) {
    uncaught(interrupted());
  } else if (threw) {
    uncaught(value, markSyntax(value, text));
  } else {
    complete.declare(text);
    if (awaits) {
      settle(value, native.endsInExpression(text));
      return true;
    }
    shown(value);
  }
  ask();
  return true;
}

// Evaluates several lines as one text (.load, .editor).
function evaluateWhole(code) {
  pending = [];
  session.push(...code.split('\n'));
  if (code.trim() === '') return ask();
  if (evaluate(code)) return;
  const [, error] = native.evaluate(code, `REPL${++lines}`, false);
  uncaught(error, markSyntax(error, code));
  ask();
}

function reset() {
  pending = [];
  editing = false;
}

const commands = {
  __proto__: null,
  break: { help: 'Sometimes you get stuck, this gets you out', run: reset },
  clear: { help: 'Alias for .break', run: reset },
  editor: {
    help: 'Enter editor mode',
    run() {
      reset();
      editing = true;
      printLine('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)');
    },
  },
  exit: { help: 'Exit the REPL', run: () => process.exit() },
  help: {
    help: 'Print this help message',
    run() {
      const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 3;
      for (const name of Object.keys(commands).sort()) printLine(`.${name.padEnd(width)}${commands[name].help}`);
      printLine('\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL');
    },
  },
  load: {
    help: 'Load JS from a file into the REPL session',
    run(file) {
      let text;
      try {
        text = require('fs').readFileSync(file, 'utf8');
      } catch {
        printLine(file === '' ? 'The "file" argument must be specified' : `Failed to load: ${file}`);
        return false;
      }
      // The loaded text is echoed like typed text, since `lib/repl.js: defineDefaultCommands` writes it into the
      // editor.
      if (onTerminal) printLine(text);
      evaluateWhole(text.replace(/^#!.*/, ''));
      return true;
    },
  },
  save: {
    help: 'Save all evaluated commands in this REPL session to a file',
    run(file) {
      if (file === '') return printLine('The "file" argument must be specified');
      try {
        require('fs').writeFileSync(file, session.join('\n'));
        printLine(`Session saved to: ${file}`);
      } catch {
        printLine(`Failed to save: ${file}`);
      }
    },
  },
};

// .editor needs a terminal: `lib/repl.js: defineDefaultCommands`.
if (!onTerminal) delete commands.editor;

function onLine(line) {
  exitsOnInterrupt = false;
  if (editing) {
    pending.push(line);
    return ask();
  }
  const command = /^\s*\.([a-zA-Z]+)(?:\s+(.*?))?\s*$/.exec(line);
  if (command !== null && (pending.length === 0 || command[1] in commands)) {
    if (!(command[1] in commands)) printLine('Invalid REPL keyword');
    // .load prints the next prompt when its code has finished.
    else if (commands[command[1]].run(command[2] ?? '') === true) return;
    return ask();
  }
  if (pending.length === 0 && line.trim() === '') return ask();
  session.push(line);
  const code = [...pending, line].join('\n');
  if (evaluate(code)) return;
  pending.push(line);
  ask();
}

function onAbort(empty) {
  if (empty && pending.length === 0 && !editing) {
    if (exitsOnInterrupt) process.exit();
    exitsOnInterrupt = true;
    printLine('(To exit, press Ctrl+C again or Ctrl+D or type .exit)');
  } else {
    exitsOnInterrupt = false;
  }
  reset();
  ask();
}

function onEnd() {
  if (!editing) process.exit();
  editing = false;
  evaluateWhole(pending.join('\n'));
}

function onEditorEvent(kind, what) {
  if (kind === 'complete') return complete.candidates(what, Object.keys(commands));
  if (kind === 'signal') return cancelAwait?.();
  isReading = false;
  if (kind === 'line') onLine(what);
  else if (kind === 'abort') onAbort(what);
  else onEnd();
}

// Globals of the REPL: module, exports, require, the builtin modules, `_` and `_error`.
function define() {
  const { Module } = require('internal/modules/cjs');
  const module = new Module('<repl>');
  module.filename = null;
  module.paths = ['repl', ...Module._nodeModulePaths(process.cwd())];
  const value = (name, it) =>
    Object.defineProperty(globalThis, name, { __proto__: null, value: it, writable: true, configurable: true, enumerable: false });
  value('module', module);
  value('exports', module.exports);
  value('require', Module.createRequire(`${process.cwd()}/<repl>`));
  require('internal/modules/eval').defineBuiltins(globalThis, complete.trust);
  const kept = (name, get, set) => {
    complete.trust(get);
    Object.defineProperty(globalThis, name, { __proto__: null, get, set, configurable: true, enumerable: false });
  };
  kept('_', () => last, (it) => {
    last = it;
    if (keepsLast) printLine('Expression assignment to _ now disabled.');
    keepsLast = false;
  });
  kept('_error', () => lastError, (it) => {
    lastError = it;
    if (keepsError) printLine('Expression assignment to _error now disabled.');
    keepsError = false;
  });
}

function start() {
  define();
  const onUncaught = (error) => {
    // While a line is being read, the error overwrites it: print the prompt again. Otherwise the evaluation in progress asks for the next line
    // when it is done; if no evaluation is waiting, ask here.
    uncaught(error, '', isReading ? pending.length > 0 ? CONTINUATION : PROMPT : '');
    if (!isReading && cancelAwait === null) ask();
  };
  const { captureRejections, setCapture } = require('internal/process/exceptions');
  setCapture(onUncaught);
  captureRejections(onUncaught);
  Object.defineProperty(inspect, 'replDefaults', {
    __proto__: null,
    get: () => defaults,
    set(options) {
      require('internal/validators').validateObject(options, 'options');
      return Object.assign(defaults, options);
    },
  });
  process.on('exit', native.restoreTerminal);
  printLine(`Welcome to Phasor v${native.version}.\nType ".help" for more information.`);
  native.start(onEditorEvent);
  ask();
}

module.exports = { start };
