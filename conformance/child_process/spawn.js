'use strict';
// spawn: events in their order, streams, fields, kinds of stdio.
const { spawn, ChildProcess } = require('node:child_process');
const net = require('node:net');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const run = (title, args, more = () => {}) => new Promise((resolve) => {
  const log = [];
  const texts = {};
  const child = spawn(...args);
  for (const name of ['spawn', 'exit', 'close', 'error', 'disconnect', 'message']) {
    child.on(name, (...values) => {
      log.push([name, ...values.map((value) => (value instanceof Error ?
        { message: value.message, ...value } : value))]);
      if (name === 'close') {
        console.log(title, ...log, texts.stdout, texts.stderr, texts[3]);
        resolve(child);
      }
    });
  }
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8');
    // How the streams' events and the child's end interleave is chance: only their own order is told.
    child[name]?.on('data', (text) => { texts[name] = (texts[name] ?? '') + text; });
    child[name]?.on('end', () => { texts[name] = `${texts[name] ?? ''} end`; });
  }
  more(child, texts);
});

(async () => {
  const first = await run('true', ['true'], (child) => {
    console.log(child instanceof ChildProcess, child.stdin instanceof net.Socket, child.stdout instanceof net.Socket);
    console.log(child.stdin.readable, child.stdin.writable, child.stdout.readable, child.stderr.readable);
    console.log(child.spawnfile, child.spawnargs, child.killed, child.exitCode, child.signalCode, child.connected);
    console.log(typeof child.pid, child.stdio.length, child.stdio[1] === child.stdout);
    console.log(process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap'));
  });
  console.log(first.exitCode, first.signalCode, first.kill(), first.killed);
  await run('echo', ['sh', ['-c', 'echo out; echo err >&2; exit 3']]);
  await run('cat', ['cat'], (child) => child.stdin.end('through'));
  await run('kill', ['sleep', ['10']], (child) => console.log(child.kill(), child.killed));
  await run('SIGKILL', ['sleep', ['10']], (child) => console.log(child.kill('SIGKILL'), child.kill(0)));
  await run('missing', ['no-such-program', ['a', 'b']], (child) => console.log(child.pid, child.stdin !== null));
  await run('bad cwd', ['true', { cwd: '/no/such/folder' }]);
  await run('cwd', ['pwd', { cwd: '/' }]);
  await run('cwd as URL', ['pwd', { cwd: pathToFileURL('/usr') }]);
  await run('env', ['env', { env: { ONE: '1', TWO: undefined, THREE: 3 } }]);
  await run('shell', ['echo a $X; exit 2', { shell: true, env: { X: 'b', PATH: process.env.PATH } }]);
  await run('argv0', ['sh', ['-c', 'echo $0'], { argv0: 'other' }]);
  await run('ignore', ['sh', ['-c', 'echo lost'], { stdio: 'ignore' }], (child) => console.log(child.stdio));
  const file = path.join(os.tmpdir(), `phasor-spawn-${process.pid}`);
  const fd = fs.openSync(file, 'w+');
  await run('fd', ['sh', ['-c', 'echo to file'], { stdio: ['ignore', fd, 'pipe'] }],
    (child) => console.log(child.stdout, child.stdio.length));
  fs.closeSync(fd);
  console.log(fs.readFileSync(file, 'utf8'));
  fs.unlinkSync(file);
  await run('inherit', ['sh', ['-c', 'true'], { stdio: ['inherit', 'inherit', process.stderr] }]);
  await run('fourth', ['sh', ['-c', 'echo three >&3; cat <&3'], { stdio: ['ignore', 'pipe', 'overlapped', 'pipe'] }],
    (child, texts) => {
      child.stdio[3].on('data', (data) => { texts[3] = (texts[3] ?? '') + data; });
      child.stdio[3].end('back');
    });
  await run('timeout', ['sleep', ['10'], { timeout: 50, killSignal: 'SIGINT' }]);
  await run('detached', ['true', { detached: true }]);
  await run('numbers as arguments', ['echo', [1, true, null]]);

  const controller = new AbortController();
  await run('abort', ['sleep', ['10'], { signal: controller.signal }], () => controller.abort());
  await run('aborted', ['sleep', ['10'], { signal: AbortSignal.abort('why') }]);
})();
