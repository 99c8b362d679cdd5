'use strict';
// The global `navigator`.

const process = require('process');
const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');

const kMake = Symbol('kMake');
let isNavigator;

const platforms = {
  __proto__: null, aix: 'AIX', freebsd: 'FreeBSD', linux: 'Linux', openbsd: 'OpenBSD', sunos: 'SunOS',
};

class Navigator {
  #cores;

  static {
    isNavigator = (value) => typeof value === 'object' && value !== null && #cores in value;
  }

  constructor(mark = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get hardwareConcurrency() {
    check(this);
    this.#cores ??= native.cores();
    return this.#cores;
  }

  get language() {
    check(this);
    return languageOf(process.env);
  }

  get languages() {
    check(this);
    return Object.freeze([languageOf(process.env)]);
  }

  get userAgent() {
    check(this);
    const [major] = process.version.slice(1).split('.');
    return `Node.js/${major}`;
  }

  get platform() {
    check(this);
    const { arch, platform } = process;
    if (platform === 'darwin') return 'MacIntel';
    if (platform === 'win32') return 'Win32';
    if (platform === 'linux') {
      if (arch === 'ia32') return 'Linux i686';
      if (arch === 'x64') return 'Linux x86_64';
    }
    if (platform === 'freebsd') {
      if (arch === 'ia32') return 'FreeBSD i386';
      if (arch === 'x64') return 'FreeBSD amd64';
    }
    if (platform === 'openbsd' && arch === 'x64') return 'OpenBSD amd64';
    if (platform === 'sunos') return arch === 'ia32' ? 'SunOS i86pc' : `SunOS ${arch}`;
    if (platform === 'aix') return 'AIX';
    const name = platforms[platform] ?? `${platform[0].toUpperCase()}${platform.slice(1)}`;
    return `${name} ${arch}`;
  }
}

// The default locale: the first set variable of those that ICU reads.
function languageOf(env) {
  const name = (env.LC_ALL || env.LC_MESSAGES || env.LANG || '').split('.')[0].split('@')[0];
  if (name === '' || name === 'C' || name === 'POSIX') return 'en-US';
  return name.replace('_', '-');
}

function check(value) {
  if (!isNavigator(value)) throw new ERR_INVALID_THIS('Navigator');
}

for (const name of ['hardwareConcurrency', 'language', 'languages', 'userAgent', 'platform']) {
  Object.defineProperty(Navigator.prototype, name, { __proto__: null, enumerable: true });
}

module.exports = { Navigator, navigator: new Navigator(kMake) };
