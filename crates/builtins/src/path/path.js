'use strict';
// The module `path`: path strings of POSIX and Windows. Nothing here accesses the file system.

const process = require('process');
const { validateObject, validateString } = require('internal/validators');

const SLASH = 47;
const BACKSLASH = 92;
const COLON = 58;
const DOT = 46;

const isSlash = (code) => code === SLASH;
const isEitherSlash = (code) => code === SLASH || code === BACKSLASH;
const isLetter = (code) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

// Resolves the segments `.` and `..` of a path without root; `allowAboveRoot` keeps leading `..` segments. As
// `lib/path.js: normalizeString`.
function normalizeParts(path, allowAboveRoot, separator, isSeparator) {
  const kept = [];
  let above = 0;
  let start = 0;
  for (let i = 0; i <= path.length; i++) {
    if (i < path.length && !isSeparator(path.charCodeAt(i))) continue;
    const length = i - start;
    if (length === 0 || (length === 1 && path.charCodeAt(start) === DOT)) {
      // Skip an empty segment or `.`.
    } else if (length === 2 && path.charCodeAt(start) === DOT && path.charCodeAt(start + 1) === DOT) {
      if (kept.length > above) {
        kept.pop();
      } else if (allowAboveRoot) {
        kept.push('..');
        above++;
      }
    } else {
      kept.push(path.slice(start, i));
    }
    start = i + 1;
  }
  return ArrayPrototypeJoin(kept, separator);
}

function format(separator, pathObject) {
  validateObject(pathObject, 'pathObject');
  const dir = pathObject.dir || pathObject.root;
  const base = pathObject.base || `${pathObject.name || ''}${formatExtension(pathObject.ext)}`;
  if (!dir) return base;
  return dir === pathObject.root ? `${dir}${base}` : `${dir}${separator}${base}`;
}

function formatExtension(ext) {
  return ext ? `${ext[0] === '.' ? '' : '.'}${ext}` : '';
}

// [start, end] of the last segment behind `from`, without trailing separators; null if there is none.
function lastPart(path, from, isSeparator) {
  let end = path.length;
  while (end > from && isSeparator(path.charCodeAt(end - 1))) end--;
  if (end === from) return null;
  let start = end;
  while (start > from && !isSeparator(path.charCodeAt(start - 1))) start--;
  return [start, end];
}

// Start of the extension of the segment [start, end], or `end` if there is none: `.a` and `..` have none.
function extensionAt(path, start, end) {
  const dot = path.lastIndexOf('.', end - 1);
  if (dot <= start) return end;
  if (dot === end - 1 && dot === start + 1 && path.charCodeAt(start) === DOT) return end;
  return dot;
}

function basename(path, suffix, from, isSeparator) {
  const part = lastPart(path, from, isSeparator);
  const cuts = suffix !== undefined && suffix.length > 0 && suffix.length <= path.length;
  // `lib/path.js: posix.basename`: if a suffix is given, a path of only separators is returned unchanged.
  if (part === null) return cuts && suffix !== path ? path.slice(from) : '';
  const whole = path.slice(part[0], part[1]);
  if (!cuts) return whole;
  // Special cases of Node's suffix matching: a path equal to the suffix yields an empty string; a segment equal to the
  // suffix is kept; a segment that is a tail of the suffix is returned with its trailing separators.
  if (suffix === path) return '';
  if (whole.length < suffix.length && suffix.endsWith(whole)) return path.slice(part[0]);
  return whole !== suffix && whole.endsWith(suffix) ? whole.slice(0, -suffix.length) : whole;
}

function extname(path, from, isSeparator) {
  const part = lastPart(path, from, isSeparator);
  return part === null ? '' : path.slice(extensionAt(path, part[0], part[1]), part[1]);
}

let globWarned = false;
function matchesGlob(path, pattern, windows) {
  if (!globWarned) {
    globWarned = true;
    process.emitWarning('glob is an experimental feature and might change at any time', 'ExperimentalWarning');
  }
  validateString(path, 'path');
  validateString(pattern, 'pattern');
  return require('internal/path/glob').matches(path, pattern, windows);
}

