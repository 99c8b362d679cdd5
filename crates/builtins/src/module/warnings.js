'use strict';
// Deprecation and detection warnings about `package.json`.

const process = require('process');
const { dirname, join, normalize } = require('internal/modules/package');

const emitted = new SafeSet();

function deprecate(code, text, key) {
  if (process.noDeprecation || (key !== undefined && emitted.has(key))) return;
  if (key !== undefined) emitted.add(key);
  process.emitWarning(text, 'DeprecationWarning', code);
}

const importedFrom = (base) => (base ? ` imported from ${base}` : '');

// DEP0166: a path from `exports` or `imports` has an empty segment. `isInTarget`: the segment is in the target itself, not in the text that replaces
// `*`.
function emptyPart({ base, internal, package: { file } }, target, request, key, isInTarget) {
  const what = /[/\\]{2}/.test(isInTarget ? target : request) ? 'double slash' : 'leading or trailing slash matching';
  const matched = request === key ? '' : `matched to "${key}" `;
  const text = `Use of deprecated ${what} resolving "${target}" for module request "${request}" ${matched}in the ` +
    `"${internal ? 'imports' : 'exports'}" field module resolution of the package at ${file}${importedFrom(base)}.`;
  deprecate('DEP0166', text, base && text);
}

function slashAtEnd({ base, package: { file } }, subpath) {
  deprecate('DEP0155', `Use of deprecated trailing slash pattern mapping "${subpath}" in the "exports" field module ` +
    `resolution of the package at ${file}${importedFrom(base)}. Mapping specifiers ending in "/" is no longer supported.`,
  `${file}|${subpath}`);
}

// DEP0151: the main file of a package was found by adding a file name or an extension.
function guessedMain(path, folder, main, from) {
  const rest = path.slice(folder.length + 1);
  if (main && normalize(main.startsWith('/') ? main : join(folder, main)) === path) return;
  const text = main ?
    `Package ${folder}/ has a "main" field set to "${main}", excluding the full filename and extension to the resolved ` +
      `file at "${rest}", imported from ${from}.\n Automatic extension resolution of the "main" field is deprecated for ES modules.` :
    `No "main" or "exports" field defined in the package.json for ${folder}/ resolving the main entry point "${rest}", ` +
      `imported from ${from}.\nDefault "index" lookups for the main are deprecated for ES modules.`;
  deprecate('DEP0151', text, text);
}

// The source text of a file shows that it is an ES module, but its package.json has no "type".
function guessedModule(url, file) {
  if (dirname(url).includes('/node_modules/') || emitted.has(file)) return;
  emitted.add(file);
  process.emitWarning(`Module type of ${url} is not specified and it doesn't parse as CommonJS.\nReparsing as ES module ` +
    'because module syntax was detected. This incurs a performance overhead.\n' +
    `To eliminate this warning, add "type": "module" to ${file}.`, { code: 'MODULE_TYPELESS_PACKAGE_JSON' });
}

module.exports = { emptyPart, guessedMain, guessedModule, slashAtEnd };
