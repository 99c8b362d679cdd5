// commander: a program with subcommands, options of every kind, help, errors, and a subcommand that is a program of its own.
'use strict';
const { Command, Option, Argument, InvalidArgumentError, CommanderError } = require('commander');
const fs = require('fs');
const os = require('os');
const path = require('path');

const log = (...words) => console.log(...words);

function build() {
  const program = new Command('deploy');
  program
    .description('sends things to places')
    .version('3.1.4', '-V, --version', 'say the version')
    .option('-v, --verbose', 'say more, may be repeated', (_, count) => count + 1, 0)
    .option('--no-color', 'no colours')
    .addOption(new Option('-l, --level <level>', 'how much').choices(['low', 'high']).default('low'))
    .addOption(new Option('-p, --port <number>', 'port').env('DEPLOY_PORT').argParser((text) => {
      const port = Number(text);
      if (!Number.isInteger(port)) throw new InvalidArgumentError('Not a whole number.');
      return port;
    }))
    .configureOutput({ writeOut: (text) => log(`[out] ${text.trimEnd()}`), writeErr: (text) => log(`[err] ${text.trimEnd()}`), getOutHelpWidth: () => 70, getErrHelpWidth: () => 70 })
    .showHelpAfterError('(try --help)')
    .exitOverride();
  program
    .command('push').alias('p')
    .description('send files to a place; the description is long enough that it has to be wrapped in the help')
    .argument('<place>', 'where to')
    .argument('[files...]', 'what to send', ['.'])
    .option('-n, --dry-run', 'only say what would be done')
    .option('-t, --tag <tag...>', 'tags')
    .hook('preAction', (self, action) => log('before', action.name()))
    .action(async (place, files, options, command) => {
      await new Promise(setImmediate);
      log('push', place, files, options, command.optsWithGlobals());
    });
  program
    .command('list', { isDefault: true })
    .addArgument(new Argument('[what]', 'kind of thing').choices(['all', 'new']).default('all', 'everything'))
    .option('-d, --depth <n>', 'how deep', Number.parseFloat, 1.5)
    .action((what, options) => log('list', what, options));
  const remote = program.command('remote').description('places');
  remote.command('add <name> <url>').action((name, url) => log('remote add', name, url));
  remote.command('rm').argument('<name>').option('-f, --force').action((name, options) => log('remote rm', name, options));
  return program;
}

async function run(...words) {
  log('$', words.join(' '));
  try {
    await build().parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    log('ended', error.code, error.exitCode);
  }
}

async function main() {
  await run('push', 'here', 'a.txt', 'b.txt', '-n', '--tag', 'x', 'y', '-vv');
  await run('p', 'here', '-t=z', '--no-color', '--level', 'high');
  await run();
  await run('new', '-d', '2.25', '-p8080');
  process.env.DEPLOY_PORT = '99';
  await run('remote', 'rm', 'origin', '-f');
  await run('remote', 'add', 'origin', 'file:///srv', '-v');
  delete process.env.DEPLOY_PORT;
  await run('--version');
  await run('--help');
  await run('push', '--help');
  await run('help', 'remote');
  await run('push');
  await run('pusj', 'x');
  await run('--level', 'middle');
  await run('--port', 'eighty');
  await run('list', 'old');
  await run('push', 'here', '--dry-rum');
  await run('remote', 'add', 'only');

  // A subcommand that is a file: it is spawned, with our descriptors.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-commander-'));
  fs.writeFileSync(path.join(folder, 'tool-build.js'), 'process.stdout.write(`build got ${process.argv.slice(2)}\\n`); process.exitCode = 4;');
  const tool = new Command('tool').executableDir(folder).exitOverride((error) => {
    log('tool ended', error.code, error.exitCode);
    fs.rmSync(folder, { recursive: true });
  });
  tool.command('build [target]', 'builds');
  tool.parse(['build', 'fast', '--quick'], { from: 'user' });
}

main();