const posix = {
  resolve(...args) {
    let resolved = '';
    let absolute = false;
    for (let i = args.length - 1; i >= 0 && !absolute; i--) {
      const path = args[i];
      validateString(path, `paths[${i}]`);
      if (path.length === 0) continue;
      resolved = `${path}/${resolved}`;
      absolute = path.charCodeAt(0) === SLASH;
    }
    if (!absolute) {
      const cwd = process.cwd();
      resolved = `${cwd}/${resolved}`;
      absolute = cwd.charCodeAt(0) === SLASH;
    }
    resolved = normalizeParts(resolved, !absolute, '/', isSlash);
    if (absolute) return `/${resolved}`;
    return resolved.length > 0 ? resolved : '.';
  },

  normalize(path) {
    validateString(path, 'path');
    if (path.length === 0) return '.';
    const absolute = path.charCodeAt(0) === SLASH;
    const trailing = path.charCodeAt(path.length - 1) === SLASH;
    path = normalizeParts(path, !absolute, '/', isSlash);
    if (path.length === 0) {
      if (absolute) return '/';
      return trailing ? './' : '.';
    }
    if (trailing) path += '/';
    return absolute ? `/${path}` : path;
  },

  isAbsolute(path) {
    validateString(path, 'path');
    return path.length > 0 && path.charCodeAt(0) === SLASH;
  },

  join(...args) {
    if (args.length === 0) return '.';
    const parts = [];
    for (let i = 0; i < args.length; i++) {
      validateString(args[i], 'path');
      if (args[i].length > 0) parts.push(args[i]);
    }
    return parts.length === 0 ? '.' : posix.normalize(parts.join('/'));
  },

  relative(from, to) {
    validateString(from, 'from');
    validateString(to, 'to');
    if (from === to) return '';
    from = posix.resolve(from);
    to = posix.resolve(to);
    if (from === to) return '';
    return relativeParts(from.slice(1).split('/'), to.slice(1).split('/'), '/', (a, b) => a === b);
  },

  toNamespacedPath(path) {
    return path;
  },

  dirname(path) {
    validateString(path, 'path');
    if (path.length === 0) return '.';
    const absolute = path.charCodeAt(0) === SLASH;
    const part = lastPart(path, 1, isSlash);
    if (part === null) return absolute ? '/' : '.';
    let end = part[0];
    if (end === 1) {
      // The parent of `/a` is the root; that of `a` is the current directory.
      if (!absolute) return '.';
      return '/';
    }
    end--;
    // The parent of `//a` is `//`: two leading separators are kept.
    if (absolute && end === 1) return '//';
    return path.slice(0, end);
  },

  basename(path, suffix) {
    if (suffix !== undefined) validateString(suffix, 'suffix');
    validateString(path, 'path');
    return basename(path, suffix, 0, isSlash);
  },

  extname(path) {
    validateString(path, 'path');
    return extname(path, 0, isSlash);
  },

  format: format.bind(null, '/'),

  parse(path) {
    validateString(path, 'path');
    const result = { root: '', dir: '', base: '', ext: '', name: '' };
    if (path.length === 0) return result;
    const absolute = path.charCodeAt(0) === SLASH;
    if (absolute) result.root = '/';
    fillParsed(result, path, absolute ? 1 : 0, isSlash);
    if (result.dir === '' && absolute) {
      result.dir = '/';
      // `lib/path.js: posix.parse` does not count the root when it compares the position of the dot: `/..` has the name
      // `.` and the extension `.`.
      if (result.base === '..') result.name = result.ext = '.';
    }
    return result;
  },

  matchesGlob(path, pattern) {
    return matchesGlob(path, pattern, false);
  },

  sep: '/',
  delimiter: ':',
  win32: null,
  posix: null,
};

// Sets base, name, ext and dir for a path whose root ends at `rootEnd`.
function fillParsed(result, path, rootEnd, isSeparator) {
  const part = lastPart(path, rootEnd, isSeparator);
  if (part === null) return;
  const [start, end] = part;
  const dot = extensionAt(path, start, end);
  result.base = path.slice(start, end);
  result.name = path.slice(start, dot);
  result.ext = path.slice(dot, end);
  if (start > rootEnd) result.dir = path.slice(0, start - 1);
}

