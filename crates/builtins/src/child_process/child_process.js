'use strict';
// The `child_process` module: spawn, exec, execFile, fork and their synchronous versions.

const process = require('process');
const { Buffer } = require('buffer');
const {
  AbortError, ERR_CHILD_PROCESS_IPC_REQUIRED, ERR_CHILD_PROCESS_STDIO_MAXBUFFER, genericNodeError,
} = require('internal/errors');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const { called } = require('internal/scheduler/trace');
const {
  checkMaxBuffer, checkText, checkTexts, checkTimeout, execFileOptions, execOptions, kMaxBuffer, killSignalOf, spawnOptions,
} = require('internal/child_process/arguments');
const { ChildProcess } = require('internal/child_process/child');
const { validateAbortSignal, validateArray, validateObject } = require('internal/validators');

function tryKill(child, signal, error) {
  try {
    if (child.kill(signal) && error) child.emit('error', error());
  } catch (thrown) {
    child.emit('error', thrown);
  }
}

function spawn(file, args, options) {
  options = spawnOptions(file, args, options);
  checkTimeout(options.timeout);
  validateAbortSignal(options.signal, 'options.signal');
  const killSignal = killSignalOf(options.killSignal);
  const child = new ChildProcess();
  child.spawn(options);

  if (options.timeout > 0) {
    const timer = setTimeout(() => tryKill(child, killSignal), options.timeout);
    child.once('exit', () => clearTimeout(timer));
  }

  const { signal } = options;
  if (signal) {
    const onAbort = () => tryKill(child, killSignal, () => new AbortError(undefined, { cause: signal.reason }));
    if (signal.aborted) {
      process.nextTick(onAbort);
    } else {
      const disposable = require('events').addAbortListener(signal, onAbort);
      child.once('exit', disposable[Symbol.dispose]);
    }
  }
  return child;
}

// Collects the output of one stream for `execFile`.
class Output {
  #chunks = [];
  #bytes = 0;

  constructor(stream, name, encoding, maxBuffer, onfull) {
    this.stream = stream;
    if (!stream) return;
    if (encoding) stream.setEncoding(encoding);
    stream.on('data', (chunk) => {
      const { readableEncoding } = stream;
      const length = readableEncoding ? Buffer.byteLength(chunk, readableEncoding) : chunk.length;
      this.#bytes += length;
      if (this.#bytes <= maxBuffer) {
        this.#chunks.push(chunk);
        return;
      }
      this.#chunks.push(chunk.slice(0, maxBuffer - (this.#bytes - length)));
      onfull(new ERR_CHILD_PROCESS_STDIO_MAXBUFFER(name));
    });
  }

  all(encoding) {
    return encoding || this.stream?.readableEncoding ? this.#chunks.join('') : Buffer.concat(this.#chunks);
  }
}

function execFile(file, args, options, callback) {
  ({ file, args, options, callback } = execFileOptions(file, args, options, callback));
  options = {
    __proto__: null, encoding: 'utf8', timeout: 0, maxBuffer: kMaxBuffer, killSignal: 'SIGTERM',
    cwd: null, env: null, shell: false, ...options,
  };
  checkTimeout(options.timeout);
  checkMaxBuffer(options.maxBuffer);
  options.killSignal = killSignalOf(options.killSignal);

  const { cwd, env, gid, shell, signal, uid } = options;
  const child = spawn(file, args, {
    cwd, env, gid, shell, signal, uid,
    windowsHide: Boolean(options.windowsHide),
    windowsVerbatimArguments: Boolean(options.windowsVerbatimArguments),
  });

  const encoding = options.encoding !== 'buffer' && Buffer.isEncoding(options.encoding) ? options.encoding : null;
  let error = null;
  let isKilled = false;
  let isOver = false;
  let timer;

  function over(code, signal) {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (!callback) return;
    const out = stdout.all(encoding);
    const err = stderr.all(encoding);
    if (!error && code === 0 && signal === null) {
      called(callback)(null, out, err);
      return;
    }
    const cmd = args.length > 0 ? `${file} ${args.join(' ')}` : file;
    error ||= genericNodeError(`Command failed: ${cmd}\n${err}`, {
      code: code < 0 ? require('util').getSystemErrorName(code) : code,
      killed: child.killed || isKilled,
      signal,
    });
    error.cmd = cmd;
    called(callback)(error, out, err);
  }

  function leave() {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }

  function kill() {
    leave();
    isKilled = true;
    try {
      child.kill(options.killSignal);
    } catch (thrown) {
      error = thrown;
      over();
    }
  }

  function full(reason) {
    error = reason;
    kill();
  }

  if (options.timeout > 0) timer = setTimeout(kill, options.timeout);
  const stdout = new Output(child.stdout, 'stdout', encoding, options.maxBuffer, full);
  const stderr = new Output(child.stderr, 'stderr', encoding, options.maxBuffer, full);
  child.addListener('close', over);
  child.addListener('error', (reason) => {
    error = reason;
    leave();
    over();
  });
  return child;
}

