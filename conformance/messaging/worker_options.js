// Options of workers: `execArgv`, and NODE_OPTIONS of their environment with quotes, escapes and wrong words.
'use strict';
const { Worker } = require('worker_threads');
const fs = require('fs');
const { join } = require('path');

const folder = fs.mkdtempSync(join(require('os').tmpdir(), 'options '));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const file = join(folder, 'pre "load".js');
fs.writeFileSync(file, 'globalThis.preloaded = true;');

const code = `require('worker_threads').parentPort.postMessage([process.execArgv, process.traceDeprecation, process.noDeprecation,
  process.sourceMapsEnabled, require('http').maxHeaderSize, globalThis.preloaded])`;

function run(label, options) {
  return new Promise((resolve) => {
    let worker;
    try {
      worker = new Worker(code, { eval: true, ...options });
    } catch (error) {
      console.log(label, error.code, error.message.trim());
      return resolve();
    }
    worker.on('message', (message) => console.log(label, JSON.stringify(message).replaceAll(JSON.stringify(folder).slice(1, -1), 'FOLDER')));
    worker.on('error', (error) => console.log(label, error.code));
    worker.on('exit', resolve);
  });
}

const quoted = file.replaceAll('"', '\\"');
const variables = [
  '', '  ', '--no-deprecation  --trace-deprecation', `--require "${quoted}"`, `--require="${quoted}"`, `"--require=${quoted}"`, `-r "${quoted}"`,
  '"', '--require "x', '"\\', '--require', '--require=', '--require ""', '--require - ', '--require --no-warnings', '--unknown', '--unknown=1',
  'word', '-', '--', '"" ""', '--enable-source-maps', '--enable-source-maps --no-enable-source-maps', '--no_deprecation', '--expose-gc',
  '--max-old-space-size=50', '--max-http-header-size=100', '-e 1', '--eval=1', '--no-require', '\t--no-deprecation',
  '--unhandled-rejections=warn', '--unhandled-rejections=bad', '--input-type=bad', '--harmony',
];
const lists = [
  [], ['--no_deprecation'], ['--require', file], [`--require=${file}`], ['-r', file], ['--require'], ['--require='], ['--require', '-'],
  ['--require', '--no-warnings'], ['--unknown'], ['--unknown=1', '--bad'], ['--title=x'], ['--title', 'x'], ['x'], ['x', '--bad'], ['-'],
  ['--'], ['--no-deprecation', '--', '--bad'], [''], [1], [null], ['--enable-source-maps'], ['--max-http-header-size', '100'],
  ['--max-http-header-size=100'], ['--no-require'], ['--input-type=bad'], ['--unhandled-rejections=bad'], ['--expose-gc'],
];
(async () => {
  for (const text of variables) await run(JSON.stringify(text).replaceAll(JSON.stringify(JSON.stringify(folder).slice(1, -1)).slice(1, -1), 'FOLDER'), { env: { NODE_OPTIONS: text } });
  for (const list of lists) await run(JSON.stringify(list).replaceAll(folder, 'FOLDER'), { execArgv: list });
})();
