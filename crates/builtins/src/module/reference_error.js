'use strict';
// Extended ReferenceError messages for ES modules that use CommonJS variables such as `require`.

const { scopeOf } = require('internal/modules/package');

const isMeant = (error) => error?.name === 'ReferenceError' &&
  /^(?:require|module|exports|__filename|__dirname) is not defined$/.test(error.message);

function setMessage(error, message) {
  const { stack } = error;
  const head = `ReferenceError: ${error.message}`;
  error.message = message;
  if (typeof stack !== 'string' || !stack.startsWith(head)) return;
  const value = `ReferenceError: ${message}${stack.slice(head.length)}`;
  Object.defineProperty(error, 'stack', { __proto__: null, value, writable: true, configurable: true, enumerable: false });
}

// Extends the message of an error that a module graph has thrown. The record is that of the root module.
function explain(error, { url, path }, hasAwait) {
  if (!isMeant(error)) return;
  if (hasAwait) {
    setMessage(error, 'Cannot determine intended module format because both require() and top-level await are present. ' +
      'If the code is intended to be CommonJS, wrap await in an async function. If the code is intended to be an ES ' +
      'module, replace require() with import.');
    error.code = 'ERR_AMBIGUOUS_MODULE_SYNTAX';
    return;
  }
  let message = `${error.message} in ES module scope`;
  if (message.startsWith('require ')) message += ', you can use import instead';
  const owner = path !== undefined && /\.js(?:\?[^#]*)?(?:#.*)?$/.test(url) ? scopeOf(path) : null;
  if (owner?.type === 'module') {
    message += `\nThis file is being treated as an ES module because it has a '.js' file extension and '${owner.file}' ` +
      'contains "type": "module". To treat it as a CommonJS script, rename it to use the \'.cjs\' file extension.';
  }
  setMessage(error, message);
}

module.exports = { explain };
