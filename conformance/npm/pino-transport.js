// pino's transports: worker threads that write files, format, and end with the program.
'use strict';
const pino = require('pino');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { once } = require('events');

const log = (...words) => console.log(...words);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-pino-transport-'));
const at = (name) => path.join(folder, name);
const fixed = { timestamp: () => ',"time":1', base: null };
// A transport of one's own: a module that gives a stream, run in a worker.
fs.writeFileSync(at('shout.cjs'), `
  const { Writable } = require('stream');
  const fs = require('fs');
  const { isMainThread, threadId } = require('worker_threads');
  module.exports = async ({ file }) => {
    await new Promise(setImmediate);
    return new Writable({
      write(chunk, encoding, done) {
        for (const line of String(chunk).trimEnd().split('\\n')) fs.appendFileSync(file, JSON.parse(line).msg.toUpperCase() + '\\n');
        done();
      },
      final(done) { fs.appendFileSync(file, 'final ' + isMainThread + ' ' + (threadId > 0) + '\\n'); done(); },
    });
  };
`);

async function main() {
  // The workers alone do not keep the program alive.
  const alive = setInterval(() => {}, 1000);
  const transport = pino.transport({
    targets: [
      { target: 'pino/file', level: 'debug', options: { destination: at('all.log'), mkdir: true } },
      { target: 'pino/file', level: 'error', options: { destination: at('errors.log') } },
    ],
  });
  const logger = pino({ ...fixed, level: 'debug' }, transport);
  for (let n = 0; n < 200; n++) logger[n % 50 === 0 ? 'error' : 'info']({ n }, `line ${n}`);
  await new Promise((resolve) => logger.flush(resolve));
  transport.end();
  await once(transport, 'close');
  const lines = (name) => fs.readFileSync(at(name), 'utf8').trimEnd().split('\n');
  log(lines('all.log').length, lines('all.log')[199], lines('errors.log'));

  const own = pino.transport({ target: at('shout.cjs'), options: { file: at('shouted') } });
  const shouting = pino(fixed, own);
  await once(own, 'ready');
  shouting.info('quiet words');
  shouting.warn('more of them');
  own.end();
  await once(own, 'close');
  log(lines('shouted'));
  const missing = pino.transport({ target: at('none.cjs') });
  const [error] = await once(missing, 'error');
  log(error.code ?? error.name);
  clearInterval(alive);
  fs.rmSync(folder, { recursive: true });
}

main();
