// What the very first statement of a program throws is told, and ends it.
const { spawnSync } = require('child_process');
for (const code of ['let { a } = null', 'var { a } = undefined', 'let [b] = {}', 'for (const z of 5);', '\n\nlet { a } = null', 'null.x']) {
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  console.log(status, stderr.split('\n').find((line) => line.startsWith('TypeError')));
}
