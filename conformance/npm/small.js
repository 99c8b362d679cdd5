// debug, dotenv, minimist, chalk, uuid and nanoid: what small programs start with, each in a child with its own environment.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const log = (...words) => console.log(...words);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-debug-'));
const run = (code, env = {}, ...words) => {
  const ran = spawnSync(process.execPath, ['-e', code, '--', ...words], { cwd: __dirname, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
  log(ran.status, JSON.stringify(ran.stdout), JSON.stringify(ran.stderr.replace(/\+\d+ms/g, '+Nms').replace(/^\S+Z /gm, 'WHEN ')));
};

const debugging = `
  const debug = require('debug');
  const one = debug('app:one'), two = debug('app:two'), deep = one.extend('deep');
  one('plain %s %d %o %%', 'text', 7, { a: [1] });
  two('second'); deep(new Error('gone').message); debug('other')({ x: 1, y: 'z' });
  console.log([one, two, deep].map((each) => each.enabled), debug.enabled('app:x'));
  debug.enable('only'); console.log(one.enabled, debug.disable());
`;
run(debugging);
run(debugging, { DEBUG: 'app:*,-app:two' });
run(debugging, { DEBUG: '*', DEBUG_COLORS: 'yes', DEBUG_HIDE_DATE: 'yes' });

fs.writeFileSync(path.join(folder, '.env'), 'A=1\nB="two\\nlines" # note\nC=\'single $A\'\nexport D = spaced \nE=\nPATH=kept\n# F=no\nG="a\nb"\n');
run(`
  const { parsed, error } = require('dotenv').config({ path: process.argv.at(-1), quiet: true });
  console.log(parsed, error, process.env.A, process.env.PATH !== 'kept');
  console.log(require('dotenv').config({ path: '/none/such', quiet: true }).error.code, require('dotenv').parse('X=1\\nY: 2'));
`, { A: 'set before' }, path.join(folder, '.env'));
run(`
  const argv = require('minimist')(process.argv.slice(1), { string: ['s'], boolean: ['b'], alias: { v: 'verbose' }, default: { d: 4 }, '--': true });
  console.log(JSON.stringify(argv));
`, {}, '-abc', '--name=x', '--s', '007', '-n5', '--no-color', '--list', '1', '--list', '2', '-v', 'rest', '--deep.er', 'y', '--', '-z');
const colours = `
  import('chalk').then(({ default: chalk, chalkStderr, supportsColor }) => {
    console.log(chalk.red('red') + chalk.bgHex('#123456').bold.underline('all') + chalk.rgb(1, 2, 3)\`t \${7}\`, chalk.level, chalkStderr.level, supportsColor);
    console.log(chalk.green('a', chalk.inverse('b'), 'c\\nd'), chalk.visible('seen'), chalk.ansi256(99)('x'));
  });
`;
for (const env of [{}, { FORCE_COLOR: '1' }, { FORCE_COLOR: '3' }, { NO_COLOR: '1' }]) run(colours, env);
run(`
  const { v1, v3, v4, v5, v6, v7, validate, version, parse, stringify, NIL } = require('uuid');
  const random = Uint8Array.from({ length: 16 }, (_, at) => at * 16);
  console.log(v3('x.test', v3.DNS), v5('x.test', v5.URL), v4({ random: random.slice() }), v1({ random: random.slice(), msecs: 1e12, nsecs: 5, clockseq: 7, node: random.slice(0, 6) }), v6({ random: random.slice(), msecs: 1e12 }), v7({ random: random.slice(), msecs: 1e12, seq: 9 }));
  console.log(validate(v4()), version(v7()), new Set(Array.from({ length: 1000 }, () => v4())).size, parse(NIL), stringify(random), validate('no'));
  import('nanoid').then(({ nanoid, customAlphabet, customRandom, urlAlphabet }) => {
    console.log(nanoid().length, nanoid(5).length, /^[ab]{8}$/.test(customAlphabet('ab', 8)()), customRandom('abcdef', 6, (size) => new Uint8Array(size).map((_, at) => at))(), urlAlphabet.length);
  });
`);
fs.rmSync(folder, { recursive: true });
