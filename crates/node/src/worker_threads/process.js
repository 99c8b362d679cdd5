'use strict';
// `process` in a worker: what belongs to the whole process cannot be changed from there.

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

const { umask } = process;
replace('umask', function(mask) {
  if (mask !== undefined) throw new ERR_WORKER_UNSUPPORTED_OPERATION('Setting process.umask()');
  return umask.call(process);
});

// As Node: a name of its own, which the system does not see.
replace('title', process.title);

for (const name of ['_startProfilerIdleNotifier', '_stopProfilerIdleNotifier', '_debugProcess', '_debugEnd']) {
  if (name in process) replace(name, refused(`process.${name}()`));
}
