// Whoever writes for ever into a pipe that nobody reads ends, as `app | head -1` does.
const { spawn } = require('child_process');

function run(name, fd, code) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [closed, heard] = fd === 1 ? [child.stdout, child.stderr] : [child.stderr, child.stdout];
    let text = '';
    heard.setEncoding('utf8').on('data', (chunk) => { text += chunk; });
    closed.once('data', () => closed.destroy());
    child.on('close', (code) => {
      console.log(`${name}: ${code} ${/write EPIPE|heard EPIPE/.exec(text)?.[0] ?? ''}`);
      resolve();
    });
  });
}

(async () => {
  await run('console.log', 1, "setInterval(() => console.log('a'), 1)");
  await run('console.error', 2, "setInterval(() => console.error('a'), 1)");
  await run('a group', 1, "console.group('b'); setInterval(() => console.log('a'), 1)");
  await run('process.stdout', 1, "setInterval(() => process.stdout.write('a'), 1)");
  await run('a listener', 1, "process.stdout.on('error', (e) => { console.error('heard', e.code); process.exit(3) });" +
    "setInterval(() => console.log('a'), 1)");
})();
