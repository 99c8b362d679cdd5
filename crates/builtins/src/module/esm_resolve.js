'use strict';
// ESM resolution: specifier to URL. Checks that files exist, but does not read them.

const process = require('process');
const { Module, formatOf, publicIds, realPath } = require('internal/modules/cjs');
const { dirname, normalize, join, readPackage, scopeOf, resolveExports, resolveImports, conditionsFor } =
  require('internal/modules/package');
const { toUrl, toPath, joinUrl, split } = require('internal/modules/file_url');

let conditions;
const importConditions = () => (conditions ??= conditionsFor('import'));

const shown = (base) => (base !== undefined && base.startsWith('file:') ? toPath(base) : base);
const isRelative = (specifier) => /^(?:\.{0,2}\/|\.\.?$)/.test(specifier);

function finalize(url, base) {
  const [address] = split(url.slice(7));
  if (/%2f|%5c/i.test(address)) {
    const { ERR_INVALID_MODULE_SPECIFIER } = require('internal/errors');
    throw new ERR_INVALID_MODULE_SPECIFIER(address, 'must not include encoded "/" or "\\" characters', shown(base));
  }
  const path = toPath(url);
  const kind = path.endsWith('/') ? 1 : native.kind(path);
  if (kind === 1) {
    const { ERR_UNSUPPORTED_DIR_IMPORT } = require('internal/errors');
    throw new ERR_UNSUPPORTED_DIR_IMPORT(path, shown(base), url);
  }
  if (kind !== 0) {
    const { ERR_MODULE_NOT_FOUND } = require('internal/errors');
    throw new ERR_MODULE_NOT_FOUND(path, shown(base), url);
  }
  return toUrl(realPath(path)) + split(url)[1];
}

function parsePackageName(specifier, base) {
  const match = /^(@[^/]*\/[^/]*|[^@/][^/]*|)(\/[^]*)?$/.exec(specifier);
  if (match === null || /^\.|[%\\]/.test(match[1])) {
    const { ERR_INVALID_MODULE_SPECIFIER } = require('internal/errors');
    throw new ERR_INVALID_MODULE_SPECIFIER(specifier, 'is not a valid package name', shown(base));
  }
  return { name: match[1], subpath: `.${match[2] ?? ''}` };
}

function findPackage(name, from) {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (!folder.endsWith('/node_modules')) {
      const found = join(folder, `node_modules/${name}`);
      if (native.kind(found) === 1) return found;
    }
    if (folder === '/') break;
  }
  const { ERR_MODULE_NOT_FOUND } = require('internal/errors');
  throw new ERR_MODULE_NOT_FOUND(name, from);
}

function mainOf(folder, base) {
  const main = readPackage(folder)?.main;
  const tries = ['index.js', 'index.json', 'index.node'];
  if (main) {
    tries.unshift(main, `${main}.js`, `${main}.json`, `${main}.node`, `${main}/index.js`, `${main}/index.json`,
      `${main}/index.node`);
  }
  for (const one of tries) {
    const path = normalize(one.startsWith('/') ? one : join(folder, one));
    if (native.kind(path) !== 0) continue;
    if (formatOf(path) === 'module') require('internal/modules/warnings').guessedMain(path, folder, main, shown(base));
    return path;
  }
  const { ERR_MODULE_NOT_FOUND } = require('internal/errors');
  throw new ERR_MODULE_NOT_FOUND(normalize(join(folder, main || 'index.js')), shown(base));
}

// Converts the path of a package target to a URL. Percent-escapes in the target are URL escapes; those in the path of the package folder are literal.
function targetUrl(path, { folder }) {
  return joinUrl(`.${path.slice(folder.length)}`, `${toUrl(folder)}/`);
}

// Resolves a bare specifier (PACKAGE_RESOLVE).
function resolvePackage(specifier, base, chosenConditions) {
  if (publicIds.has(specifier)) return `node:${specifier}`;
  const { name, subpath } = parsePackageName(specifier, base);
  if (!base.startsWith('file:')) throw unsupportedRequest(specifier, base);
  const from = toPath(base);
  const own = scopeOf(from);
  if (own !== null && own.name === name && own.exports !== undefined && own.exports !== null) {
    return targetUrl(resolveExports(own, subpath, chosenConditions ?? importConditions(), from, base), own);
  }
  const folder = findPackage(name, from);
  const found = readPackage(folder, `"${specifier}" from ${from}`);
  if (found !== null && found.exports !== undefined && found.exports !== null) {
    return targetUrl(resolveExports(found, subpath, chosenConditions ?? importConditions(), from, base), found);
  }
  if (subpath === '.') return toUrl(mainOf(folder, base));
  return joinUrl(subpath, `${toUrl(folder)}/`);
}

function unsupportedRequest(specifier, base) {
  const { ERR_UNSUPPORTED_RESOLVE_REQUEST } = require('internal/errors');
  const error = new ERR_UNSUPPORTED_RESOLVE_REQUEST(specifier, base);
  const cause = new TypeError('Invalid URL');
  cause.code = 'ERR_INVALID_URL';
  cause.input = specifier;
  cause.base = base;
  error.cause = cause;
  return error;
}