function exec(command, options, callback) {
  ({ options, callback } = execOptions(command, options, callback));
  return module.exports.execFile(command, options, callback);
}

// Spawns this runtime with an IPC channel.
function fork(modulePath, args = [], options) {
  const { toPath } = require('internal/fs/arguments');
  modulePath = toPath(modulePath, 'modulePath');
  if (args === null || args === undefined) {
    args = [];
  } else if (typeof args === 'object' && !Array.isArray(args)) {
    options = args;
    args = [];
  } else {
    validateArray(args, 'args');
  }
  if (options !== undefined && options !== null) validateObject(options, 'options');
  options = { __proto__: null, ...options, shell: false };
  options.execPath ||= process.execPath;
  checkText(options.execPath, 'options.execPath');
  const execArgv = options.execArgv || withoutCode(process.execArgv);
  checkTexts(execArgv, 'options.execArgv');

  const { fromWord } = require('internal/child_process/stdio');
  if (typeof options.stdio === 'string') {
    options.stdio = fromWord(options.stdio, 'ipc');
  } else if (!Array.isArray(options.stdio)) {
    options.stdio = fromWord(options.silent ? 'pipe' : 'inherit', 'ipc');
  } else if (!options.stdio.includes('ipc')) {
    throw new ERR_CHILD_PROCESS_IPC_REQUIRED('options.stdio');
  }
  return spawn(options.execPath, [...execArgv, modulePath, ...args], options);
}

// Removes `-e code` from the arguments: otherwise the child would also run the code, and fork again.
function withoutCode(execArgv) {
  const at = process._eval === undefined ? -1 : execArgv.lastIndexOf(process._eval);
  return at > 0 ? execArgv.toSpliced(at - 1, 2) : execArgv;
}

// The promisified versions resolve to both outputs, and their promise has a `child` property.
for (const call of [exec, execFile]) {
  Object.defineProperty(call, Symbol.for('nodejs.util.promisify.custom'), {
    __proto__: null,
    enumerable: false,
    value: Object.defineProperty((...args) => {
      const { promise, resolve, reject } = Promise.withResolvers();
      promise.child = call(...args, (error, stdout, stderr) => {
        if (error === null) resolve({ stdout, stderr });
        else reject(Object.assign(error, { stdout, stderr }));
      });
      return promise;
    }, 'name', { __proto__: null, value: call.name }),
  });
}

module.exports = {
  _forkChild(fd, serialization) { require('internal/child_process/channel').setupFork(fd, serialization); },
  ChildProcess,
  exec,
  execFile,
  execFileSync(file, args, options) { return require('internal/child_process/sync').execFileSync(file, args, options); },
  execSync(command, options) { return require('internal/child_process/sync').execSync(command, options); },
  fork,
  spawn,
  spawnSync(file, args, options) { return require('internal/child_process/sync').spawnSync(file, args, options); },
};
