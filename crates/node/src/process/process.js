'use strict';
// `process`: the object, its life and its clock.

const scheduler = require('internal/scheduler');
const EventEmitter = require('events');

const options = scheduler.options();

function process() {}
// As Node: `process` has a prototype of its own, named so, between it and EventEmitter's.
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = new process();
EventEmitter.call(self);
Object.defineProperty(self, Symbol.toStringTag, { value: 'process', configurable: true });

self.version = 'v22.23.3';
self.versions = { node: '22.23.3', uv: '1.51.0', quickjs: '0.14' };
self.release = { name: 'node', lts: 'Jod' };
self.arch = native.arch;
self.platform = 'linux';
self.pid = native.pid;
Object.defineProperty(self, 'ppid', { enumerable: true, configurable: true, value: native.ppid });
self.title = 'phasor';
self.argv0 = options.argv0;
self.execPath = options.execPath;
self.execArgv = options.execArgv;
self.argv = [options.execPath, ...options.args];
self.features = {};
self.env = native.env();

self.nextTick = scheduler.nextTick;
self.reallyExit = (code) => scheduler.reallyExit(code | 0);

self.cwd = () => native.cwd();

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
  enumerable: true,
  configurable: false,
  get() { return exitCode; },
  set(value) { exitCode = checkExitCode(value); },
});

self.exit = function exit(code) {
  if (arguments.length !== 0) {
    checkExitCode(code);
    if (code !== undefined) self.exitCode = code;
  }
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
self._rawDebug = (...args) => { native.writeSync(2, `${args.join(' ')}\n`); };

// Nothing of signals is loaded before somebody asks for one.
self.on('newListener', (type) => {
  if (typeof type === 'string' && type.startsWith('SIG')) require('internal/process/signals').added(type);
});
self.on('removeListener', (type) => {
  if (typeof type === 'string' && type.startsWith('SIG')) require('internal/process/signals').removed(type);
});
self.kill = function kill(pid, signal) { return require('internal/process/signals').kill(pid, signal); };

self.getActiveResourcesInfo = () => {
  const [timers, immediates] = scheduler.waiting();
  return [...Array(timers).fill('Timeout'), ...Array(immediates).fill('Immediate')];
};

module.exports = self;
