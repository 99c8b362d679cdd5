'use strict';
// Error messages for a missing export: names the importing module and line.

// The last index of an imported name before `end`. A default import is found by its local name.
function lastOf(name, text, end) {
  const clause = name === 'default' ? /^import\s+(?=[\p{ID_Start}$_])/u.exec(text.slice(text.lastIndexOf('import', end), end)) : null;
  return clause === null ? text.lastIndexOf(name, end) : text.lastIndexOf('import', end) + clause[0].length;
}

// Where a module imports a name: `:line:column`, and the source line.
function placeOfName({ path }, name, specifier) {
  const text = path === undefined ? undefined : native.readIfThere(path);
  const quoted = text === undefined ? [] : [text.indexOf(`'${specifier}'`), text.indexOf(`"${specifier}"`)];
  const end = Math.max(-1, ...quoted);
  const at = end === -1 ? -1 : lastOf(name, text, end);
  if (at === -1) return undefined;
  const lines = text.slice(0, at).split('\n');
  return { text: `:${lines.length}:${lines.at(-1).length + 1}`, line: text.split('\n')[lines.length - 1] };
}

// The import clause as a destructuring pattern for the hint; undefined if it spans several lines.
function destructured(line) {
  const names = /\{.*\}/.exec(line);
  return names === null ? '' : `const ${names[0].replace(/\s+as\s+/g, ': ')} = pkg;\n`;
}

// Rewrites the error in V8's and Node's words. `all` are the records of the graph.
function reworded(error, all, records) {
  const match = /^(?:Could not find )?export '([^]*)' in module '([^]*?)'( is ambiguous)?$/.exec(error?.message);
  if (!(error instanceof SyntaxError) || match === null) return error;
  const [, name, start, isAmbiguous] = match;
  // The engine truncates long names: then pick the record whose importer contains the name.
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
