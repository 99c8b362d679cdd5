'use strict';
// The `process` object: properties, exit and clock.

const scheduler = require('internal/scheduler');
const EventEmitter = require('events');

const options = scheduler.options();

function process() {}
// As in Node, the prototype of `process` has a constructor named `process`, and inherits from EventEmitter.prototype.
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = new process();
EventEmitter.call(self);
Object.defineProperty(self, Symbol.toStringTag, { __proto__: null, value: 'process', configurable: true });

// Defines properties that cannot be assigned (`src/node_process_object.cc: READONLY_PROPERTY`).
function readOnly(object, properties) {
  for (const name of Object.keys(properties)) {
    Object.defineProperty(object, name, { __proto__: null, value: properties[name], enumerable: true, configurable: true });
  }
  return object;
}

const version = 'v22.23.3';
// Versions that packages read. `modules` is Node's ABI number; `v8` is the version of V8 whose language features the engine matches.
const versions = readOnly({}, {
  node: '22.23.3', modules: '127', napi: '10', uv: '1.51.0', v8: '12.4.254.21-node.57', unicode: '17.0',
  phasor: native.version, spidermonkey: native.engineVersion,
});
const download = `https://nodejs.org/download/release/${version}/node-${version}`;
const release = readOnly({}, {
  name: 'node', lts: 'Jod', sourceUrl: `${download}.tar.gz`, headersUrl: `${download}-headers.tar.gz`,
});
readOnly(self, { version, versions, arch: native.arch, platform: 'linux', release, pid: native.pid });
Object.defineProperty(self, 'ppid', {
  __proto__: null,
  enumerable: true, configurable: true, get: () => native.ppid(), set() {},
});
let title = options.argv0;
Object.defineProperty(self, 'title', {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get() { return title; },
  set(value) {
    title = `${value}`;
    native.setName(title);
  },
});
self.argv0 = options.argv0;
self.execPath = options.execPath;
self.execArgv = options.execArgv;
self.argv = [options.execPath, ...options.args];
self.features = {
  inspector: false,
  debug: false,
  uv: true,
  ipv6: true,
  tls_alpn: false,
  tls_sni: false,
  tls_ocsp: false,
  tls: false,
  openssl_is_boringssl: false,
  cached_builtins: true,
  require_module: true,
  typescript: 'strip',
};
self.config = { target_defaults: {}, variables: {} };
self.debugPort = 9229;

// Defines a property that is created on first access and is a plain data property afterwards.
function lazy(name, load) {
  Object.defineProperty(self, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      const value = load();
      Object.defineProperty(self, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
      return value;
    },
    set(value) {
      Object.defineProperty(self, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
    },
  });
}

lazy('env', () => require('internal/process/env'));
for (const name of ['cpuUsage', 'threadCpuUsage', 'resourceUsage', 'memoryUsage']) {
  lazy(name, () => require('internal/process/usage')[name]);
}

for (const name of [
  'allowedNodeEnvironmentFlags', 'assert', 'availableMemory', 'constrainedMemory', 'execve', 'getgroups', 'initgroups', 'loadEnvFile',
  'openStdin', 'ref', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid', 'unref',
]) {
  lazy(name, () => require('internal/process/rare')[name]);
}
lazy('setSourceMapsEnabled', () => require('internal/modules/source_maps').setSourceMapsEnabled);
lazy('binding', () => require('internal/process/binding').processBinding);
lazy('finalization', () => require('internal/process/finalization'));
Object.defineProperty(self, 'sourceMapsEnabled', {
  __proto__: null,
  enumerable: true, configurable: true, get: () => require('internal/modules/source_maps').getSourceMapsSupport().enabled,
});

// The standard streams are created at their first access. `get.made` records whether a stream exists: `console` writes to the descriptor directly
// while it does not.
for (const [name, load] of [
  ['stdin', () => require('internal/process/stdio').makeInput()],
  ['stdout', () => require('internal/process/stdio').makeOutput(1)],
  ['stderr', () => require('internal/process/stdio').makeOutput(2)],
]) {
  let stream;
  const get = () => {
    if (stream === undefined) {
      stream = load();
      get.made = true;
    }
    return stream;
  };
  get.made = false;
  Object.defineProperty(self, name, { __proto__: null, configurable: true, enumerable: true, get });
}

self.nextTick = scheduler.nextTick;
self.reallyExit = (code) => scheduler.reallyExit(code | 0);

