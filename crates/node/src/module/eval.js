'use strict';
// Code that is no file, if it cannot be compiled as a script: it may be a module, or have types.

const scheduler = require('internal/scheduler');

function isCompiled(code, file) {
  try {
    scheduler.compileFunction(code, file, []);
    return true;
  } catch {
    return false;
  }
}

// The code without types, if it has some.
function withoutTypes(code, file) {
  try {
    const plain = require('internal/modules/typescript').strip(code, file, true);
    return plain === code ? undefined : plain;
  } catch {
    return undefined;
  }
}

// Runs code that threw an error when it was run as a script; throws that error if nothing else can be done. `isOpen`: nobody has
// said what it is.
function runOtherwise(error, code, print, isOpen, file) {
  if (!(error instanceof SyntaxError) || isCompiled(code, file)) throw error;
  const { isModuleSyntax, runCode } = require('internal/modules/esm');
  const plain = isOpen && !isModuleSyntax(code) ? withoutTypes(code, file) : undefined;
  const isModule = isOpen && isModuleSyntax(plain ?? code);
  if (isModule && print) {
    const { ERR_EVAL_ESM_CANNOT_PRINT } = require('internal/errors');
    throw new ERR_EVAL_ESM_CANNOT_PRINT();
  }
  if (isModule) return runCode(plain ?? code);
  if (plain !== undefined) return scheduler.evalScript(plain, file);
  require('internal/modules/syntax_error').polish(error, code);
  throw error;
}

module.exports = { runOtherwise };
