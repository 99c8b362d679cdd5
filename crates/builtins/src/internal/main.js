'use strict';
// Runs what the command line selects: a script, `--eval` code, `--run`, `--check`, the REPL, or a worker. Exports the function that the native code
// calls after bootstrap.

const scheduler = require('internal/scheduler');

// `--trace-exit`: prints the stack of the call that ends the thread.
function traceExit(process) {
  const { reallyExit } = process;
  const { threadId } = scheduler.options();
  process.reallyExit = function(code) {
    const thread = threadId === 0 ? '' : `, thread:${threadId}`;
    const frames = new Error().stack.split('\n').slice(2).join('\n');
    process._rawDebug(`(node:${process.pid}${thread}) WARNING: Exited the environment with code ${code}\n${frames}\n`);
    reallyExit(code);
  };
}

// Applies the options that take effect before the script runs.
function prepare(process, options, isWorker = false) {
  const { has, value } = options;
  if (value('title') !== undefined && !isWorker) process.title = value('title');
  if (value('stack-trace-limit') !== undefined) Reflect.set(Error, 'stackTraceLimit', +value('stack-trace-limit'));
  if (has('deprecation') === false) process.noDeprecation = true;
  if (has('throw-deprecation')) process.throwDeprecation = true;
  if (has('trace-deprecation')) process.traceDeprecation = true;
  if (has('trace-warnings')) process.traceProcessWarnings = true;
  if (has('enable-source-maps')) require('internal/modules/source_maps').setSourceMapsEnabled(true);
  if (has('expose-gc')) {
    const { exposeInContexts, gc } = require('internal/gc');
    Object.defineProperty(globalThis, 'gc', {
      __proto__: null,
      value: gc, writable: true, configurable: true,
    });
    exposeInContexts(true);
  }
  if (has('trace-exit')) traceExit(process);
  // A worker already has the environment of its parent.
  if (isWorker) return;
  readEnvFiles(process);
}

// `--env-file` and `--env-file-if-exists`. Variables of the environment take precedence over the files, and later files over earlier ones.
function readEnvFiles(process) {
  const variables = {};
  for (const flag of scheduler.options().flags) {
    const match = /^--env-file(-if-exists)?=(.*)$/s.exec(flag);
    if (match === null) continue;
    const [, isOptional, file] = match;
    const found = require('internal/process/rare').variablesOf(file);
    if (typeof found !== 'number') {
      Object.assign(variables, found);
    } else if (isOptional) {
      process._rawDebug(`${file} not found. Continuing without it.`);
    } else {
      process._rawDebug(`${process.argv0}: ${file}: not found`);
      process.reallyExit(9);
    }
  }
  for (const name of Object.keys(variables)) process.env[name] ??= variables[name];
}

// Runs the `--eval` code, the script or the REPL.
function run(process, options, cjs) {
  const { eval: code, evalFile, print, args } = scheduler.options();
  if (options?.value('run') !== undefined) {
    require('internal/package_script').run(options.value('run'), args);
  } else if (evalFile === '[stdin]' && options?.has('check')) {
    require('internal/modules/check').checkInput(code, evalFile, options.value('input-type'));
  } else if (code !== undefined && code !== null) {
    // The prompt is created before the code of `--eval` runs (`lib/internal/main/repl.js`).
    if (options?.has('interactive')) require('internal/repl').start();
    if (evalFile === '[eval]') process._eval = code;
    require('internal/modules/eval').runCode(code, print, options?.value('input-type'), evalFile);
  } else if (options?.has('check')) {
    require('internal/modules/check').check(process.argv[1]);
  } else if (args.length > 0) {
    cjs.runMain(process.argv[1]);
  } else {
    if (options?.value('input-type') !== undefined) {
      process._rawDebug('Cannot specify --input-type for REPL');
      process.reallyExit(9);
    }
    require('internal/repl').start();
  }
}

// Applies the options of a worker. Returns a function that preloads modules and then runs the script of the worker. `isOfHooks`: the worker is the
// thread of module hooks, which ignores `--import` and `--experimental-loader`.
function prepareWorker(process, isOfHooks) {
  const options = scheduler.options().flags.length > 0 ? require('internal/options') : undefined;
  if (options) prepare(process, options, true);
  const cjs = require('internal/modules/cjs');
  return (run) => preload(process, options, cjs, () => run(cjs, options), isOfHooks);
}

// Loads the modules of `--require`, `--import` and `--experimental-loader`, then calls `then`.
function preload(process, options, cjs, then, isOfHooks = false) {
  const required = options?.values('require') ?? [];
  if (required.length > 0) {
    process._preload_modules = required;
    cjs.Module._preloadModules(required);
  }
  const [imports, loaders] = options === undefined || isOfHooks ? [[], []] :
    [options.values('import'), options.values('experimental-loader')];
  if (imports.length > 0 || loaders.length > 0) require('internal/modules/esm').preload(imports, loaders, then);
  else then();
}

module.exports = function main() {
  const process = require('process');
  const { eval: code, args, flags, channelFd, threadId } = scheduler.options();
  if (threadId !== 0) {
    require('internal/worker/main').start(prepareWorker);
    return;
  }
  const options = flags.length > 0 ? require('internal/options') : undefined;
  if (options) prepare(process, options);
  // `fork()` has started this process. The variables are deleted, so that child processes of this process do not inherit them.
  if (channelFd !== undefined) {
    const isAdvanced = process.env.NODE_CHANNEL_SERIALIZATION_MODE === 'advanced';
    delete process.env.NODE_CHANNEL_FD;
    delete process.env.NODE_CHANNEL_SERIALIZATION_MODE;
    require('child_process')._forkChild(channelFd, isAdvanced ? 'advanced' : 'json');
    require('internal/cluster/role').isWorker = Object.hasOwn(process.env, 'NODE_UNIQUE_ID');
  }
  const cjs = require('internal/modules/cjs');
  const runsCode = code !== undefined && code !== null;
  if (!runsCode && args.length > 0 && options?.value('run') === undefined) process.argv[1] = cjs.resolveMain(args[0]);
  if (channelFd !== undefined && require('internal/cluster/role').isWorker) {
    require('cluster')._setupWorker();
    delete process.env.NODE_UNIQUE_ID;
  }
  preload(process, options, cjs, () => run(process, options, cjs));
};
