'use strict';
// WebAssembly files as ES modules. The source text of a module is generated that has the imports and exports of the WebAssembly module
// (`lib/internal/modules/esm/translators.js`, translator `wasm`).

const fs = require('fs');
const process = require('process');

const namespaceName = (i) => `i${i}`;
const exportName = (i) => `e${i}`;
const quoted = JSON.stringify;

function textOf(sources, names) {
  const imports = sources.map((source, i) => `import * as ${namespaceName(i)} from ${quoted(source)};`);
  const variables = names.map((name, i) => `const ${exportName(i)} = exports[${quoted(name)}];`);
  const exported = names.map((name, i) => `${exportName(i)} as ${quoted(name)}`);
  const instance = `const exports = import.meta.instantiate([${sources.map((_, i) => namespaceName(i))}]);`;
  return `${imports.join('')}${instance}${variables.join('')}export {${exported}};`;
}

// Fills the record of a file. `compileText(record, text)` compiles source text as the module of the record.
function compile(record, compileText) {
  process.emitWarning('Importing WebAssembly module instances is an experimental feature and might change at any time', 'ExperimentalWarning');
  const bytes = fs.readFileSync(record.path);
  let module;
  try {
    module = new WebAssembly.Module(bytes);
  } catch (error) {
    error.message = `${record.path}: ${error.message}`;
    throw error;
  }
  const sources = [...new Set(WebAssembly.Module.imports(module).map((one) => one.module))];
  record.instantiate = (namespaces) => {
    const imports = { __proto__: null };
    sources.forEach((source, i) => { imports[source] = namespaces[i]; });
    return new WebAssembly.Instance(module, imports).exports;
  };
  compileText(record, textOf(sources, WebAssembly.Module.exports(module).map(({ name }) => name)));
}

module.exports = { compile };
