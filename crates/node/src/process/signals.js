'use strict';
// Signals as events of `process`, and `process.kill`.

const process = require('process');

const numbers = {
  __proto__: null,
  SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGIOT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9,
  SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17, SIGSTKFLT: 16,
  SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGURG: 23, SIGXCPU: 24, SIGXFSZ: 25,
  SIGVTALRM: 26, SIGPROF: 27, SIGWINCH: 28, SIGIO: 29, SIGPOLL: 29, SIGPWR: 30, SIGSYS: 31,
};

const started = new Set();

function fail(errno, syscall) {
  throw require('internal/errors').errnoException(errno, syscall);
}

// The first listener of a signal starts to listen, the last one that leaves ends it.
function added(type) {
  const number = typeof type === 'string' ? numbers[type] : undefined;
  if (number === undefined || started.has(type)) return;
  const errno = native.signalStart(number, () => { process.emit(type, type, number); });
  if (errno !== 0) fail(errno, 'uv_signal_start');
  started.add(type);
}

function removed(type) {
  if (started.has(type) && process.listenerCount(type) === 0) {
    started.delete(type);
    native.signalStop(numbers[type]);
  }
}

function kill(pid, signal) {
  if (pid != (pid | 0)) {
    const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
    throw new ERR_INVALID_ARG_TYPE('pid', 'number', pid);
  }
  let number;
  if (signal === (signal | 0)) {
    number = signal;
  } else {
    number = numbers[signal || 'SIGTERM'];
    if (number === undefined) {
      const { ERR_UNKNOWN_SIGNAL } = require('internal/errors');
      throw new ERR_UNKNOWN_SIGNAL(signal);
    }
  }
  const errno = native.kill(pid | 0, number);
  if (errno !== 0) fail(errno, 'kill');
  return true;
}

module.exports = { numbers, added, removed, kill };
