'use strict';
// `--check`: a file is read and compiled, and nothing of it runs.

const { readText } = require('internal/modules/read');
const scheduler = require('internal/scheduler');
const { Module, formatOf, withoutMark, withoutShebang } = require('internal/modules/cjs');

const wrapper = ['exports', 'require', 'module', '__filename', '__dirname'];

function check(path) {
  // As Node: a file that is not there is told in the words of `require`.
  const file = Module._resolveFilename(path, null, true);
  let text = withoutMark(readText(file));
  let format = formatOf(file);
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
      if (format !== undefined || !esm().isModuleSyntax(text)) throw error;
    }
  }
  esm().compileOnly(file, text);
}

module.exports = { check };
