'use strict';
// `--check`: compiles a file without running it.

const { readText } = require('internal/modules/read');
const scheduler = require('internal/scheduler');
const { Module, formatOf, withoutMark, withoutShebang } = require('internal/modules/cjs');

const wrapper = ['exports', 'require', 'module', '__filename', '__dirname'];

function check(path) {
  // A missing file gives the error of `require`.
  const file = Module._resolveFilename(path, null, true);
  checkText(withoutMark(readText(file)), file, formatOf(file));
}

// Checks source text from stdin or `-e`: CommonJS unless an option says otherwise.
function checkInput(text, file, format = 'commonjs') {
  const isUnexpected = format === 'commonjs' && require('internal/modules/esm').isModuleSyntax(text);
  if (isUnexpected) require('internal/process/warnings').warnOfModule(file);
  checkText(text, file, format);
}

function checkText(text, file, format) {
  if (format?.endsWith('typescript')) {
    text = require('internal/modules/typescript').strip(text, file);
    format = format === 'typescript' ? undefined : format.slice(0, -11);
  }
  text = withoutShebang(text);
  const esm = () => require('internal/modules/esm');
  if (format !== 'module') {
    try {
      scheduler.compileFunction(text, file, wrapper);
      return;
    } catch (error) {
      if (format !== undefined || !esm().isModuleSyntax(text)) {
        throw error;
      }
    }
  }
  esm().compileOnly(file, text);
}

module.exports = { check, checkInput };
