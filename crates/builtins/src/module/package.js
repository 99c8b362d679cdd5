'use strict';
// `package.json`: reading, package scope, and resolution of `exports` and `imports`. Shared by CommonJS and ESM,
// which differ in the conditions and in the handling of the resulting path.

// Saved, because programs may replace it.
const parse = JSON.parse;

const packages = new SafeMap();

function dirname(path) {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

function normalize(path) {
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

const join = (folder, rest) => (folder === '/' ? `/${rest}` : `${folder}/${rest}`);

// The parsed `package.json` of a folder; null if there is none.
function readPackage(folder, base) {
  const known = packages.get(folder);
  if (known !== undefined) return known;
  const file = join(folder, 'package.json');
  const text = native.readIfThere(file);
  if (text === undefined) {
    packages.set(folder, null);
    return null;
  }
  let data = null;
  try {
    data = parse(text[0] === '\uFEFF' ? text.slice(1) : text);
  } catch {
    // Invalid JSON: `data` stays null, so the check below throws ERR_INVALID_PACKAGE_CONFIG.
  }
  const isText = (key) => !Object.hasOwn(data, key) || typeof data[key] === 'string';
  if (data === null || typeof data !== 'object' || Array.isArray(data) || !isText('name') || !isText('type')) {
    const { ERR_INVALID_PACKAGE_CONFIG } = require('internal/errors');
    throw new ERR_INVALID_PACKAGE_CONFIG(base ? file : `${file}.`, base && `${base}.`);
  }
  const found = {
    folder,
    file,
    name: data.name,
    main: typeof data.main === 'string' ? data.main : undefined,
    type: data.type === 'module' || data.type === 'commonjs' ? data.type : 'none',
    exports: /^(?:string|object)$/.test(typeof data.exports) ? data.exports : undefined,
    imports: data.imports !== null && typeof data.imports === 'object' ? data.imports : undefined,
  };
  packages.set(folder, found);
  return found;
}

// The package that a file belongs to; null if there is none.
function scopeOf(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (folder.endsWith('/node_modules')) return null;
    const found = readPackage(folder);
    if (found !== null) return found;
    if (folder === '/') return null;
  }
}

const invalidSegment =
  /(^|\\|\/)((\.|%2e)(\.|%2e)?|(n|%6e|%4e)(o|%6f|%4f)(d|%64|%44)(e|%65|%45)(_|%5f)(m|%6d|%4d)(o|%6f|%4f)(d|%64|%44)(u|%75|%55)(l|%6c|%4c)(e|%65|%45)(s|%73|%53))(\\|\/|$)/i;

function invalidTarget(request, key, target) {
  const { ERR_INVALID_PACKAGE_TARGET } = require('internal/errors');
  const shown = typeof target === 'object' && target !== null ? JSON.stringify(target, null, '') : `${target}`;
  return new ERR_INVALID_PACKAGE_TARGET(join(request.package.folder, ''), key, shown, request.internal, request.base);
}

const hasEmptyPart = (path) => /(?:^|[/\\])(?:[/\\]|$)/.test(path);

// Resolves a target that is a string. `match` is the part of the subpath that replaces `*`.
function stringTarget(request, target, match, key, pattern) {
  const { internal } = request;
  if (match !== '' && !pattern && !target.endsWith('/')) throw invalidTarget(request, key, target);
  if (!target.startsWith('./')) {
    if (internal && !/^(?:\.\.\/|\/|[a-z][a-z0-9+.-]*:)/i.test(target)) {
      const full = pattern ? target.replaceAll('*', () => match) : target + match;
      return request.resolveBare(full, join(request.package.folder, 'package.json'));
    }
    throw invalidTarget(request, key, target);
  }
  if (invalidSegment.test(target.slice(2))) throw invalidTarget(request, key, target);
  const folder = request.package.folder;
  const full = pattern ? target.replaceAll('*', () => match) : target + match;
  const shown = pattern ? key.replace('*', () => match) : key + match;
  const isInTarget = hasEmptyPart(target.slice(2));
  if (isInTarget && !request.isFolder) require('internal/modules/warnings').emptyPart(request, full, shown, key, true);
  // The target is a URL path, where a trailing slash matters: `normalize` removes it.
  const path = normalize(join(folder, full)) + (full.endsWith('/') ? '/' : '');
  if (match === '') return path;
  if (invalidSegment.test(match)) {
    const { ERR_INVALID_MODULE_SPECIFIER } = require('internal/errors');
    throw new ERR_INVALID_MODULE_SPECIFIER(shown,
      `request is not a valid match in pattern "${key}" for the "${internal ? 'imports' : 'exports'}" resolution of ` +
      request.package.file, request.base);
  }
  if (hasEmptyPart(match) && !request.isFolder) require('internal/modules/warnings').emptyPart(request, full, shown, key, false);
  return path;
}

const isIndex = (key) => `${+key}` === key && +key >= 0 && +key < 0xFFFFFFFF;

// Returns a path, null for an excluded target, undefined if no condition matches (PACKAGE_TARGET_RESOLVE).
function targetOf(request, target, match, key, pattern) {
  if (typeof target === 'string') return stringTarget(request, target, match, key, pattern);
  if (Array.isArray(target)) {
    let last = null;
    let failure;
    for (const item of target) {
      try {
        const found = targetOf(request, item, match, key, pattern);
        if (found === undefined) continue;
        if (found !== null) return found;
        last = null;
        failure = undefined;
      } catch (error) {
        if (error.code !== 'ERR_INVALID_PACKAGE_TARGET') throw error;
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
    return last;
  }
  if (target !== null && typeof target === 'object') {
    const keys = Object.keys(target);
    if (keys.some(isIndex)) {
      const { ERR_INVALID_PACKAGE_CONFIG } = require('internal/errors');
      throw new ERR_INVALID_PACKAGE_CONFIG(request.package.file, request.referrer,
        '"exports" cannot contain numeric property keys.');
    }
    for (const condition of keys) {
      if (condition !== 'default' && !request.conditions.has(condition)) continue;
      const found = targetOf(request, target[condition], match, key, pattern);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (target === null) return null;
  throw invalidTarget(request, key, target);
}

// Pattern specificity: the longer the part before `*`, the better (PATTERN_KEY_COMPARE).
function isBetter(key, than) {
  const star = key.indexOf('*');
  const other = than.indexOf('*');
  const length = star === -1 ? key.length : star + 1;
  const otherLength = other === -1 ? than.length : other + 1;
  if (length !== otherLength) return length > otherLength;
  if (star === -1) return false;
  return other === -1 || key.length > than.length;
}

// Looks up a subpath in `exports` or `imports` (PACKAGE_IMPORTS_EXPORTS_RESOLVE).
function lookUp(request, table, subpath) {
  if (Object.hasOwn(table, subpath) && !subpath.includes('*') && !subpath.endsWith('/')) {
    return targetOf(request, table[subpath], '', subpath, false);
  }
  let best = '';
  let match = '';
  for (const key of Object.keys(table)) {
    const star = key.indexOf('*');
    if (star === -1 || !subpath.startsWith(key.slice(0, star))) continue;
    if (request.isFolder) require('internal/modules/warnings').slashAtEnd(request, subpath);
    const tail = key.slice(star + 1);
    if (subpath.length < key.length || !subpath.endsWith(tail)) continue;
    if (key.lastIndexOf('*') !== star || (best !== '' && !isBetter(key, best))) continue;
    best = key;
    match = subpath.slice(star, subpath.length - tail.length);
  }
  return best === '' ? undefined : targetOf(request, table[best], match, best, true);
}

// If `exports` is a target and not a table of subpaths, it is the target of `.`.
function exportsTable(request) {
  const { exports } = request.package;
  if (typeof exports === 'string' || Array.isArray(exports)) return { '.': exports };
  if (typeof exports !== 'object') return {};
  const keys = Object.keys(exports);
  const dots = keys.filter((key) => key.startsWith('.')).length;
  if (dots !== 0 && dots !== keys.length) {
    const { ERR_INVALID_PACKAGE_CONFIG } = require('internal/errors');
    throw new ERR_INVALID_PACKAGE_CONFIG(request.package.file, request.referrer,
      '"exports" cannot contain some keys starting with \'.\' and some not. The exports object must either be an ' +
      'object of package subpath keys or an object of main entry condition name keys only.');
  }
  return dots === 0 ? { '.': exports } : exports;
}

// Resolves a subpath (`.` or `./…`) of a package. `referrer` is what some errors call the importing module (`base`).
function resolveExports(owner, subpath, conditions, base, referrer = base) {
  const request = { package: owner, conditions, base, referrer, internal: false, isFolder: subpath.endsWith('/') };
  const found = lookUp(request, exportsTable(request), subpath);
  if (found !== undefined && found !== null) return found;
  const { ERR_PACKAGE_PATH_NOT_EXPORTED } = require('internal/errors');
  throw new ERR_PACKAGE_PATH_NOT_EXPORTED(join(owner.folder, ''), subpath, base);
}

// Resolves a `#name` specifier: to a path, or to the result of `resolveBare`.
function resolveImports(name, from, conditions, base, resolveBare) {
  if (name === '#' || name.startsWith('#/') || name.endsWith('/')) {
    const { ERR_INVALID_MODULE_SPECIFIER } = require('internal/errors');
    throw new ERR_INVALID_MODULE_SPECIFIER(name, 'is not a valid internal imports specifier name', base);
  }
  const owner = scopeOf(from);
  if (owner !== null && owner.imports !== undefined) {
    const request = { package: owner, conditions, base, referrer: base, internal: true, isFolder: false, resolveBare };
    const found = lookUp(request, owner.imports, name);
    if (found !== undefined && found !== null) return found;
  }
  const { ERR_PACKAGE_IMPORT_NOT_DEFINED } = require('internal/errors');
  throw new ERR_PACKAGE_IMPORT_NOT_DEFINED(name, owner === null ? undefined : join(owner.folder, ''), base);
}

let custom;

// The conditions of `--conditions` on the command line and in NODE_OPTIONS.
const customConditions = () => (custom ??= require('internal/options').values('conditions'));

const conditionsFor = (kind) => new SafeSet(['node', kind, 'module-sync', 'node-addons', ...customConditions()]);

module.exports = {
  conditionsFor, customConditions, dirname, join, normalize, readPackage, resolveExports, resolveImports, scopeOf,
};
