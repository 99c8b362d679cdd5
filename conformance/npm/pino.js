// pino: levels, children, serializers, redaction, mixins, several targets, a file of its own thread-free writer.
'use strict';
const pino = require('pino');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Writable } = require('stream');

const log = (...words) => console.log(...words);
const fixed = { timestamp: () => ',"time":1', base: { app: 'shop' } };

// To standard output, as a program has it: synchronous, in order with what the console writes.
const logger = pino({ ...fixed, level: 'debug' }, pino.destination({ fd: 1, sync: true }));
logger.info('hello');
logger.trace('not seen');
logger.debug({ a: 1, nested: { list: [1, 'two', null, undefined] } }, 'with %s and %d and %j', 'text', 42, { x: [1] });
logger.warn({ date: new Date(0), big: 12n.toString(), re: /x/, fn() {}, symbol: Symbol('s'), nan: NaN, infinity: -Infinity });
log('between', logger.level, logger.levelVal, logger.isLevelEnabled('trace'));

const child = logger.child({ request: 7 }, { level: 'warn', msgPrefix: '[http] ' });
child.info('not seen');
const failure = new RangeError('out of it');
failure.stack = `${failure}\n    at somewhere`;
child.error(failure, 'failed');
child.child({ deeper: true }).fatal('the end');
log(child.bindings(), child.isLevelEnabled('info'));

// Into a stream: what is written can be read as JSON.
const lines = [];
const sink = new Writable({ write(chunk, encoding, done) { lines.push(...String(chunk).trimEnd().split('\n').map((line) => JSON.parse(line))); done(); } });
const full = pino({
  ...fixed,
  name: 'full',
  messageKey: 'message',
  errorKey: 'failure',
  customLevels: { audit: 35 },
  formatters: { level: (label, number) => ({ level: label, number }), bindings: ({ app, ...rest }) => rest, log: (object) => ({ ...object, formatted: true }) },
  serializers: { user: (user) => ({ id: user.id }), failure: pino.stdSerializers.err },
  redact: { paths: ['password', 'cards[*].number', 'headers["x-key"]'], censor: '***' },
  mixin: (object, level) => ({ mixed: level }),
  hooks: { logMethod(words, method) { method.apply(this, words.length > 2 ? [words[0], words.slice(1).join('+')] : words); } },
}, sink);
full.audit({ user: { id: 3, secret: 'x' } }, 'audited');
full.info({ password: 'p', cards: [{ number: 1, name: 'a' }, { number: 2 }], headers: { 'x-key': 'k', host: 'h' } });
full.info({}, 'one', 'two', 'three');
const cause = new Error('below');
full.error({ failure: new TypeError('above', { cause }), extra: 1 }, 'broken');
for (const line of lines) {
  if (line.failure) line.failure.stack = line.failure.stack.split('\n').length > 3;
  log(line);
}
log(full.levels.values.audit, full.version === pino.version, typeof pino.symbols.serializersSym);

// Circular things, and what cannot be made into JSON.
const round = { name: 'round' };
round.self = round;
logger.info({ round });
try {
  logger.info({ get bad() { throw new Error('of a getter'); } });
} catch (error) {
  log('thrown', error.message);
}
log(pino.stdSerializers.err(Object.assign(new Error('x'), { code: 'E' })).code, pino.stdTimeFunctions.nullTime() === '');

// Several targets of different levels, and a file.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-pino-'));
const file = path.join(folder, 'deep', 'app.log');
const destination = pino.destination({ dest: file, mkdir: true, sync: false, minLength: 4096 });
const seen = [];
const errors = new Writable({ write(chunk, encoding, done) { seen.push(JSON.parse(chunk).msg); done(); } });
const many = pino({ ...fixed, level: 'debug' }, pino.multistream([{ level: 'debug', stream: destination }, { level: 'error', stream: errors }]));
destination.on('ready', () => log('ready'));
for (let at = 0; at < 500; at++) many[at % 100 === 0 ? 'error' : 'debug']({ at }, `line ${at}`);
log(seen);
destination.on('close', () => {
  const written = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  log('written', written.length, written.every((line, at) => line.at === at), written[499]);
  fs.rmSync(folder, { recursive: true });
});
destination.flush((error) => {
  log('flushed', error ?? 'well');
  destination.reopen();
  destination.once('ready', () => { log('reopened'); destination.end(); });
});
