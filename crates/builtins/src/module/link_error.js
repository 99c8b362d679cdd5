'use strict';
// Rewords the engine's link errors, such as for a missing export, with the specifier of the import.

const errorPattern =
  /^The requested module '([^]*?)' (does not provide an export named|contains ambiguous star export:|contains circular import:) '([^]*?)'(?: from '|$)/;

// The import clause as a destructuring pattern for the hint; empty if it spans several lines.
function destructured(line) {
  const names = /\{.*\}/.exec(line);
  return names === null ? '' : `const ${names[0].replace(/\s+as\s+/g, ': ')} = pkg;\n`;
}

function messageFor(kind, name, edge, source) {
  const { specifier } = edge;
  if (kind.startsWith('contains circular')) return `Detected cycle while resolving name '${name}' in '${specifier}'`;
  if (kind.startsWith('contains')) return `The requested module '${specifier}' contains conflicting star exports for name '${name}'`;
  if (edge.record?.kind !== 'commonjs') return `The requested module '${specifier}' does not provide an export named '${name}'`;
  return `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, ` +
    'which may not support all module.exports as named exports.\nCommonJS modules can always be imported via the ' +
    `default export, for example using:\n\nimport pkg from '${specifier}';\n${destructured(source)}`;
}

// Returns the error with V8's and Node's message; an error that is no link error is returned unchanged. `all` has the records of the graph, `records`
// all records by URL.
function reworded(error, all, records) {
  const match = error?.name === 'SyntaxError' ? errorPattern.exec(error.message) : null;
  if (match === null) return error;
  const { fileName, lineNumber, columnNumber } = error;
  const { 1: url, 2: kind, 3: name } = match;
  const importsIt = (record) => record?.edges.find((edge) => edge.url === url);
  const importer = importsIt(records.get(fileName)) === undefined ? all.find(importsIt) : records.get(fileName);
  if (importer === undefined) return error;
  const lineOf = (file, number) => require('internal/stack').line(file, number) ?? undefined;
  const source = lineOf(importer.url, lineNumber) ?? '';
  const made = new SyntaxError(messageFor(kind, name, importsIt(importer), source));
  const place = require('internal/process/marks').markedSyntax(lineOf, importer.url, lineNumber, columnNumber, '');
  // `lib/internal/modules/esm/module_job.js: ModuleJob._instantiate` puts no empty line between the marked source line
  // and the stack.
  const stack = place.slice(0, -1) + made.stack;
  Object.defineProperty(made, 'stack', { __proto__: null, value: stack, writable: true, configurable: true });
  Object.defineProperty(made, require('internal/errors').kPlace, { __proto__: null, value: '' });
  return made;
}

module.exports = { reworded };
