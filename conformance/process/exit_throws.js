// A listener of 'exit' that throws, where somebody handles that: the process ends later, and tells again.
const { spawnSync } = require('child_process');

function run(name, code) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  const error = stderr.split('\n').find((line) => /^\w*Error: /.test(line)) ?? '';
  console.log(`${name}: ${status} ${JSON.stringify(stdout)} ${error}`);
}

const throwing = "process.on('exit', (code) => { console.log('exit', code); throw new Error('boom') });";
const handling = "process.on('uncaughtException', (error) => console.log('heard', error.message));";
run('at the end', throwing);
run('at the end, handled', throwing + handling);
run('by exit', throwing + 'setTimeout(() => process.exit(8))');
run('by exit, handled', throwing + handling + 'setTimeout(() => process.exit(8))');
run('by exit, handled, and work is left', throwing + handling +
  "setTimeout(() => process.exit(8)); setTimeout(() => console.log('late'), 50)");
run('by a throw, handled', throwing + handling + "setTimeout(() => { throw new Error('first') })");
run('the handler exits', throwing + "let times = 0; process.on('uncaughtException', () => { if (times++) process.exit(9) });" +
  'setTimeout(() => process.exit(8))');
run('once', "process.once('exit', () => { throw new Error('boom') });" + handling + 'process.exit(5)');