function relativeParts(from, to, separator, same) {
  if (from.length === 1 && from[0] === '') from = [];
  if (to.length === 1 && to[0] === '') to = [];
  let common = 0;
  while (common < from.length && common < to.length && same(from[common], to[common])) common++;
  const up = ArrayPrototypeFill(new Array(from.length - common), '..');
  return ArrayPrototypeJoin(ArrayPrototypeConcat(up, ArrayPrototypeSlice(to, common)), separator);
}

// Parses the root of a Windows path: the device (`C:`, `\\host\share`), whether a separator follows it, and where the
// segments begin (`end`).
function windowsRoot(path) {
  const length = path.length;
  const none = { device: '', absolute: false, end: 0, unc: false };
  if (length === 0) return none;
  const first = path.charCodeAt(0);
  if (isEitherSlash(first)) {
    const plain = { device: '', absolute: true, end: 1, unc: false };
    if (length === 1 || !isEitherSlash(path.charCodeAt(1))) return plain;
    let at = 2;
    while (at < length && !isEitherSlash(path.charCodeAt(at))) at++;
    if (at === length || at === 2) return plain;
    const host = path.slice(2, at);
    const afterHost = at;
    while (at < length && isEitherSlash(path.charCodeAt(at))) at++;
    if (at === length || at === afterHost) return plain;
    const shareStart = at;
    while (at < length && !isEitherSlash(path.charCodeAt(at))) at++;
    const share = path.slice(shareStart, at);
    if (at === length || at !== shareStart) {
      if (host !== '.' && host !== '?') return { device: `\\\\${host}\\${share}`, absolute: true, end: at, unc: true, host, share };
      return { device: `\\\\${host}`, absolute: true, end: 4, unc: false, namespaced: true };
    }
    return plain;
  }
  if (isLetter(first) && length > 1 && path.charCodeAt(1) === COLON) {
    const absolute = length > 2 && isEitherSlash(path.charCodeAt(2));
    return { device: path.slice(0, 2), absolute, end: absolute ? 3 : 2, unc: false };
  }
  return none;
}

// True for a reserved device name (CON, COM1 …) before a colon: Windows opens the device from any directory. As
// `lib/path.js: isWindowsReservedName`.
function isReservedName(path, colon) {
  return colon > 0 && /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9\u00b9\u00b2\u00b3])$/i.test(path.slice(0, colon));
}

