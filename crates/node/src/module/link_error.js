'use strict';
// What is said of a graph that cannot be linked: who imports a name that is not there.

// Where a name stands last before an end. A default export is called otherwise where `import` is followed by its name.
function lastOf(name, text, end) {
  const clause = name === 'default' ? /^import\s+(?=[\p{ID_Start}$_])/u.exec(text.slice(text.lastIndexOf('import', end), end)) : null;
  return clause === null ? text.lastIndexOf(name, end) : text.lastIndexOf('import', end) + clause[0].length;
}

// Where a module imports a name: `:line:column`, and the line.
function placeOfName({ path }, name, specifier) {
  const text = path === undefined ? undefined : native.readIfThere(path);
  const quoted = text === undefined ? [] : [text.indexOf(`'${specifier}'`), text.indexOf(`"${specifier}"`)];
  const end = Math.max(-1, ...quoted);
  const at = end === -1 ? -1 : lastOf(name, text, end);
  if (at === -1) return undefined;
  const lines = text.slice(0, at).split('\n');
  return { text: `:${lines.length}:${lines.at(-1).length + 1}`, line: text.split('\n')[lines.length - 1] };
}

// The same names, taken out of an object: nothing if they do not stand on one line.
function destructured(line) {
  const names = /\{.*\}/.exec(line);
  return names === null ? '' : `const ${names[0].replace(/\s+as\s+/g, ': ')} = pkg;\n`;
}

// The error as V8 and Node word it. `all` are the records of the graph.
function reworded(error, all, records) {
  const match = /^(?:Could not find )?export '([^]*)' in module '([^]*?)'( is ambiguous)?$/.exec(error?.message);
  if (!(error instanceof SyntaxError) || match === null) return error;
  const [, name, start, isAmbiguous] = match;
  // The engine cuts long names short: then it is the one whose importer has the name in its text.
  const isMeant = ({ url }) => url !== undefined && (url === start || (start.length > 50 && url.startsWith(start)));
  let best;
  for (const record of all) {
    for (const edge of record.edges.filter(isMeant)) {
      const place = placeOfName(record, name, edge.specifier);
      if (best === undefined || (best.place === undefined && place !== undefined)) best = { record, edge, place };
    }
  }
  if (best === undefined) return error;
  const { record, edge, place = { text: ':1:1', line: '' } } = best;
  error.message = `The requested module '${edge.specifier}' ` +
    (isAmbiguous ? `contains conflicting star exports for name '${name}'` : `does not provide an export named '${name}'`);
  if (records.get(edge.url)?.kind === 'commonjs') {
    error.message = `Named export '${name}' not found. The requested module '${edge.specifier}' is a CommonJS module, ` +
      'which may not support all module.exports as named exports.\nCommonJS modules can always be imported via the ' +
      `default export, for example using:\n\nimport pkg from '${edge.specifier}';\n${destructured(place.line)}`;
  }
  error.stack = `SyntaxError: ${error.message}\n    at ${record.url}${place.text}`;
  return error;
}

module.exports = { reworded };
