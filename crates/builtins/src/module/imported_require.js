'use strict';
// CommonJS modules whose source comes from hooks of an `import`. Monkey-patched functions of `Module` are not called for them. Their `require`
// resolves like an import, and blocks the calling thread until the answer arrives (`lib/internal/modules/esm/translators.js: loadCJSModule`).

const { Module, compileWrapper, exportsOfKnown, makeModule, withoutMark, withoutShebang } = require('internal/modules/cjs');
const { requireImported } = require('internal/modules/esm_required');
const { resolve } = require('internal/modules/esm_source');
const { toUrl } = require('internal/modules/file_url');
const { filenameOf } = require('internal/modules/hooked');
const { dirname } = require('internal/modules/package');
const process = require('process');

const apply = Reflect.apply;

// The request as a URL, with the import attributes that its file needs.
function asImport(request, module) {
  if (Module.isBuiltin(request) || request.startsWith('node:')) return { specifier: request };
  const path = Module._resolveFilename(request, module);
  const attributes = path.endsWith('.json') ? { __proto__: null, type: 'json' } : undefined;
  return { specifier: toUrl(path), attributes, isAddon: path.endsWith('.node') };
}

function makeRequire(module, url, loader) {
  function require(request) {
    const { specifier, attributes, isAddon } = asImport(request, module);
    if (isAddon) return Module._load(request, module, false);
    return requireImported(loader, specifier, url, attributes);
  }
  require.resolve = { resolve(request) {
    return filenameOf(resolve(asImport(request, module).specifier, url));
  } }.resolve;
  require.main = process.mainModule;
  return require;
}

// Runs a file unless it is in the cache, and returns its exports. `loader` is as in `internal/modules/esm_required`.
function run({ url, path }, text, isMain, loader) {
  const known = Module._cache[path];
  if (known !== undefined) return exportsOfKnown(known, undefined);
  return makeModule(path, undefined, false, undefined, (module) => {
    if (isMain) process.mainModule = module;
    module.filename = path;
    module.paths = Module._nodeModulePaths(dirname(path));
    const body = compileWrapper(withoutMark(withoutShebang(text)), path);
    const { exports } = module;
    apply(body, exports, [exports, makeRequire(module, url, loader), module, path, dirname(path)]);
    module.loaded = true;
  });
}

module.exports = { run };