self.cwd = function cwd() {
  const path = native.cwd();
  if (path === undefined || path === null) throw require('internal/errors').uvException({ errno: -2, syscall: 'uv_cwd' });
  return path;
};

self.chdir = function chdir(directory) {
  require('internal/validators').validateString(directory, 'directory');
  const errno = native.chdir(directory);
  if (errno !== 0) {
    throw require('internal/errors').uvException({ errno, syscall: 'chdir', path: native.cwd(), dest: directory });
  }
};

self.umask = function umask(mask) {
  if (mask === undefined) return native.umask(-1);
  let mode = mask;
  if (typeof mask === 'string' && /^[0-7]+$/.test(mask)) mode = parseInt(mask, 8);
  if (typeof mode === 'string') {
    const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
    throw new ERR_INVALID_ARG_VALUE('mask', mask, 'must be a 32-bit unsigned integer or an octal string');
  }
  require('internal/validators').validateUint32(mode, 'mask');
  return native.umask(mode & 0o777);
};

self.abort = () => native.abort();
['getuid', 'geteuid', 'getgid', 'getegid'].forEach((name, at) => {
  self[name] = { [name]() { return native.ids()[at]; } }[name];
});

function hrtime(previous) {
  const now = native.hrtimeBigint();
  const seconds = Number(now / 1000000000n);
  const nanoseconds = Number(now % 1000000000n);
  if (previous === undefined) return [seconds, nanoseconds];
  require('internal/validators').validateArray(previous, 'time');
  if (previous.length !== 2) {
    const { ERR_OUT_OF_RANGE } = require('internal/errors');
    throw new ERR_OUT_OF_RANGE('time', 2, previous.length);
  }
  let whole = seconds - previous[0];
  let rest = nanoseconds - previous[1];
  if (rest < 0) {
    whole--;
    rest += 1e9;
  }
  return [whole, rest];
}
hrtime.bigint = native.hrtimeBigint;
self.hrtime = hrtime;

const started = native.hrtime();
self.uptime = () => (native.hrtime() - started) / 1e9;

let exitCode;

function checkExitCode(value) {
  if (value === undefined || value === null) return undefined;
  let code = value;
  if (typeof value === 'string' && value !== '' && Number.isInteger(+value)) code = +value;
  require('internal/validators').validateInteger(code, 'code');
  return code;
}

Object.defineProperty(self, 'exitCode', {
  __proto__: null,
  enumerable: true,
  configurable: false,
  get() { return exitCode; },
  set(value) { exitCode = checkExitCode(value); },
});

self.exit = function exit(code) {
  if (arguments.length !== 0) self.exitCode = code;
  if (!self._exiting) {
    self._exiting = true;
    scheduler.setExiting();
    self.emit('exit', self.exitCode || 0);
  }
  self.reallyExit(self.exitCode || 0);
};

self.emitWarning = function emitWarning(warning, type, code, ctor) {
  require('internal/process/warnings').emitWarning(warning, type, code, ctor);
};

const exceptions = () => require('internal/process/exceptions');
self.setUncaughtExceptionCaptureCallback = (callback) => exceptions().setCapture(callback);
self.hasUncaughtExceptionCaptureCallback = () => exceptions().hasCapture();
self._fatalException = (error, fromPromise) => exceptions().fatal(error, fromPromise);
self._rawDebug = (...args) => { native.writeText(2, `${require('util').format(...args)}\n`); };

// The code for signals is loaded when the first listener of a signal is added.
self.on('newListener', (type) => {
  if (typeof type === 'string' && type.startsWith('SIG')) require('internal/process/signals').added(type);
  else if (type === 'workerMessage') require('internal/worker/threads').listen();
});
self.on('removeListener', (type) => {
  if (typeof type === 'string' && type.startsWith('SIG')) require('internal/process/signals').removed(type);
});
self.kill = function kill(pid, signal) { return require('internal/process/signals').kill(pid, signal); };

self.getActiveResourcesInfo = () => {
  const [timers, immediates] = scheduler.waiting();
  const others = require('internal/resources').list();
  return [...others, ...Array(timers).fill('Timeout'), ...Array(immediates).fill('Immediate')];
};

self._getActiveRequests = () => require('internal/resources').requests();
self._getActiveHandles = () => require('internal/resources').owners();

self._kill = native.kill;
Object.defineProperty(self, 'moduleLoadList', {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get: () => scheduler.loadedBuiltins().map((id) => `NativeModule ${id}`),
});
self.domain = null;
self._exiting = false;

module.exports = self;
