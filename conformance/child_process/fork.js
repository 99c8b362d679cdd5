'use strict';
// fork: messages, disconnect, what a fork sees.
const { fork, spawn } = require('node:child_process');

const tell = (call) => {
  try {
    call();
    console.log('no error');
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};

const roles = {
  echo() {
    process.on('message', (message) => {
      process.send({ got: message, ends: process.connected });
      if (message === 'end') process.disconnect();
    });
    process.on('disconnect', () => console.log('fork: disconnect', process.connected, process.channel));
  },
  looks() {
    console.log('fork:', process.connected, typeof process.send, typeof process.disconnect, process.channel !== null,
      process.env.NODE_CHANNEL_FD, process.env.NODE_CHANNEL_SERIALIZATION_MODE, process.argv.slice(2),
      process.execArgv);
  },
  stays() {
    process.channel.ref();
    process.on('disconnect', () => console.log('fork: left'));
  },
  early() {
    // Sent before anybody listens.
    setTimeout(() => process.once('message', (message) => console.log('fork: early', message)), 50);
  },
  internal() {
    process.on('internalMessage', (message) => console.log('fork: internal', message));
    process.on('message', (message) => {
      console.log('fork: message', message);
      process.disconnect();
    });
  },
  closed() {
    process.disconnect();
    process.send('late', (error) => console.log('fork:', error.code, error.message));
    process.once('error', (error) => console.log('fork: error', error.code, error.message));
    process.disconnect();
  },
};

const ended = (child, log) => new Promise((resolve) => {
  for (const name of ['spawn', 'message', 'disconnect', 'error']) {
    child.on(name, (...values) => log.push([name, ...values]));
  }
  // Whether a fork's last words or its end are seen first is chance.
  child.on('exit', (...values) => setTimeout(() => resolve(values), 100));
});

const start = async (title, use = () => {}, args = [], options = {}) => {
  const log = [];
  const child = fork(__filename, [title, ...args], { ...options, silent: true });
  let text = '';
  child.stdout.on('data', (data) => { text += data; });
  child.stderr.on('data', (data) => { text += data; });
  const over = ended(child, log);
  use(child, log);
  console.log(title, await over, ...log, child.connected, child.channel, text);
};

async function main() {
  await start('echo', (child) => {
    console.log(child.connected, child.stdio.length, child.stdio[3], typeof child.channel.ref, typeof child.channel.fd);
    console.log(child.send('text'), child.send({ a: [1, null, 'é😀'] }), child.send(5), child.send(true), child.send(null));
    child.send('end', (error) => console.log('sent', error));
    tell(() => child.send());
    tell(() => child.send(() => {}));
    tell(() => child.send(Symbol('s')));
    tell(() => child.send('a', undefined, 5));
    tell(() => child.send('a', {}));
  });
  await start('looks', undefined, ['more', 5], { execArgv: ['--no-warnings'] });
  await start('stays', (child, log) => setTimeout(() => {
    child.disconnect();
    log.push(child.connected);
    child.send('late', (error) => log.push(error.code));
  }, 50));
  await start('early', (child) => child.send('first'));
  await start('internal', (child) => {
    child.send({ cmd: 'NODE_x' });
    child.send({ cmd: 'OTHER' });
  });
  await start('closed');

  const silent = fork(__filename, ['looks'], { silent: true });
  console.log(silent.stdio.map((stream) => stream !== null));
  silent.stdout.setEncoding('utf8').on('data', (text) => console.log('silent', text));
  await new Promise((resolve) => { silent.on('close', resolve); });

  const big = fork(__filename, ['echo']);
  big.send('x'.repeat(1 << 20));
  big.on('message', ({ got }) => {
    console.log('big', got.length);
    big.disconnect();
  });
  await new Promise((resolve) => { big.on('exit', resolve); });

  const plain = spawn(process.execPath, [__filename, 'looks'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await new Promise((resolve) => { plain.on('exit', resolve); });

  tell(() => fork());
  tell(() => fork(5));
  tell(() => fork('a\0b'));
  tell(() => fork(__filename, 5));
  tell(() => fork(__filename, [], 5));
  tell(() => fork(__filename, { stdio: ['ignore'] }));
  tell(() => fork(__filename, { stdio: 'none' }));
  tell(() => fork(__filename, { execPath: 'a\0b' }));
  tell(() => fork(__filename, { execArgv: ['a\0b'] }));
  tell(() => spawn('true', { stdio: ['ipc', 'ipc'] }));
}

if (process.argv[2] === undefined) main();
else roles[process.argv[2]]();
