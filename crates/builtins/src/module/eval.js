'use strict';
// Runs code that is not a file: code from `-e`, from stdin, or of a worker. Code that does not compile as a script is tried as a module and as
// TypeScript.

const process = require('process');
const scheduler = require('internal/scheduler');
const { Module, esm, makeRequire, publicIds, requireBuiltin, withoutShebang } = require('internal/modules/cjs');
const { join } = require('internal/modules/package');

function isCompiled(code, file) {
  try {
    scheduler.compileFunction(code, file, []);
    return true;
  } catch {
    return false;
  }
}

// The code with types stripped; undefined if it has none.
function withoutTypes(code, file) {
  try {
    const plain = require('internal/modules/typescript').strip(code, file, true);
    return plain === code ? undefined : plain;
  } catch {
    return undefined;
  }
}

// Retries code that failed to run as a script; rethrows the error if the code is neither a module nor TypeScript. `isOpen`: no option has set the
// format.
function retryCode(error, code, print, isOpen, file) {
  if (!(error instanceof SyntaxError) || isCompiled(code, file)) {
    require('internal/stack').noteThrow(error);
    throw error;
  }
  const { isModuleSyntax, runCode: runModule } = esm();
  const plain = isOpen && !isModuleSyntax(code) ? withoutTypes(code, file) : undefined;
  const isModule = isOpen && isModuleSyntax(plain ?? code);
  if (isModule && print) {
    const { ERR_EVAL_ESM_CANNOT_PRINT } = require('internal/errors');
    throw new ERR_EVAL_ESM_CANNOT_PRINT();
  }
  if (isModule) return runModule(plain ?? code);
  if (plain !== undefined) return scheduler.evalScript(plain, file);
  throw error;
}

// The working directory may have been deleted. Code runs anyway, and resolves requests in `/`.
function workingFolder() {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

// Defines builtins as globals for `-e` and the REPL, unless the name is taken. `made` is called with each defined name.
function defineBuiltins(target = globalThis, made = () => {}) {
  const define = (name, value) =>
    Object.defineProperty(target, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  for (const id of publicIds) {
    if (/^_|[/:]/.test(id) || id in target) continue;
    const get = () => {
      const value = requireBuiltin(id);
      define(id, value);
      return value;
    };
    made(get);
    const set = (value) => define(id, value);
    Object.defineProperty(target, id, { __proto__: null, get, set, configurable: true, enumerable: false });
  }
}

// Runs code as a script, or else as a module or TypeScript. `format` is defined if an option has set the format.
function runCode(code, print, format, file = '[eval]') {
  if (format !== undefined && format.endsWith('-typescript')) {
    runCode(require('internal/modules/typescript').strip(code, file, true), print, format.slice(0, -11), file);
    return;
  }
  if (format === 'module' && print) {
    const { ERR_EVAL_ESM_CANNOT_PRINT } = require('internal/errors');
    throw new ERR_EVAL_ESM_CANNOT_PRINT();
  }
  if (file === '[eval]') defineBuiltins();
  const module = new Module(file);
  const folder = workingFolder();
  module.filename = join(folder, file);
  module.paths = Module._nodeModulePaths(folder);
  // Quick check: code without these words cannot need module syntax.
  const isOpen = format === undefined;
  if (format === 'module' || (isOpen && !print && /\b(?:import|export|await)\b/.test(code) && esm().isModuleSyntax(code))) {
    esm().runCode(code);
    return;
  }
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  define('__filename', file);
  define('module', module);
  define('exports', module.exports);
  define('__dirname', '.');
  define('require', makeRequire(module));
  // In `-e` code `crypto` is the Node module, not the Web Crypto object.
  if (file === '[eval]' && /\bcrypto\b/.test(code)) define('crypto', requireBuiltin('crypto'));
  let value;
  const text = withoutShebang(code);
  try {
    value = scheduler.evalScript(text, file);
  } catch (error) {
    value = retryCode(error, text, print, isOpen, file);
  }
  // `-p` prints the value at exit (`lib/internal/process/execution.js: runScriptInContext`).
  if (print) process.on('exit', () => require('console').log(value));
}

module.exports = { defineBuiltins, runCode };
