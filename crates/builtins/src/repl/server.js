'use strict';
// The module `repl`: a REPL on any pair of streams. The REPL of the command line is in repl.js.

const process = require('process');
const vm = require('vm');
const { Console } = require('console');
const { Interface } = require('readline');
const { deprecate, shouldColorize } = require('internal/util');
const { inspect } = require('internal/util/inspect');
const { textOfUncaught } = require('internal/repl/errors');
const { Module } = require('internal/modules/cjs');

const builtinModules = require('module').builtinModules.filter((id) => !id.startsWith('_'));
const REPL_MODE_SLOPPY = Symbol('repl-sloppy');
const REPL_MODE_STRICT = Symbol('repl-strict');

// Passed to the callback of `eval` when the text is an incomplete statement.
class Recoverable extends SyntaxError {
  constructor(error) {
    super();
    this.err = error;
  }
}

const writer = (value) => inspect(value, writer.options);
writer.options = { ...inspect.defaultOptions, showProxy: true };

const old = (name) => deprecate(
  (server) => server[name],
  `repl.inputStream and repl.outputStream are deprecated. Use repl.input and repl.output instead`, 'DEP0141');
const oldInput = old('input');
const oldOutput = old('output');

// Numbers the evaluated texts (`REPL1`, `REPL2` …), shared by all servers.
let evaluations = 0;

const runs = (text) => ['script', 'awaits'].includes(native.judge(text));

// Parses text that begins with a brace as an object literal if possible: `lib/internal/repl/utils.js: isObjectLiteral`.
function asObjectLiteral(code) {
  const bare = code.trim();
  const asObject = `(${bare})\n`;
  return bare.startsWith('{') && !bare.endsWith(';') && runs(asObject) ? asObject : code;
}

// Wraps code with a top-level await in an async function.
function asPromise(code) {
  const asValue = `(async () => (\n${code.trim().replace(/;$/, '')}\n))()`;
  return runs(asValue) ? asValue : `(async () => {\n${code}\n})()`;
}

function evaluate(code, context, file, done) {
  if (code.trim() === '') {
    done(null);
    return;
  }
  let text = asObjectLiteral(code);
  const judgement = native.judge(text);
  if (judgement === 'incomplete') {
    done(new Recoverable(new SyntaxError('Unexpected end of input')));
    return;
  }
  const awaits = judgement === 'awaits';
  if (awaits) text = asPromise(text);
  if (this.replMode === REPL_MODE_STRICT) text = `'use strict'; void 0;\n${text}`;
  let value;
  try {
    const script = new vm.Script(text, { filename: file });
    // Allow `import()` in typed code.
    require('internal/modules/dynamic').scripts.delete(file);
    value = this.useGlobal ? script.runInThisContext({ displayErrors: false }) : script.runInContext(context, { displayErrors: false });
  } catch (error) {
    // null and undefined mean "no error" to the callback: throw them to the caller instead.
    if (error === null || error === undefined) throw error;
    done(error);
    return;
  }
  if (awaits) value.then((result) => done(null, result), (error) => done(error));
  else done(null, value);
}

class REPLServer extends Interface {
  #prompt;
  #pending = '';
  #lines = [];
  #session = [];
  #isBusy = false;
  #isOver = false;
  #isLeaving = false;

