'use strict';
// `spawnSync`, `execSync` and `execFileSync`.

const process = require('process');
const { Buffer } = require('buffer');
const inside = require('internal/child_process');
const errors = require('internal/errors');
const {
  checkMaxBuffer, checkTimeout, execFileOptions, execOptions, kMaxBuffer, killSignalOf, spawnOptions,
} = require('internal/child_process/arguments');
const { itemsOf } = require('internal/child_process/stdio');

function bytesOf(input, encoding, at) {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (typeof input === 'string') return Buffer.from(input, encoding);
  throw new errors.ERR_INVALID_ARG_TYPE(`options.stdio[${at}]`, ['Buffer', 'TypedArray', 'DataView', 'string'], input);
}

function spawnSync(file, args, options) {
  options = { __proto__: null, maxBuffer: kMaxBuffer, ...spawnOptions(file, args, options) };
  checkTimeout(options.timeout);
  checkMaxBuffer(options.maxBuffer);
  options.killSignal = killSignalOf(options.killSignal);
  const { list } = itemsOf(options.stdio || 'pipe', true);
  if (options.input) list[0] = { __proto__: null, ...list[0], input: options.input };
  for (let at = 0; at < list.length; at++) {
    const { input } = list[at];
    if (input !== undefined && input !== null) list[at].input = bytesOf(input, options.encoding, at);
  }
  options.stdio = list;
  return inside.spawnSync(options);
}

// The error that `execSync` and `execFileSync` throw; undefined on success.
function failure(result, command) {
  if (result.error) return Object.assign(result.error, result);
  if (result.status === 0) return undefined;
  let message = `Command failed: ${command}`;
  if (result.stderr && result.stderr.length > 0) message += `\n${result.stderr.toString()}`;
  return errors.genericNodeError(message, result);
}

// Without the option `stdio`, stderr of the child is written to stderr of this process.
function outputOf(result, command, stdio) {
  if (!stdio && result.stderr) process.stderr.write(result.stderr);
  const error = failure(result, command);
  if (error) throw error;
  return result.stdout;
}

function execFileSync(file, args, options) {
  ({ file, args, options } = execFileOptions(file, args, options));
  const { stdio, argv0 } = options;
  return outputOf(spawnSync(file, args, options), [argv0 || file, ...args].join(' '), stdio);
}

function execSync(command, options) {
  ({ options } = execOptions(command, options, null));
  const { stdio } = options;
  return outputOf(spawnSync(command, options), command, stdio);
}

module.exports = { execFileSync, execSync, spawnSync };
