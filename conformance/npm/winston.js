// winston: formats, levels, children, transports to the console and to files that rotate, streams, and what is thrown.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const winston = require('winston');

const { format, transports } = winston;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'winston-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const file = path.join(folder, 'all.log');

const logger = winston.createLogger({
  level: 'debug',
  defaultMeta: { service: 'test' },
  format: format.combine(format.errors({ stack: false }), format.splat(), format.label({ label: 'L' }), format.json()),
  transports: [
    new transports.Console(),
    new transports.Console({ level: 'error', format: format.combine(format.colorize(), format.simple()) }),
    new transports.File({ filename: file, format: format.printf(({ level, message, ...rest }) => `${level} ${message} ${JSON.stringify(rest)}`) }),
    new transports.File({ filename: path.join(folder, 'small.log'), maxsize: 120, maxFiles: 2 }),
  ],
});
logger.info('hello %s, %d', 'you', 7, { a: [1] });
logger.error(new Error('went wrong'));
logger.warn('with more', { cause: 'known' });
logger.child({ request: 1 }).debug('child');
logger.log({ level: 'info', message: 'object', deep: { er: new Map([[1, 2]]) } });
logger.silly('not told');
console.log(logger.isDebugEnabled(), logger.isSillyEnabled(), logger.isLevelEnabled('info'));
const custom = winston.createLogger({ levels: { loud: 0, soft: 1 }, level: 'loud', format: format.cli({ levels: { loud: 0, soft: 1 }, colors: { loud: 'red', soft: 'blue' } }), transports: [new transports.Console()] });
custom.loud('loud');
custom.soft('soft');
const pretty = winston.createLogger({ format: format.combine(format.ms(), format((info) => (info.skip ? false : { ...info, ms: 'N' }))(), format.prettyPrint()), transports: [new transports.Stream({ stream: process.stdout })] });
pretty.info('kept', { nested: { list: ['x', null] } });
pretty.info('skipped', { skip: true });

logger.on('finish', async () => {
  const { setTimeout: after } = require('timers/promises');
  while (!fs.existsSync(file) || fs.readFileSync(file, 'utf8').split('\n').length < 6) await after(5);
  console.log(fs.readFileSync(file, 'utf8'));
  winston.createLogger({ exitOnError: false, transports: [new transports.Console({ handleExceptions: true, format: format.printf(({ level, message }) => `${level} ${message.split('\n')[0]}`) })] });
  setImmediate(() => { throw new Error('nobody caught'); });
});
logger.end();