  constructor(prompt, stream, evaluateOther, useGlobal, ignoreUndefined, replMode) {
    const options = prompt !== null && typeof prompt === 'object' ?
      { ...prompt } : { prompt, input: stream, output: stream, eval: evaluateOther, useGlobal, ignoreUndefined, replMode };
    options.input ||= process.stdin;
    options.output ||= process.stdout;
    const terminal = options.terminal ?? Boolean(options.output.isTTY);
    super({
      input: options.input,
      output: options.output,
      completer: options.completer ?? ((line, done) => this.complete(line, done)),
      terminal,
      historySize: options.historySize,
      prompt: options.prompt ?? '> ',
    });
    this.#prompt = options.prompt ?? '> ';
    this.useColors = options.useColors ?? (terminal && shouldColorize(options.output));
    this.useGlobal = Boolean(options.useGlobal);
    this.ignoreUndefined = Boolean(options.ignoreUndefined);
    this.replMode = options.replMode || REPL_MODE_SLOPPY;
    this.breakEvalOnSigint = Boolean(options.breakEvalOnSigint);
    this.underscoreAssigned = false;
    this.underscoreErrAssigned = false;
    this.last = undefined;
    this.lastError = undefined;
    this.editorMode = false;
    this.lines = Object.assign([], { level: [] });
    this.eval = options.eval || evaluate;
    this.writer = options.writer || writer;
    if (this.writer === writer) writer.options.colors = this.useColors;
    // Typed code runs in a domain, so that exceptions of its later callbacks are printed by the REPL. As `lib/repl.js:
    // REPLServer`.
    this._domain = options.domain || require('domain').create();
    this._domain.on('error', (error) => {
      // Do not print the properties that the domain adds to the error.
      if (error?.domainThrown) {
        delete error.domain;
        delete error.domainThrown;
      }
      this.clearBufferedCommand();
      this.#printError(error);
      if (!this.#isOver) this.displayPrompt();
    });
    this.commands = { __proto__: null };
    for (const name of Object.keys(commands)) this.defineCommand(name, commands[name]);
    this.commands.clear.help = this.useGlobal ? 'Alias for .break' : 'Break, and also clear the local context';
    this.resetContext();
    this.on('line', (line) => {
      this.#lines.push(line);
      this.#goOn();
    });
    this.on('SIGINT', () => this.#abort());
    this.on('close', () => {
      this.#isOver = true;
      if (!this.#isBusy) this.emit('exit');
    });
    this.displayPrompt();
  }

  createContext() {
    if (this.useGlobal) return this.#furnish(globalThis);
    const context = vm.createContext();
    const known = new Set(vm.runInContext('Object.getOwnPropertyNames(globalThis)', context));
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (known.has(name)) continue;
      Object.defineProperty(context, name, { __proto__: null, ...Object.getOwnPropertyDescriptor(globalThis, name) });
    }
    context.global = context;
    Object.defineProperty(context, 'console', {
      __proto__: null, value: new Console(this.output), writable: true, configurable: true, enumerable: false,
    });
    return this.#furnish(context);
  }

  #furnish(context) {
    const module = new Module('<repl>');
    module.paths = ['repl', ...Module._nodeModulePaths(process.cwd())];
    const define = (name, value) => Object.defineProperty(context, name, {
      __proto__: null, value, writable: true, configurable: true, enumerable: false,
    });
    define('module', module);
    define('exports', module.exports);
    define('require', Module.createRequire(`${process.cwd()}/<repl>`));
    require('internal/modules/eval').defineBuiltins(context);
    return context;
  }

  resetContext() {
    this.context = this.createContext();
    this.underscoreAssigned = false;
    this.underscoreErrAssigned = false;
    this.#keep('_', 'last', 'underscoreAssigned');
    this.#keep('_error', 'lastError', 'underscoreErrAssigned');
    this.emit('reset', this.context);
  }

  // Defines `_` or `_error`: the last result or error, until the program assigns the variable.
  #keep(name, property, mark) {
    Object.defineProperty(this.context, name, {
      __proto__: null,
      configurable: true,
      get: () => this[property],
      set: (value) => {
        this[property] = value;
        if (this[mark]) return;
        this[mark] = true;
        this.output.write(`Expression assignment to ${name} now disabled.\n`);
      },
    });
  }

  defineCommand(keyword, command) {
    this.commands[keyword] = typeof command === 'function' ? { action: command } : { ...command };
    require('internal/validators').validateFunction(this.commands[keyword].action, 'cmd.action');
  }

