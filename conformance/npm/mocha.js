// mocha: its command on real test files, with several reporters and options, and its programmatic interface.
'use strict';
const { spawn } = require('child_process');
const path = require('path');
const { default: Mocha, Runner } = require('mocha');

const log = (...words) => console.log(...words);
const files = path.join(__dirname, 'mocha-files');
const command = path.join(path.dirname(require.resolve('mocha/package.json')), 'bin/mocha.js');

// What is different each time: durations, and where this folder is. Frames are named differently by engines.
const plain = (text) => text.replaceAll(`${__dirname}/`, '').replace(/ \(\d+m?s\)/g, '').replace(/"duration": ?\d+/g, '"duration":0')
  .replace(/"(start|end)": "[^"]*"/g, '"$1": "then"').split('\n').filter((line) => line.trim() && !/^\s+at .*(:\d+:\d+|<anonymous>)\)?( \{)?$/.test(line)).join('\n')
  .replace(/: \d+ms$/gm, ': N ms').replace(/(?<=- |\[ ')\S+(?=node_modules)/g, '')
  // Whether a list fits into a line depends on where this folder is.
  .replace(/requireStack: \[\s+('.*')\s+\]/g, 'requireStack: [ $1 ]');

function run(...words) {
  // Files that are tested at the same time come in any order.
  const sorted = (text) => (words.includes('--parallel') ? text.split('\n').sort().join('\n') : text);
  return new Promise((resolve) => {
    log('$ mocha', words.map((word) => path.basename(word)).join(' '));
    const child = spawn(process.execPath, [command, '--no-config', ...words], { cwd: __dirname, env: { ...process.env, FORCE_COLOR: '0' } });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
    child.stderr.setEncoding('utf8').on('data', (text) => { err += text; });
    child.on('close', (code, signal) => {
      log(sorted(plain(out)));
      if (err) log('stderr', plain(err));
      log('exit', code, signal);
      resolve(out);
    });
  });
}

async function main() {
  const stack = path.join(files, 'stack.cjs');
  const module = path.join(files, 'module.spec.mjs');
  await run(stack);
  await run('--reporter', 'tap', '--grep', 'stack', stack, module);
  await run('--reporter', 'dot', '--bail', '--grep', 'failures', stack);
  await run('--reporter', 'min', '--forbid-pending', module);
  await run('--reporter', 'json', module).then((text) => log(JSON.parse(text).tests.map((test) => [test.fullTitle, test.err])));
  await run('--dry-run', '--sort', '--invert', '--fgrep', 'fail', stack, module);
  await run('--parallel', '--jobs', '2', '--reporter', 'list', '--grep', 'modules|sums', stack, module);
  await run('no-such-file.js');
  await run('--reporter', 'nonesuch', stack);

  // In this process, with tests that are made on the way.
  const mocha = new Mocha({ reporter: class { constructor(runner) {
    for (const [name, event] of Object.entries(Runner.constants).sort()) {
      if (/^(test|suite|hook)( end)?$|^(pass|fail|start|end)$/.test(event)) runner.on(event, (what) => log(name, what?.title ?? ''));
    }
  } } });
  const suite = Mocha.Suite.create(mocha.suite, 'made');
  suite.addTest(new Mocha.Test('by hand', () => new Promise((resolve) => setTimeout(resolve, 3))));
  suite.addTest(new Mocha.Test('and fails', () => { throw new Error('as it should'); }));
  suite.afterAll('tidy', () => {});
  mocha.run((failures) => log('failures', failures));
}

main();
