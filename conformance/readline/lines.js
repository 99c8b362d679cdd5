'use strict';
// Lines of streams that are no terminals: their ends, the iterator, questions, closing.
const { PassThrough, Readable, Writable } = require('stream');
const readline = require('readline');
const { createInterface: promised, Readline } = require('readline/promises');
const { promisify } = require('util');

const log = (...args) => console.log(...args);
const later = () => new Promise(setImmediate);

function lines(chunks, options) {
  return new Promise((done) => {
    const got = [];
    const input = new PassThrough();
    const rl = readline.createInterface({ input, ...options });
    for (const event of ['pause', 'resume', 'close']) rl.on(event, () => got.push(`(${event})`));
    rl.on('line', (line) => got.push(line));
    rl.on('close', () => done(got));
    for (const chunk of chunks) input.write(chunk);
    input.end();
  });
}

const output = () => {
  const stream = new Writable({ write(chunk, encoding, done) { this.text += chunk; done(); } });
  stream.text = '';
  return stream;
};

(async () => {
  log(await lines(['a\nb\r\nc\rd']));
  log(await lines(['a\r', '\nb\r', 'c\n\n', '\n']));
  log(await lines(['', 'no end']));
  log(await lines([Buffer.from([0xe2, 0x82]), Buffer.from([0xac, 0x0a])]));
  log(await lines(['x\u2028y\u2029z\n']));

  log('-- iterator');
  const seen = [];
  for await (const line of readline.createInterface({ input: Readable.from(['1\n2\n', '3\n4']) })) {
    seen.push(line);
    if (line === '3') break;
  }
  log(seen);

  log('-- question');
  const input = new PassThrough();
  const out = output();
  const rl = readline.createInterface({ input, output: out });
  rl.question('who? ', (answer) => log('answer', answer));
  input.write('me\nnot asked\n');
  rl.on('line', (line) => log('line', line));
  await later();
  log(JSON.stringify(out.text), rl.getPrompt(), rl.terminal, rl.closed, rl.line, rl.cursor);
  const asked = promisify(rl.question).call(rl, 'promised? ');
  input.write('yes\n');
  log(await asked);
  const controller = new AbortController();
  rl.question('never? ', { signal: controller.signal }, () => log('not called'));
  controller.abort();
  await later();
  await promisify(rl.question).call(rl, 'x', { signal: AbortSignal.abort() }).catch((error) => log(error.name, error.code));
  rl.close();
  try {
    rl.question('closed', () => {});
  } catch (error) {
    log(error.code, error.message);
  }
  log(JSON.stringify(out.text));

  log('-- promises');
  const input2 = new PassThrough();
  const out2 = output();
  const rl2 = promised({ input: input2, output: out2 });
  const first = rl2.question('one ');
  input2.write('1\n');
  log(await first);
  const ac = new AbortController();
  const second = rl2.question('two ', { signal: ac.signal });
  ac.abort('why');
  await second.catch((error) => log(error.name, error.code, error.cause));
  rl2.close();
  await rl2.question('three').catch((error) => log(error.code));
  log(JSON.stringify(out2.text));

  log('-- Readline');
  const out3 = output();
  const plan = new Readline(out3);
  log(await plan.cursorTo(1, 2).moveCursor(-1, 3).clearLine(0).clearLine(-1).clearLine(1).clearScreenDown().cursorTo(5).commit());
  log(JSON.stringify(out3.text));
  plan.clearScreenDown().rollback();
  await plan.commit();
  log(JSON.stringify(out3.text));
  for (const call of [() => new Readline({}), () => plan.cursorTo('x'), () => plan.clearLine(3), () => new Readline(out3, { autoCommit: 1 })]) {
    try {
      call();
    } catch (error) {
      log(error.code, error.message);
    }
  }

  log('-- options');
  for (const options of [{ completer: 1 }, { history: 1 }, { historySize: -1 }, { historySize: 'x' }, { tabSize: 0 }, { tabSize: 1.5 },
    { escapeCodeTimeout: NaN }, { signal: 1 }]) {
    try {
      readline.createInterface({ input: new PassThrough(), ...options });
    } catch (error) {
      log(error.name, error.code, error.message);
    }
  }
  const closer = new AbortController();
  const rl4 = readline.createInterface({ input: new PassThrough(), signal: closer.signal });
  rl4.on('close', () => log('closed by its signal'));
  closer.abort();
  readline.createInterface({ input: new PassThrough(), signal: AbortSignal.abort() }).on('close', () => log('closed by a tick'));
  log('sync');
  await later();
  const failing = new PassThrough();
  readline.createInterface({ input: failing }).on('error', (error) => log('error', error.message));
  failing.destroy(new Error('of the input'));
  log(Object.keys(readline).sort().join(), Object.keys(require('readline/promises')).sort().join());
})();
