// What is of another type than `test` expects is as good as missing.
const { spawnSync } = require('child_process');

const script = `
  const test = require('node:test');
  test(5, 5, 5); test('a', 'b', () => {}); test('c', () => {}, 7); test('d', {}, 'x'); test(null); test('e', null, () => {});
  test({}, () => {}); test(function named() {}); test({ name: 'f' }); test('', { skip: true }); test.todo(3, () => {});
  test('outer', async (t) => { await t.test(1, 2, 3); await t.test(undefined, null); });
`;
const { status, stdout } = spawnSync(process.execPath, ['-e', script]);
console.log(status, String(stdout).split('\n').filter((line) => /^ *(not )?ok|^# (pass|fail|skipped|todo)/.test(line)));
