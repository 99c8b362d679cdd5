'use strict';
// `internal/child_process`: the functions that create child processes, under Node's names. Packages monkey-patch them.

const { Buffer } = require('buffer');
const errors = require('internal/errors');
const { signalName, nativeSpawnOptions } = require('internal/child_process/arguments');
const { plain } = require('internal/child_process/stdio');
const { defineLazyProperties } = require('internal/util');

// The object of `process.binding('spawn_sync')`.
const binding = { spawn: (spawnOptions) => native.spawnSync(spawnOptions) };

// Runs a child synchronously, with validated options.
function spawnSync(options) {
  const spawnOptions = nativeSpawnOptions(options, options.stdio.map((item) => plain(item, true)));
  spawnOptions.killSignal = options.killSignal;
  spawnOptions.timeout = options.timeout ?? undefined;
  spawnOptions.maxBuffer = options.maxBuffer ?? undefined;
  return resultOf(binding.spawn(spawnOptions), options);
}

function resultOf({ error, status, signal, output, pid }, { file, args, encoding }) {
  const result = {};
  if (error !== undefined) {
    result.error = errors.errnoException(error, `spawnSync ${file}`);
    result.error.path = file;
    result.error.spawnargs = args.slice(1);
  }
  result.status = signal || status === undefined ? null : status;
  result.signal = signal ? signalName(signal) : null;
  result.output = output?.map((bytes) => {
    if (bytes === null) return null;
    bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
  }) ?? null;
  result.pid = pid ?? 0;
  result.stdout = result.output?.[1];
  result.stderr = result.output?.[2];
  return result;
}

module.exports = { binding, spawnSync };
defineLazyProperties(module.exports, 'internal/child_process/channel', ['kChannelHandle']);
defineLazyProperties(module.exports, 'internal/child_process/child', ['ChildProcess']);
