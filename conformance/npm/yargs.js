// yargs: commands, coercion, groups, middleware, strictness, help and failures.
'use strict';
const yargs = require('yargs');
const fs = require('fs');
const os = require('os');
const path = require('path');

const log = (...words) => console.log(...words);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-yargs-'));
const config = path.join(folder, 'config.json');
fs.writeFileSync(config, JSON.stringify({ host: 'of the file', port: 7 }));

function build() {
  return yargs()
    .scriptName('ship')
    .locale('en')
    .usage('$0 <command> [options]')
    .wrap(72)
    .env('SHIP')
    .config('settings', 'a file of settings', (file) => JSON.parse(fs.readFileSync(file, 'utf8')))
    .option('port', { alias: 'p', type: 'number', default: 80, describe: 'where to listen', group: 'Network:' })
    .option('host', { type: 'string', describe: 'whom to listen for: a description that is too long for one line of help', group: 'Network:' })
    .option('verbose', { alias: 'v', type: 'count', describe: 'say more' })
    .option('tags', { type: 'array', coerce: (tags) => tags.map((tag) => String(tag).toUpperCase()) })
    .option('mode', { choices: ['fast', 'safe'], default: 'safe' })
    .middleware((argv) => { argv.seen = Object.keys(argv).length > 3; })
    .command(['serve [root]', 's'], 'serve a folder', (y) => y
      .positional('root', { describe: 'the folder', default: '.', normalize: true })
      .option('cors', { type: 'boolean', default: false })
      .check((argv) => { if (argv.port < 0) throw new Error('port is negative'); return true; }),
    async (argv) => { await new Promise((resolve) => setTimeout(resolve, 2)); log('serving', shown(argv)); })
    .command('copy <from> <to..>', 'copy things', (y) => y.option('dry', { type: 'boolean', conflicts: 'force' }).option('force', { type: 'boolean' }), (argv) => log('copying', shown(argv)))
    .command('fail', 'fails', {}, async () => { throw new TypeError('of a handler'); })
    .demandCommand(1, 'name a command')
    .strict()
    .recommendCommands()
    .epilogue('that is all')
    .example('$0 serve -p 90', 'another port')
    .version('9.8.7')
    .help()
    .exitProcess(false);
}

const shown = (argv) => Object.fromEntries(Object.entries(argv).filter(([key]) => key !== '$0' && key !== 'settings' && key.length > 1));

async function run(...words) {
  log('$', words.map((word) => path.basename(word)).join(' '));
  try {
    await build().parseAsync(words, {}, (error, argv, output) => {
      if (error) log('error:', error.name, error.message);
      if (output) log(output);
    });
  } catch (error) {
    log('rejected:', error.name, error.message);
  }
}

(async () => {
  await run('serve', 'a/../b', '--port=8080', '-vvv', '--tags', 'x', 'y');
  await run('s', '--no-cors', '--cors', '--mode', 'fast', '--settings', config);
  process.env.SHIP_HOST = 'of the environment';
  await run('serve');
  delete process.env.SHIP_HOST;
  await run('copy', 'a', 'b', 'c', '--dry');
  await run('copy', 'a', 'b', '--dry', '--force');
  await run('copy', 'a');
  await run('--help');
  await run('serve', '--help');
  await run('--version');
  await run();
  await run('servr');
  await run('serve', '--prot', '1');
  await run('serve', '--mode', 'slow');
  await run('serve', '--port', '-4');
  await run('fail');
  const parsed = yargs(['--a.b', '1', '--a.c=two', '-xyz', '--list', '1', '--list', '2', '--', '--raw']).help(false).version(false)
    .parserConfiguration({ 'populate--': true }).parseSync();
  log(JSON.stringify(parsed, (key, value) => (key === '$0' ? undefined : value)));
  const { default: parser } = await import('yargs-parser');
  log(parser('--long="with blanks" -n 7 --no-flag word', { number: ['n'], boolean: ['flag'] }));
  // Widths of wide characters, which the columns of help are made of.
  log(await yargs().scriptName('幅').locale('en').wrap(50).usage('日本語のヘルプ').option('宽度', { describe: '字符的宽度 👩‍👩‍👧 é́', type: 'number' }).version(false).getHelp());
  fs.rmSync(folder, { recursive: true });
})();
