// Signals to this process and between processes.
'use strict';
const { spawn } = require('child_process');
const { once } = require('events');

if (process.argv[2] === 'wait') {
  process.on('SIGTERM', () => {
    console.log('child: SIGTERM');
    process.exit(5);
  });
  setInterval(() => {}, 1000);
  console.log('ready');
} else {
  main();
}

async function caught(name) {
  const [signal, number] = await new Promise((resolve) => {
    process.once(name, (...words) => resolve(words));
    process.kill(process.pid, name);
  });
  return `${signal} ${number}`;
}

async function main() {
  // A listener of a signal does not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  for (const name of ['SIGUSR2', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGWINCH', 'SIGCHLD', 'SIGPIPE']) console.log(await caught(name));

  // Two listeners of one signal, then none: it must end a process again.
  let calls = 0;
  const listeners = [() => calls++, () => calls++];
  for (const listener of listeners) process.on('SIGUSR2', listener);
  process.kill(process.pid, 'SIGUSR2');
  while (calls < 2) await new Promise(setImmediate);
  for (const listener of listeners) process.off('SIGUSR2', listener);
  console.log(calls, process.listenerCount('SIGUSR2'));

  const child = spawn(process.execPath, [__filename, 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data) => {
    text += data;
    if (data.includes('ready')) child.kill('SIGTERM');
  });
  console.log(await once(child, 'close'), text);

  const plain = spawn(process.execPath, ['-e', 'process.on("SIGUSR2", () => {}); process.removeAllListeners("SIGUSR2"); console.log(1); setInterval(() => {}, 1000)']);
  plain.stdout.once('data', () => plain.kill('SIGUSR2'));
  console.log(await once(plain, 'exit'));

  try {
    process.kill(2 ** 30, 0);
  } catch (error) {
    console.log(error.code, error.syscall);
  }
  clearInterval(alive);
  console.log('done');
}
