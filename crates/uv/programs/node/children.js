// Child processes: pipes, exit codes, signals, errors, fork with messages and sockets, cluster.
'use strict';
const { spawn, exec, execFileSync, spawnSync, fork } = require('child_process');
const cluster = require('cluster');
const net = require('net');
const http = require('http');
const { once } = require('events');

if (process.argv[2] === 'child') {
  process.on('message', (message, socket) => {
    if (socket) return socket.end('from the child');
    process.send({ back: message }, () => message.last && process.disconnect());
  });
} else if (cluster.isWorker) {
  http.createServer((request, response) => response.end(`worker ${cluster.worker.id}`)).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  main();
}

async function text(stream) {
  let all = '';
  for await (const part of stream.setEncoding('utf8')) all += part;
  return all;
}

async function main() {
  const echo = spawn('sh', ['-c', 'echo out; echo err >&2; exit 3']);
  console.log(await Promise.all([text(echo.stdout), text(echo.stderr), once(echo, 'close')]));

  const cat = spawn('cat');
  const input = 'x'.repeat(300_000);
  cat.stdin.end(input);
  console.log((await text(cat.stdout)) === input);

  const killed = spawn('sleep', ['1000']);
  killed.kill('SIGTERM');
  console.log(await once(killed, 'exit'));

  const missing = spawn('/no/such/program');
  console.log((await once(missing, 'error'))[0].code, missing.pid);

  const limited = await new Promise((resolve) => exec('sleep 1000', { timeout: 50, killSignal: 'SIGKILL' }, resolve));
  console.log(limited.killed, limited.signal, limited.code);

  console.log(execFileSync('sh', ['-c', 'echo $WORD; pwd; cat'], { cwd: '/', env: { PATH: process.env.PATH, WORD: 'given' }, input: 'in' }).toString());
  const sync = spawnSync('sh', ['-c', 'kill -USR1 $$']);
  console.log(sync.status, sync.signal, spawnSync('/no/such/program').error.code);

  const fds = spawn('sh', ['-c', 'cat <&3 >&4'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'] });
  fds.stdio[3].end('third');
  console.log(await text(fds.stdio[4]));

  const many = Array.from({ length: 40 }, (_, index) => once(spawn('sh', ['-c', `exit ${index}`]), 'exit'));
  console.log((await Promise.all(many)).reduce((sum, [code]) => sum + code, 0));

  const child = fork(__filename, ['child']);
  const back = [];
  child.on('message', (message) => back.push(message.back.number));
  for (let number = 0; number < 100; number++) child.send({ number, text: 'y'.repeat(1000), last: false });
  const server = net.createServer((socket) => child.send('socket', socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  console.log(await text(net.connect(server.address().port)));
  server.close();
  child.send({ number: 100, last: true });
  console.log(await once(child, 'exit'), back.length, back.every((number, index) => number === index));

  await clustered();
  console.log('done');
}

async function clustered() {
  const probe = net.createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  const workers = [cluster.fork({ PORT: port }), cluster.fork({ PORT: port })];
  await Promise.all(workers.map((worker) => once(worker, 'listening')));
  const seen = new Set();
  for (let turn = 0; turn < 20; turn++) {
    const [response] = await once(http.get({ port, agent: false }), 'response');
    seen.add(await text(response));
  }
  console.log([...seen].sort());
  for (const worker of workers) worker.disconnect();
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
}
