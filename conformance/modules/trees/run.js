// Runs the small programs of a file of this folder and prints what they print. `##### name :: arguments`, then `--- file` before each
// text of a program; without arguments its first file is run.
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

module.exports = (trees) => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'programs-')));
  process.on('exit', () => fs.rmSync(folder, { recursive: true }));
  for (const program of fs.readFileSync(path.join(__dirname, trees), 'utf8').split(/^##### /m).slice(1)) {
    const [head, ...files] = program.split(/^--- /m);
    const [name, given] = head.trim().split(' :: ');
    const cwd = path.join(folder, name);
    for (const file of files) {
      const end = file.indexOf('\n');
      const where = path.join(cwd, file.slice(0, end));
      fs.mkdirSync(path.dirname(where), { recursive: true });
      fs.writeFileSync(where, file.slice(end + 1));
    }
    const args = given === undefined ? [files[0].slice(0, files[0].indexOf('\n'))] : given.split(' ');
    const { status, signal, stdout } =
      spawnSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    console.log(`${name}: ${status ?? signal}\n${stdout.replaceAll(cwd, '.')}`);
  }
};