const win32 = {
  resolve(...args) {
    let device = '';
    let tail = '';
    let absolute = false;
    for (let i = args.length - 1; i >= -1; i--) {
      let path;
      if (i >= 0) {
        path = args[i];
        validateString(path, `paths[${i}]`);
        if (path.length === 0) continue;
      } else if (device.length === 0) {
        path = process.cwd();
      } else {
        path = process.env[`=${device}`] || process.cwd();
        if (path === undefined ||
            (path.slice(0, 2).toLowerCase() !== device.toLowerCase() && path.charCodeAt(2) === BACKSLASH)) {
          path = `${device}\\`;
        }
      }
      const root = windowsRoot(path);
      if (root.device.length > 0) {
        if (device.length > 0) {
          if (root.device.toLowerCase() !== device.toLowerCase()) continue;
        } else {
          device = root.device;
        }
      }
      if (absolute) {
        if (device.length > 0) break;
      } else {
        tail = `${path.slice(root.end)}\\${tail}`;
        absolute = root.absolute;
        if (root.absolute && device.length > 0) break;
      }
    }
    tail = normalizeParts(tail, !absolute, '\\', isEitherSlash);
    return absolute ? `${device}\\${tail}` : `${device}${tail}` || '.';
  },

  normalize(path) {
    validateString(path, 'path');
    const length = path.length;
    if (length === 0) return '.';
    if (length === 1) return path.charCodeAt(0) === SLASH ? '\\' : path;
    const root = windowsRoot(path);
    const colon = path.indexOf(':');
    const reserved = isReservedName(path, colon);
    if (reserved && root.device === '') {
      root.device = path.slice(0, colon + 1);
      root.end = colon + 1;
    }
    if (root.unc && root.end === length) return `${root.device}\\`;
    let tail = root.end < length ? normalizeParts(path.slice(root.end), !root.absolute, '\\', isEitherSlash) : '';
    if (tail.length === 0 && !root.absolute) tail = '.';
    if (tail.length > 0 && isEitherSlash(path.charCodeAt(length - 1))) tail += '\\';
    if (!root.absolute && root.device === '' && path.includes(':')) {
      // A drive letter that normalization moves to the front must not become one: `a/../C:b`.
      if (tail.length >= 2 && isLetter(tail.charCodeAt(0)) && tail.charCodeAt(1) === COLON) return `.\\${tail}`;
      let index = path.indexOf(':');
      do {
        if (index === length - 1 || isEitherSlash(path.charCodeAt(index + 1))) return `.\\${tail}`;
      } while ((index = path.indexOf(':', index + 1)) !== -1);
    }
    if (reserved) return `.\\${root.device}${tail}`;
    if (root.device === '') return root.absolute ? `\\${tail}` : tail;
    return root.absolute ? `${root.device}\\${tail}` : `${root.device}${tail}`;
  },

  isAbsolute(path) {
    validateString(path, 'path');
    if (path.length === 0) return false;
    const first = path.charCodeAt(0);
    return isEitherSlash(first) ||
      (path.length > 2 && isLetter(first) && path.charCodeAt(1) === COLON && isEitherSlash(path.charCodeAt(2)));
  },

  join(...args) {
    if (args.length === 0) return '.';
    const parts = [];
    for (let i = 0; i < args.length; i++) {
      validateString(args[i], 'path');
      if (args[i].length > 0) parts.push(args[i]);
    }
    if (parts.length === 0) return '.';
    let joined = parts.join('\\');
    // The result is a UNC path only if the first argument alone begins one (`//host`); otherwise leading slashes are collapsed.
    const first = parts[0];
    let replace = true;
    let slashes = 0;
    if (isEitherSlash(first.charCodeAt(0))) {
      slashes++;
      if (first.length > 1 && isEitherSlash(first.charCodeAt(1))) {
        slashes++;
        if (first.length > 2) {
          if (isEitherSlash(first.charCodeAt(2))) slashes++;
          else replace = false;
        }
      }
    }
    if (replace) {
      while (slashes < joined.length && isEitherSlash(joined.charCodeAt(slashes))) slashes++;
      if (slashes >= 2) joined = `\\${joined.slice(slashes)}`;
    }
    // `lib/path.js: win32.join`: a path with a reserved device name is not normalized, because `..` could hide or
    // reveal the name.
    if (joined.includes(':') && joined.split('\\').some((part) => isReservedName(part, part.indexOf(':')))) {
      return joined.replaceAll('/', '\\');
    }
    return win32.normalize(joined);
  },

  relative(from, to) {
    validateString(from, 'from');
    validateString(to, 'to');
    if (from === to) return '';
    const fromFull = win32.resolve(from);
    const toFull = win32.resolve(to);
    if (fromFull === toFull) return '';
    const fromLower = fromFull.toLowerCase();
    const toLower = toFull.toLowerCase();
    if (fromLower === toLower) return '';
    const trim = (path) => {
      let start = 0;
      let end = path.length;
      while (start < end && path.charCodeAt(start) === BACKSLASH) start++;
      while (end - 1 > start && path.charCodeAt(end - 1) === BACKSLASH) end--;
      return path.slice(start, end);
    };
    const fromParts = trim(fromFull).split('\\');
    const toParts = trim(toFull).split('\\');
    // There is no relative path between different devices.
    if (fromParts[0].toLowerCase() !== toParts[0].toLowerCase() && !(trim(fromFull) === '' || trim(toFull) === '')) {
      return toFull;
    }
    return relativeParts(fromParts, toParts, '\\', (a, b) => a.toLowerCase() === b.toLowerCase());
  },

  toNamespacedPath(path) {
    if (typeof path !== 'string' || path.length === 0) return path;
    const resolved = win32.resolve(path);
    if (resolved.length <= 2) return path;
    if (resolved.charCodeAt(0) === BACKSLASH) {
      if (resolved.charCodeAt(1) === BACKSLASH) {
        const code = resolved.charCodeAt(2);
        if (code !== 63 && code !== DOT) return `\\\\?\\UNC\\${resolved.slice(2)}`;
      }
    } else if (isLetter(resolved.charCodeAt(0)) && resolved.charCodeAt(1) === COLON &&
               resolved.charCodeAt(2) === BACKSLASH) {
      return `\\\\?\\${resolved}`;
    }
    return resolved;
  },

  dirname(path) {
    validateString(path, 'path');
    const length = path.length;
    if (length === 0) return '.';
    if (length === 1) return isEitherSlash(path.charCodeAt(0)) ? path : '.';
    const [rootEnd, offset] = windowsDirnameRoot(path);
    if (offset === -1) return path;
    const part = lastPart(path, offset, isEitherSlash);
    if (part === null || part[0] === offset) {
      // The path has one segment: the parent is the root with the separators after it.
      if (rootEnd === -1) return '.';
      return path.slice(0, rootEnd);
    }
    return path.slice(0, part[0] - 1);
  },

  basename(path, suffix) {
    if (suffix !== undefined) validateString(suffix, 'suffix');
    validateString(path, 'path');
    const drive = path.length >= 2 && isLetter(path.charCodeAt(0)) && path.charCodeAt(1) === COLON;
    return basename(path, suffix, drive ? 2 : 0, isEitherSlash);
  },

  extname(path) {
    validateString(path, 'path');
    const drive = path.length >= 2 && path.charCodeAt(1) === COLON && isLetter(path.charCodeAt(0));
    return extname(path, drive ? 2 : 0, isEitherSlash);
  },

  format: format.bind(null, '\\'),

  parse(path) {
    validateString(path, 'path');
    const result = { root: '', dir: '', base: '', ext: '', name: '' };
    const length = path.length;
    if (length === 0) return result;
    if (length === 1) {
      if (isEitherSlash(path.charCodeAt(0))) result.root = result.dir = path;
      else result.base = result.name = path;
      return result;
    }
    let rootEnd = 0;
    const first = path.charCodeAt(0);
    if (isEitherSlash(first)) {
      rootEnd = 1;
      if (isEitherSlash(path.charCodeAt(1))) rootEnd = uncRootEnd(path, true);
    } else if (isLetter(first) && path.charCodeAt(1) === COLON) {
      if (length <= 2 || (length === 3 && isEitherSlash(path.charCodeAt(2)))) {
        result.root = result.dir = path;
        return result;
      }
      rootEnd = isEitherSlash(path.charCodeAt(2)) ? 3 : 2;
    }
    if (rootEnd > 0) result.root = path.slice(0, rootEnd);
    fillParsed(result, path, rootEnd, isEitherSlash);
    if (result.dir === '') result.dir = result.root;
    return result;
  },

  matchesGlob(path, pattern) {
    return matchesGlob(path, pattern, true);
  },

  sep: '\\',
  delimiter: ';',
  win32: null,
  posix: null,
};

