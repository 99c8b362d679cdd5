'use strict';
// What is said of errors without frames that nobody handled.
const { spawnSync } = require('child_process');

const bare = "const error = new Error('bare'); error.stack = 'Error: bare';";
for (const code of [
  `${bare} Promise.reject(error);`,
  `${bare} error.code = 'E1'; (async () => { throw error; })();`,
  '(async () => { for await (const part of require("fs").createReadStream("/nowhere")); })();',
]) {
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  console.log(status, stderr.replace(/\n {4}at .*/g, '\n    at').replace(/(?:Node\.js|Phasor) v.*/, ''));
}
