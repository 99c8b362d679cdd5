'use strict';
// fs.glob: walks only the directories that can contain a match.

const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateFunction, validateObject, validateString, validateStringArray } = require('internal/validators');
const { runNow, runPromise } = require('internal/fs/run');
const { Dirent, kindOf } = require('internal/fs/stats');
const { UV_DIRENT_DIR, UV_DIRENT_LINK } = require('internal/fs/constants');
const { expandBraces, matches, partFits } = require('internal/path/glob');
const { basename, dirname, join, resolve } = require('path');

const kAny = '**';
const hasMagic = (part) => /[*?[+@!]/.test(part);

function checkExclude(exclude) {
  if (!Array.isArray(exclude)) {
    if (typeof exclude !== 'function') throw new ERR_INVALID_ARG_TYPE('options.exclude', ['string[]', 'function'], exclude);
    return;
  }
  for (let i = 0; i < exclude.length; i++) {
    if (typeof exclude[i] !== 'string') throw new ERR_INVALID_ARG_TYPE(`options.exclude[${i}]`, 'string', exclude[i]);
  }
}

// Replaces a character class of one plain letter by that letter.
const plain = (part) => part.replace(/\[([^\]\\!^*?[+@(){}|])\]/g, '$1');

// Splits a pattern at slashes. Consecutive `**` are merged. A part followed by `..` is dropped, even if no such directory exists.
function partsOf(pattern) {
  const parts = [];
  const segments = pattern.split('/').map(plain);
  for (const [at, part] of segments.entries()) {
    const before = parts.at(-1);
    if (part === '' && at > 0 && at < segments.length - 1) continue;
    if (part === kAny && before === kAny) continue;
    if (part === '..' && before && before !== '..' && before !== '.' && before !== kAny) parts.pop();
    else parts.push(part);
  }
  return parts;
}

class Walk {
  #root;
  #withFileTypes;
  #exclude;
  #isExcluded = () => false;
  #patterns;
  #found = new SafeMap();
  #seen = new SafeSet();
  #folders = new SafeMap();
  #stack = [];

  constructor(pattern, options = {}) {
    validateObject(options, 'options');
    const { exclude, cwd, withFileTypes } = options;
    this.#root = cwd == null ? '.' : require('internal/fs/arguments').toPath(cwd, 'options.cwd');
    this.#withFileTypes = Boolean(withFileTypes);
    if (exclude != null) {
      checkExclude(exclude);
      if (typeof exclude === 'function') {
        this.#exclude = exclude;
      } else {
        const patterns = exclude.map((one) => resolve(this.#root, one));
        this.#isExcluded = (path) => patterns.some((one) => matches(path, one, false));
      }
    }
    if (typeof pattern === 'object') validateStringArray(pattern, 'patterns');
    else validateString(pattern, 'patterns');
    this.#patterns = [pattern].flat().flatMap(expandBraces).map(partsOf);
  }

  // A generator of plans (see internal/fs/run) that returns the list of matches.
  * run() {
    for (const parts of this.#patterns) {
      if (parts.length > 0) this.#stack.push(['.', parts, 0]);
      while (this.#stack.length > 0) yield* this.#step(...this.#stack.pop());
    }
    return [...this.#found.values()];
  }

  #full(path) { return resolve(this.#root, path); }

  // The dirent type of a path, or 0 if it does not exist.
  * #kind(path) {
    try {
      const full = this.#full(path);
      return kindOf((yield ['lstat', [full], full]).mode);
    } catch {
      return 0;
    }
  }

  // True if the path is a directory, also through a symbolic link.
  * #isFolder(path) {
    try {
      const full = this.#full(path);
      return (yield ['stat', [full], full]).isDirectory();
    } catch {
      return false;
    }
  }

  * #entries(path) {
    const full = this.#full(path);
    const known = this.#folders.get(full);
    if (known !== undefined) return known;
    const list = [];
    try {
      const [names, kinds] = yield ['scandir', [full], full];
      for (let i = 0; i < names.length; i++) {
        list.push([names[i], kinds[i] || (yield* this.#kind(join(path, names[i])))]);
      }
    } catch {
      // An unreadable directory counts as empty.
    }
    this.#folders.set(full, list);
    return list;
  }

  #entry(path, kind) {
    const full = this.#full(path);
    return new Dirent(basename(full), kind, dirname(full));
  }

  #add(path, kind) {
    if (this.#found.has(path) || this.#isExcluded(this.#full(path))) return;
    this.#found.set(path, this.#withFileTypes ? this.#entry(path, kind) : path);
  }

  #descend(path, kind, parts, at) {
    const full = this.#full(path);
    if (this.#isExcluded(full) || this.#isExcluded(`${full}/`)) return;
    if (this.#exclude?.(this.#withFileTypes ? this.#entry(path, kind) : path)) return;
    this.#stack.push([path, parts, at]);
  }

  * #step(path, parts, at) {
    const key = `${at}/${parts.length} ${path} ${parts.join('/')}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const part = parts[at];
    const isLast = at === parts.length - 1;
    if (part === '') {
      if (at === 0) this.#stack.push(['/', parts, 1]);
      // A trailing slash matches directories only, and `./` matches nothing (`lib/internal/fs/glob.js: #addSubpatterns`).
      else if (!(at === 1 && parts[0] === '.') && (yield* this.#isFolder(path))) this.#add(path, UV_DIRENT_DIR);
    } else if (at === 0 && (part === '.' || part === '..')) {
      // `.` or `..` alone match nothing (`lib/internal/fs/glob.js: #addSubpatterns`).
      if (!isLast) this.#stack.push([join(path, part), parts, 1]);
    } else if (part === kAny) {
      yield* this.#stepAny(path, parts, at, isLast);
    } else if (hasMagic(part)) {
      for (const [name, kind] of yield* this.#entries(path)) {
        if (!partFits(name, part)) continue;
        if (isLast) this.#add(join(path, name), kind);
        else if (kind === UV_DIRENT_DIR) this.#descend(join(path, name), kind, parts, at + 1);
      }
    } else {
      // Behind `**`, a part matches only an entry of a directory: `.` never matches, and a link does not match as a directory
      // (`lib/internal/fs/glob.js: #addSubpatterns`).
      const isBehindAny = parts[at - 1] === kAny && parts[0] !== '.';
      if (isBehindAny && part === '.') return;
      const next = join(path, part);
      const kind = yield* this.#kind(next);
      if (isLast && kind !== 0) this.#add(next, kind);
      else if (kind === UV_DIRENT_DIR || (kind === UV_DIRENT_LINK && !isBehindAny && (yield* this.#isFolder(next)))) {
        this.#descend(next, kind, parts, at + 1);
      }
    }
  }

  // `**` matches zero or more directories, except for hidden ones.
  * #stepAny(path, parts, at, isLast) {
    if (isLast && (path !== '.' || parts[0] === '.' || at === 0)) {
      const kind = yield* this.#kind(path);
      if (kind !== 0) this.#add(path, kind);
    }
    for (const [name, kind] of yield* this.#entries(path)) {
      if (name[0] === '.') continue;
      const next = join(path, name);
      if (this.#exclude?.(this.#withFileTypes ? this.#entry(next, kind) : name)) continue;
      if (kind === UV_DIRENT_DIR) this.#descend(next, kind, parts, at);
      else if (isLast) this.#add(next, kind);
      // A link is descended into only if its name matches the next part, or if the pattern begins with a dot
      // (`lib/internal/fs/glob.js: #addSubpatterns`).
      else if (kind === UV_DIRENT_LINK && (parts[0] === '.' || partFits(name, parts[at + 1]))) {
        this.#descend(next, kind, parts, at + 1);
      }
    }
    if (!isLast) this.#stack.push([path, parts, at + 1]);
  }
}

function glob(pattern, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'cb');
  const work = async () => runPromise(new Walk(pattern, options).run());
  // An exception in the callback is an unhandled rejection (`lib/fs.js: glob`).
  work().then((list) => callback(null, list), (error) => callback(error));
}

const globSync = function globSync(pattern, options) {
  return runNow(new Walk(pattern, options).run());
};

async function* globPromise(pattern, options) {
  yield* await runPromise(new Walk(pattern, options).run());
}

module.exports = { glob, globPromise, globSync };
