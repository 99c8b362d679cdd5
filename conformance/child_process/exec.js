'use strict';
// exec and execFile, with callbacks and promises.
const { exec, execFile } = require('node:child_process');
const { promisify } = require('node:util');

const plain = (error) => (error === null ? null : { name: error.name, message: error.message, ...error });
const call = (title, start, ...args) => new Promise((resolve) => {
  start(...args, (error, stdout, stderr) => {
    console.log(title, plain(error), stdout, stderr);
    resolve();
  });
});

(async () => {
  await call('echo', exec, 'echo out; echo err >&2');
  await call('exit 3', exec, 'echo out; echo err >&2; exit 3');
  await call('kill', exec, 'kill -9 $$');
  await call('timeout', exec, 'exec sleep 10', { timeout: 50 });
  await call('killSignal', exec, 'exec sleep 10', { timeout: 50, killSignal: 'SIGKILL' });
  await call('maxBuffer', exec, 'echo 0123456789', { maxBuffer: 5 });
  await call('maxBuffer of stderr', exec, 'echo 0123456789 >&2', { maxBuffer: 5 });
  await call('maxBuffer, buffers', exec, 'echo 0123456789', { maxBuffer: 5, encoding: 'buffer' });
  await call('no limit', exec, 'echo 0123456789', { maxBuffer: Infinity });
  await call('buffer', exec, 'echo out', { encoding: 'buffer' });
  await call('latin1', exec, 'printf "\\351"', { encoding: 'latin1' });
  await call('shell', exec, 'echo $0', { shell: '/bin/bash' });
  await call('execFile', execFile, 'echo', ['a', 'b c']);
  await call('execFile missing', execFile, 'no-such-program', ['a']);
  await call('execFile fails', execFile, 'sh', ['-c', 'exit 4']);
  await call('execFile without arguments', execFile, 'true');
  await call('aborted', exec, 'sleep 10', { signal: AbortSignal.abort() });

  const promise = promisify(exec)('echo promised');
  console.log(promise.child.constructor.name, await promise);
  console.log(await promisify(execFile)('echo', ['promised']));
  await promisify(exec)('echo out; exit 5').catch((error) => console.log(plain(error)));
  console.log(promisify(exec).name, promisify(execFile).name);
  exec('true').on('close', (code) => console.log('no callback', code));
})();
