'use strict';
// `process` in a worker: functions that change the whole process throw.

const process = require('process');
const { ERR_WORKER_UNSUPPORTED_OPERATION } = require('internal/errors');

const refused = (name) => {
  function unavailable() { throw new ERR_WORKER_UNSUPPORTED_OPERATION(name); }
  unavailable.disabled = true;
  return unavailable;
};

function replace(name, value) {
  Object.defineProperty(process, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
}

for (const name of [
  'abort', 'chdir', 'initgroups', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid',
]) {
  if (name in process) replace(name, refused(`process.${name}()`));
}

replace('execve', refused('Calling process.execve'));

const { umask } = process;
replace('umask', function(mask) {
  if (mask !== undefined) throw new ERR_WORKER_UNSUPPORTED_OPERATION('Setting process.umask()');
  return umask.call(process);
});

// Setting these properties has no effect: only the main thread owns the process state (`src/node_process_object.cc:
// PatchProcessObject`).
for (const name of ['title', 'debugPort']) {
  const value = process[name];
  Object.defineProperty(process, name, { __proto__: null, get: () => value, set() {}, configurable: true, enumerable: true });
}

// The IPC channel to a parent process belongs to the main thread.
if (process.env.NODE_CHANNEL_FD !== undefined) {
  for (const name of ['send', 'disconnect']) replace(name, refused(`process.${name}()`));
  for (const name of ['channel', 'connected']) {
    Object.defineProperty(process, name, {
      __proto__: null, get: refused(`process.${name}`), configurable: true, enumerable: false,
    });
  }
}

const { reallyExit } = process;
replace('reallyExit', (code) => {
  require('internal/worker/stdio').flush();
  reallyExit(code);
});
