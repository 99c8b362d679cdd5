// How a process ends: by the code that was set last, or by a signal.
'use strict';
const { spawnSync } = require('child_process');

const programs = [
  'process.exitCode = 5; process.on("exit", () => { process.exitCode = undefined })',
  'process.exitCode = 5; process.on("exit", () => { process.exitCode = 0 })',
  'process.on("exit", () => { process.exitCode = undefined }); process.exit(5)',
  'process.on("exit", (code) => { console.log(code); process.exitCode = undefined }); throw 1',
  'process.on("exit", () => { process.exitCode = 3 }); throw 1',
  'process.exitCode = 6; process.exit()',
  'process.exitCode = 6; process.exit(undefined)',
  'process.exitCode = 6; process.exit(null)',
  'process.exit("8")',
  'process.on("exit", () => process.exit(9))',
  'process.kill(process.pid, "SIGSEGV"); setInterval(() => {}, 1000)',
  'process.kill(process.pid, "SIGBUS"); setInterval(() => {}, 1000)',
  'process.kill(process.pid, "SIGTERM"); for (;;);',
];
for (const program of programs) {
  const { status, signal, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 10000 });
  console.log(status, signal, stdout);
}