function resolveImport(specifier, base, chosenConditions) {
  const from = base.startsWith('file:') ? toPath(base) : join(process.cwd(), 'x');
  const bare = (name, file) => resolvePackage(name, toUrl(file), chosenConditions);
  const found = resolveImports(specifier, from, chosenConditions ?? importConditions(), shown(base), bare);
  return found.startsWith('/') ? targetUrl(found, scopeOf(from)) : found;
}

// The specifier for a found file in the style of the original specifier: a path, a relative path, or a package name with a subpath.
function spelled(found, specifier, base) {
  if (specifier.startsWith('/')) return found;
  if (specifier.startsWith('.')) {
    const path = require('path').relative(base.slice(7, base.lastIndexOf('/')), toUrl(found).slice(7));
    return path.startsWith('../') ? path : `./${path}`;
  }
  const name = specifier.split('/', 1)[0];
  const folder = `/node_modules/${name}/`;
  const at = found.lastIndexOf(folder);
  if (at === -1) return toUrl(found);
  return `${name}/${found.slice(at + folder.length).split('/').map(encodeURIComponent).join('/')}`;
}

// Adds "Did you mean to import ..." to an error, with the file that `require` would find.
function hint(error, specifier, base) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' && error?.code !== 'ERR_UNSUPPORTED_DIR_IMPORT') return;
  if (!base.startsWith('file:')) return;
  const from = toPath(base);
  let found;
  try {
    if (specifier.startsWith('file://')) specifier = toPath(specifier);
    found = Module.createRequire(from).resolve(specifier);
  } catch {
    return;
  }
  found = spelled(found, specifier, base);
  if (found === specifier) return;
  const text = `Did you mean to import ${JSON.stringify(found)}?`;
  const lines = error.stack.split('\n');
  error.stack = [lines[0], text, ...lines.slice(1)].join('\n');
  error.message += `\n${text}`;
}

// Resolves a specifier to a URL. `chosenConditions` replaces the default conditions.
function resolve(specifier, base, chosenConditions = undefined) {
  try {
    return resolveAny(specifier, base, chosenConditions);
  } catch (error) {
    hint(error, specifier, base);
    throw error;
  }
}

function resolveAny(specifier, base, chosenConditions) {
  if (isRelative(specifier)) return base.startsWith('file:') ? fileUrl(specifier, base) : resolveFromNonFile(specifier, base);
  if (specifier.startsWith('node:')) return specifier;
  // Builtins that only Phasor has. Their ids have a scheme.
  if (specifier.includes(':') && publicIds.has(specifier)) return `node:${specifier}`;
  if (specifier.startsWith('#')) return found(resolveImport(specifier, base, chosenConditions), base);
  return resolveUrl(specifier, base) ?? found(resolvePackage(specifier, base, chosenConditions), base);
}

// Resolves a relative specifier in a module that is not a file. The result may have a scheme that only hooks can load.
function resolveFromNonFile(specifier, base) {
  const url = require('internal/url').URL.parse(specifier, base);
  if (url === null) throw unsupportedRequest(specifier, base);
  return url.protocol === 'file:' ? fileUrl(url.href, base) : url.href;
}

const found = (url, base) => (url.startsWith('file:') ? finalize(url, base) : url);

// Resolves a specifier with a scheme; undefined if it has none. Support for the scheme is checked on load.
function resolveUrl(specifier, base) {
  if (!specifier.includes(':')) return undefined;
  if (specifier.startsWith('file:')) return fileUrl(specifier, base);
  if (/^data:[!-"$->@-~][ !-"$->@-~]*$/.test(specifier) && !specifier.endsWith(' ')) return specifier;
  const { URL } = require('internal/url');
  const url = URL.parse(specifier);
  if (url === null) return undefined;
  if (url.protocol === 'file:') return fileUrl(url.href, base);
  return url.protocol === 'node:' ? specifier : url.href;
}

function fileUrl(specifier, base) {
  const mayHaveHost = /^(?:file:)?[/\\]{2}(?![/\\])/.test(specifier);
  if (!mayHaveHost) return finalize(joinUrl(specifier, base), base);
  const { hash, hostname, href, pathname, search } = new (require('internal/url').URL)(specifier, base);
  if (hostname === '' || /%2f|%5c/i.test(pathname)) return finalize(`file://${pathname}${search}${hash}`, base);
  const { ERR_INVALID_FILE_URL_HOST } = require('internal/errors');
  throw Object.assign(new ERR_INVALID_FILE_URL_HOST(process.platform), { input: href, module: base });
}

function packageFolder(specifier, base) {
  const { name } = parsePackageName(specifier, base);
  if (base.startsWith('file:')) return findPackage(name, toPath(base));
  const { ERR_INVALID_URL } = require('internal/errors');
  throw new ERR_INVALID_URL(specifier, base);
}

module.exports = { packageFolder, resolve };
