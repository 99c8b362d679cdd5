'use strict';
// spawnSync, execSync, execFileSync.
const { spawnSync, execSync, execFileSync } = require('node:child_process');

const show = (title, result) => {
  const { pid, error, ...rest } = result;
  console.log(title, Object.keys(result), pid > 0, error && { message: error.message, ...error }, rest);
};
show('echo', spawnSync('echo', ['a', 'b']));
show('text', spawnSync('sh', ['-c', 'echo out; echo err >&2; exit 3'], { encoding: 'utf8' }));
show('input', spawnSync('cat', { input: 'in put', encoding: 'utf8' }));
show('input as bytes', spawnSync('cat', { input: new Uint16Array([0x4241]) }));
show('no input', spawnSync('cat', { encoding: 'utf8' }));
show('missing', spawnSync('no-such-program', ['a']));
show('bad cwd', spawnSync('true', { cwd: '/no/such/folder' }));
show('timeout', spawnSync('sleep', ['10'], { timeout: 50 }));
show('killSignal', spawnSync('sleep', ['10'], { timeout: 50, killSignal: 'SIGKILL' }));
show('maxBuffer', spawnSync('sh', ['-c', 'echo 0123456789; exec sleep 10'], { maxBuffer: 5, encoding: 'utf8' }));
show('killed', spawnSync('sh', ['-c', 'kill -TERM $$']));
show('ignore', spawnSync('echo', ['a'], { stdio: 'ignore' }));
show('fourth', spawnSync('sh', ['-c', 'echo three >&3'], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], encoding: 'utf8' }));
show('inherit', spawnSync('true', { stdio: 'inherit' }));
show('shell', spawnSync('echo $X; exit 1', { shell: true, env: { X: 'x' }, encoding: 'latin1' }));
const big = 'x'.repeat(1 << 19);
console.log('big', spawnSync('cat', { input: big, encoding: 'utf8' }).stdout === big);

console.log(execSync('echo out'), execSync('echo out', { encoding: 'utf8' }));
console.log(execFileSync('echo', ['a'], { encoding: 'utf8' }), execFileSync('cat', { input: 'x' }));
const fails = (title, call) => {
  try {
    console.log(title, call());
  } catch (error) {
    const { pid, error: inner, ...rest } = error;
    console.log(title, error.message, inner === error, rest, Object.keys(error));
  }
};
fails('exit', () => execSync('echo out; echo err >&2; exit 2', { stdio: 'pipe', encoding: 'utf8' }));
fails('execFileSync', () => execFileSync('sh', ['-c', 'exit 4'], { stdio: 'pipe', encoding: 'utf8' }));
fails('missing', () => execFileSync('no-such-program', ['a']));
fails('timeout', () => execSync('exec sleep 10', { timeout: 50 }));
fails('maxBuffer', () => execSync('echo 0123456789; exec sleep 10', { maxBuffer: 5, encoding: 'utf8' }));
setTimeout(() => console.log('the loop goes on'), 1);
