// A test that ends the process decides its code, and the report ends where it is; hooks that never settle do not keep it back.
const { spawnSync } = require('child_process');

function run(script) {
  const { status, stdout } = spawnSync(process.execPath, ['-e', `const { test, after } = require('node:test'); ${script}`]);
  console.log(status, String(stdout).split('\n').filter((line) => /^(not )?ok|^# (pass|fail|cancelled)|^1\.\./.test(line)));
}

const later = 'await new Promise((done) => setTimeout(done, 20));';
run(`test('a', () => {}); test('b', async () => { ${later} process.exit(5); }); test('c', () => {});`);
run(`test('a', () => { throw new Error('no'); }); test('b', async () => { ${later} process.exit(0); });`);
run(`test('a', () => {}); test('b', async () => { ${later} process.exitCode = 7; });`);
run(`after(() => new Promise(() => {})); test('a', () => {});`);
run(`test('a', () => new Promise(() => {})); test('b', () => {});`);
