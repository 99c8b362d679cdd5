'use strict';
// Wrong arguments.
const childProcess = require('node:child_process');
const { spawn, spawnSync, exec, execFile, execSync, execFileSync, ChildProcess } = childProcess;

const tell = (call) => {
  try {
    console.log('no error', call()?.constructor?.name);
  } catch (error) {
    console.log(error.name, error.code, JSON.stringify(error.message.split('\n')[0]));
  }
};

for (const start of [spawn, spawnSync]) {
  for (const file of [undefined, 5, '', 'a\0b']) tell(() => start(file));
  for (const args of [5, 'text', true, ['a\0b']]) tell(() => start('true', args));
  for (const options of [null, 5, 'text', []]) tell(() => start('true', [], options));
  for (const options of [
    { cwd: 5 }, { cwd: 'a\0b' }, { cwd: new URL('http://a') }, { detached: 1 }, { uid: 'a' }, { gid: 1.5 }, { shell: 5 },
    { shell: 'a\0b' }, { argv0: 5 }, { argv0: 'a\0b' }, { windowsHide: 1 }, { windowsVerbatimArguments: 1 },
    { timeout: -1 }, { timeout: 'a' }, { killSignal: 'SIGNONE' }, { killSignal: {} }, { killSignal: 999 }, { stdio: 'none' },
    { stdio: 5 }, { stdio: [{}] }, { stdio: ['ipc', 'ipc'] }, { stdio: ['x'] }, { env: { A: 'a\0b' } },
    { env: { 'a\0b': '' } }, { stdio: [-5, 'ignore', 'ignore'] },
  ]) tell(() => start('true', [], options)?.pid > 0);
}
tell(() => spawn('true', [], { signal: {} }));
tell(() => spawnSync('true', [], { maxBuffer: -1 }));
tell(() => spawnSync('true', [], { maxBuffer: 'a' }));
tell(() => spawnSync('true', [], { input: 5 }));
for (const start of [exec, execSync]) {
  for (const command of [undefined, 5, '', 'a\0b']) tell(() => start(command));
}
for (const start of [execFile, execFileSync]) {
  for (const file of [undefined, 5, '', 'a\0b']) tell(() => start(file));
  tell(() => start('true', [], 5));
  tell(() => start('true', 5));
  tell(() => start('true', [], { argv0: 5 }));
  tell(() => start('true', [], { maxBuffer: -1 }));
  tell(() => start('true', [], { timeout: -1 }));
}
tell(() => execFile('true', [], {}, 5));
tell(() => new ChildProcess().spawn());
tell(() => new ChildProcess().spawn({ file: 5 }));
tell(() => new ChildProcess().spawn({ file: 'true', args: 5 }));
tell(() => new ChildProcess().spawn({ file: 'true', serialization: 'x' }));
const child = spawn('sleep', ['5']);
tell(() => child.kill('SIGNONE'));
tell(() => child.kill(999));
child.kill();