// End of the root of `\\host\share\…`; 1 if the path is no UNC path.
function uncRootEnd(path, withSeparator) {
  const length = path.length;
  let at = 2;
  while (at < length && !isEitherSlash(path.charCodeAt(at))) at++;
  if (at === length || at === 2) return 1;
  const afterHost = at;
  while (at < length && isEitherSlash(path.charCodeAt(at))) at++;
  if (at === length || at === afterHost) return 1;
  const share = at;
  while (at < length && !isEitherSlash(path.charCodeAt(at))) at++;
  if (at === length) return length;
  return at === share ? 1 : at + (withSeparator ? 1 : 0);
}

// For `dirname`: [end of the root or -1, start of the segments, or -1 if the path is only a UNC root].
function windowsDirnameRoot(path) {
  const first = path.charCodeAt(0);
  if (isEitherSlash(first)) {
    if (!isEitherSlash(path.charCodeAt(1))) return [1, 1];
    const end = uncRootEnd(path, true);
    if (end === path.length && !isEitherSlash(path.charCodeAt(end - 1))) return [-1, -1];
    return [end, end];
  }
  if (isLetter(first) && path.charCodeAt(1) === COLON) {
    const end = path.length > 2 && isEitherSlash(path.charCodeAt(2)) ? 3 : 2;
    return [end, end];
  }
  return [-1, 0];
}

posix.win32 = win32.win32 = win32;
posix.posix = win32.posix = posix;
// Undocumented alias that some packages use, as in `lib/path.js`.
win32._makeLong = win32.toNamespacedPath;
posix._makeLong = posix.toNamespacedPath;

module.exports = process.platform === 'win32' ? win32 : posix;