  setPrompt(prompt) {
    // The base constructor calls this method before the private fields exist.
    if (#prompt in this) this.#prompt = prompt;
    super.setPrompt(prompt);
  }

  displayPrompt(preserveCursor) {
    super.setPrompt(this.#pending === '' ? this.#prompt : '... ');
    this.prompt(preserveCursor);
  }

  clearBufferedCommand() { this.#pending = ''; }

  complete(line, done) {
    const [part, names] = require('internal/repl/complete').candidates(line, Object.keys(this.commands));
    done(null, [names, part]);
  }

  // Loads the history file, and saves the history on 'exit'.
  setupHistory(file, done = () => {}) {
    const fs = require('fs');
    if (!file) {
      done(null, this);
      return;
    }
    try {
      fs.closeSync(fs.openSync(file, 'a+', 0o600));
    } catch {
      this.output.write('\nError: Could not open history file.\nREPL session history will not be persisted.\n');
      done(null, this);
      return;
    }
    fs.readFile(file, 'utf8', (error, text) => {
      this.history = (text ?? '').split(/\r?\n/).filter((line) => line !== '');
      this.on('exit', () => fs.writeFileSync(file, `${this.history.join('\n')}\n`));
      done(null, this);
    });
  }

  get session() { return this.#session; }

  get inputStream() { return oldInput(this); }
  set inputStream(stream) { this.input = stream; }
  get outputStream() { return oldOutput(this); }
  set outputStream(stream) { this.output = stream; }

  // Runs the queued lines one after the other; an awaiting line blocks those behind it.
  #goOn() {
    while (!this.#isBusy && this.#lines.length > 0) this.#take(this.#lines.shift());
  }

  #take(line) {
    this.#isLeaving = false;
    const command = /^\s*\.([^\s.][^\s]*)\s*(.*?)\s*$/.exec(line);
    if (command !== null && Number.isNaN(Number.parseFloat(line))) {
      const known = this.commands[command[1]];
      if (known !== undefined) {
        known.action.call(this, command[2]);
        return;
      }
      if (this.#pending === '') {
        this.output.write('Invalid REPL keyword\n');
        this.displayPrompt();
        return;
      }
    }
    this.#session.push(line);
    this.#run(line);
  }

  #run(line) {
    const code = `${this.#pending}${line}\n`;
    this.#isBusy = true;
    const done = (...results) => {
      this.#isBusy = false;
      this.#finish(code, ...results);
      this.#goOn();
      if (this.#isOver && !this.#isBusy) this.emit('exit');
    };
    try {
      this._domain.run(() => this.eval(code, this.context, `REPL${++evaluations}`, done));
    } catch (error) {
      this.#isBusy = false;
      // `domain.run` does not exit the domain if its function throws.
      this._domain.exit();
      this._domain.emit('error', error);
    }
  }

  #printError(error) {
    if (!this.underscoreErrAssigned) this.lastError = error;
    this.output.write(`${textOfUncaught(error, this.writer)}\n`);
  }

  #finish(code, error, ...results) {
    if (error instanceof Recoverable && !this.#isOver) {
      this.#pending = code;
      this.displayPrompt();
      return;
    }
    this.clearBufferedCommand();
    if (error) {
      this.#printError(error);
    } else if (results.length > 0 && !(this.ignoreUndefined && results[0] === undefined)) {
      if (!this.underscoreAssigned) this.last = results[0];
      this.output.write(`${this.writer(results[0])}\n`);
    }
    if (!this.#isOver) this.displayPrompt();
  }

  // Evaluates several lines as one text (.load, .editor).
  runWhole(text) {
    this.clearBufferedCommand();
    this.#session.push(...text.split('\n'));
    this.#run(text.replace(/^#!.*/, ''));
  }

  #abort() {
    const isEmpty = this.line.length === 0 && this.#pending === '';
    if (isEmpty && this.#isLeaving) {
      this.close();
      return;
    }
    this.clearBufferedCommand();
    if (isEmpty) this.output.write('(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n');
    this.#isLeaving = isEmpty;
    this.displayPrompt();
  }
}

const commands = {
  break: {
    help: 'Sometimes you get stuck, this gets you out',
    action() {
      this.clearBufferedCommand();
      this.displayPrompt();
    },
  },
  clear: {
    action() {
      this.clearBufferedCommand();
      if (!this.useGlobal) {
        this.output.write('Clearing context...\n');
        this.resetContext();
      }
      this.displayPrompt();
    },
  },
  exit: { help: 'Exit the REPL', action() { this.close(); } },
  help: {
    help: 'Print this help message',
    action() {
      const names = Object.keys(this.commands).sort();
      const width = Math.max(...names.map((name) => name.length)) + 3;
      for (const name of names) {
        const { help } = this.commands[name];
        this.output.write(help ? `.${name.padEnd(width)}${help}\n` : `.${name}\n`);
      }
      this.output.write('\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n');
      this.displayPrompt();
    },
  },
  load: {
    help: 'Load JS from a file into the REPL session',
    action(file) {
      let text;
      try {
        text = require('fs').readFileSync(file, 'utf8');
      } catch {
        this.output.write(file === '' ? 'The "file" argument must be specified\n' : `Failed to load: ${file}\n`);
        this.displayPrompt();
        return;
      }
      // The loaded text is echoed like typed text, since `lib/repl.js: defineDefaultCommands` writes it into the
      // editor.
      if (this.terminal) this.output.write(`${text}\n`);
      this.runWhole(text);
    },
  },
  save: {
    help: 'Save all evaluated commands in this REPL session to a file',
    action(file) {
      try {
        if (file !== '') require('fs').writeFileSync(file, this.session.join('\n'));
        this.output.write(file === '' ? 'The "file" argument must be specified\n' : `Session saved to: ${file}\n`);
      } catch {
        this.output.write(`Failed to save: ${file}\n`);
      }
      this.displayPrompt();
    },
  },
};

function start(...words) {
  return new REPLServer(...words);
}

module.exports = {
  start,
  writer,
  REPLServer,
  REPL_MODE_SLOPPY,
  REPL_MODE_STRICT,
  Recoverable,
  builtinModules,
  _builtinLibs: builtinModules,
};
