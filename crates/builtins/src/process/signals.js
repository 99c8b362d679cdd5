'use strict';
// Signal events of `process`, and `process.kill`.

const process = require('process');

const { signals: numbers } = require('internal/os/constants');
const { threadId } = require('internal/scheduler').options();

// Started signal handles: maps each signal to the function that ends its tracking by async_hooks.
const started = new SafeMap();

function fail(errno, syscall) {
  throw require('internal/errors').errnoException(errno, syscall);
}

// Starts the handle of a signal with its first listener. Removing its last listener stops the handle.
function added(type) {
  // Only the main thread receives signals (`lib/internal/bootstrap/switches/is_main_thread.js: startListeningIfSignal`).
  if (threadId !== 0) return;
  const number = typeof type === 'string' ? numbers[type] : undefined;
  if (number === undefined || started.has(type)) return;
  let onSignal = () => { process.emit(type, type, number); };
  const { on, handle } = require('internal/async_hooks/tracking');
  if (on) onSignal = handle('SIGNALWRAP', onSignal);
  const errno = native.signalStart(number, onSignal);
  if (errno !== 0) fail(errno, 'uv_signal_start');
  started.set(type, onSignal.ended);
}

function removed(type) {
  if (started.has(type) && process.listenerCount(type) === 0) {
    started.get(type)?.();
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
  // Calls the public `_kill`, because programs monkey-patch it.
  const errno = process._kill(pid | 0, number);
  if (errno) fail(errno, 'kill');
  return true;
}

module.exports = { numbers, added, removed, kill };
