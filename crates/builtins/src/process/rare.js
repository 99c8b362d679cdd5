'use strict';
// Rarely used parts of `process`: users and groups, memory limits, `allowedNodeEnvironmentFlags`, `loadEnvFile`,
// `execve`.

const process = require('process');
const { validateArray, validateObject, validateString, validateUint32 } = require('internal/validators');

function idOf(id, name, look, kind) {
  if (typeof id === 'number') {
    validateUint32(id, name);
    return id;
  }
  if (typeof id !== 'string') {
    const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
    throw new ERR_INVALID_ARG_TYPE(name, ['number', 'string'], id);
  }
  const number = look(id);
  if (number === undefined || number === null) {
    const { ERR_UNKNOWN_CREDENTIAL } = require('internal/errors');
    throw new ERR_UNKNOWN_CREDENTIAL(kind, id);
  }
  return number;
}

// Throws Node's error for an errno. It has the message of the system, the code and the number.
function check(errno, syscall) {
  if (errno === 0) return;
  const error = require('internal/errors').errnoException(errno, syscall);
  const words = require('util').getSystemErrorMap().get(errno)?.[1];
  // For an unknown errno the error keeps its message.
  if (words !== undefined) error.message = `${error.code}, ${words[0].toUpperCase()}${words.slice(1)}`;
  error.errno = -errno;
  throw error;
}

const setter = (name, verb, look, kind) => ({
  [name](id) { check(verb(idOf(id, 'id', look, kind)), name); },
})[name];

const setuid = setter('setuid', native.setUid, native.userId, 'User');
const seteuid = setter('seteuid', native.setEuid, native.userId, 'User');
const setgid = setter('setgid', native.setGid, native.groupId, 'Group');
const setegid = setter('setegid', native.setEgid, native.groupId, 'Group');

function getgroups() { return native.groups(); }

function setgroups(groups) {
  validateArray(groups, 'groups');
  const ids = groups.map((group, at) => idOf(group, `groups[${at}]`, native.groupId, 'Group'));
  check(native.setGroups(ids), 'setgroups');
}

function initgroups(user, extraGroup) {
  for (const [name, value] of [['user', user], ['extraGroup', extraGroup]]) {
    if (typeof value === 'number') {
      validateUint32(value, name);
    } else if (typeof value !== 'string') {
      const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
      throw new ERR_INVALID_ARG_TYPE(name, ['number', 'string'], value);
    }
  }
  const extra = idOf(extraGroup, 'extraGroup', native.groupId, 'Group');
  const name = typeof user === 'string' ? user : native.userName(user);
  if (name === undefined || name === null) {
    const { ERR_UNKNOWN_CREDENTIAL } = require('internal/errors');
    throw new ERR_UNKNOWN_CREDENTIAL('User', user);
  }
  check(native.initGroups(name, extra), 'initgroups');
}

function constrainedMemory() { return native.memory()[0]; }
function availableMemory() { return native.memory()[1]; }

const environmentFlags = [
  '--abort-on-uncaught-exception', '--blocked', '--conditions', '--debug-arraybuffer-allocations', '--deprecation', '--disable-warning',
  '--dns-result-order', '--enable-source-maps', '--experimental-abortcontroller', '--experimental-detect-module',
  '--experimental-global-customevent', '--experimental-global-navigator', '--experimental-global-webcrypto',
  '--experimental-import-meta-resolve', '--experimental-json-modules', '--experimental-loader', '--experimental-modules',
  '--experimental-repl-await', '--experimental-require-module', '--experimental-strip-types', '--experimental-top-level-await',
  '--experimental-vm-modules', '--experimental-worker', '--expose-gc', '--import', '--input-type', '--insecure-http-parser', '--loader',
  '--max-http-header-size', '--max-old-space-size', '--max-semi-space-size', '--no-deprecation',
  '--no-pending-deprecation', '--no-warnings', '--node-snapshot',
  '--network-family-autoselection', '--network-family-autoselection-attempt-timeout',
  '--pending-deprecation', '--preserve-symlinks', '--preserve-symlinks-main', '--redirect-warnings', '--require',
  '--stack-trace-limit',
  '--throw-deprecation', '--title', '--trace-deprecation', '--trace-exit', '--trace-uncaught', '--trace-warnings',
  '--unhandled-rejections', '--warnings', '-C', '-r',
];

// A read-only Set of option names. `has` accepts names with and without dashes (`lib/internal/process/per_thread.js: buildAllowedFlags`).
let complete = false;
class NodeEnvironmentFlagsSet extends Set {
  add(value) { return complete ? this : super.add(value); }
  delete() { return false; }
  clear() {}
  has(key) {
    if (typeof key !== 'string') return false;
    const plain = key.replace(/_/g, '-').replace(/=.*$/, '');
    return super.has(plain) || super.has(`--${plain}`);
  }
}
const allowedNodeEnvironmentFlags = Object.freeze(new NodeEnvironmentFlagsSet(environmentFlags));
complete = true;

// Returns the variables of an env file, or an errno if the file cannot be read.
function variablesOf(path) {
  const text = native.readText(path);
  return typeof text === 'number' ? text : require('util').parseEnv(text);
}

function loadEnvFile(path = '.env') {
  if (typeof path === 'object' && path !== null && typeof path.href === 'string') {
    path = require('url').fileURLToPath(path);
  } else if (require('buffer').Buffer.isBuffer(path)) {
    path = path.toString();
  } else {
    require('internal/validators').validateString(path, 'path');
  }
  const variables = variablesOf(path);
  if (typeof variables === 'number') {
    throw require('internal/errors').uvException({ errno: variables, syscall: 'open', path });
  }
  for (const name of Object.keys(variables)) process.env[name] ??= variables[name];
}

function assert(value, message) {
  if (value) return;
  const { ERR_ASSERTION } = require('internal/errors');
  throw new ERR_ASSERTION(message || 'assertion error');
}

const hasNul = (text) => typeof text !== 'string' || text.includes('\0');

let hasWarnedOfExecve = false;

// Replaces the process image. No code of this process runs afterwards, not even 'exit' listeners.
function execve(execPath, args = [], env = process.env) {
  if (!hasWarnedOfExecve) {
    hasWarnedOfExecve = true;
    process.emitWarning('process.execve is an experimental feature and might change at any time', 'ExperimentalWarning');
  }
  const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
  validateString(execPath, 'execPath');
  validateArray(args, 'args');
  args.forEach((arg, at) => {
    if (hasNul(arg)) throw new ERR_INVALID_ARG_VALUE(`args[${at}]`, arg, 'must be a string without null bytes');
  });
  validateObject(env, 'env');
  const environment = Object.entries(env);
  if (environment.some(([name, value]) => hasNul(name) || hasNul(value))) {
    throw new ERR_INVALID_ARG_VALUE('env', env, 'must be an object with string keys and values without null bytes');
  }
  const execveChannel = require('internal/channels').heard('process.execve');
  execveChannel?.publish({ execPath, args, env: environment.map(([name, value]) => `${name}=${value}`) });
  const errno = native.becomeProgram(execPath, args, environment.flat());
  // execve(2) has failed: Node aborts the process.
  const [code] = require('util').getSystemErrorMap().get(errno) ?? [errno];
  const frames = new Error().stack.split('\n').slice(1).join('\n');
  process._rawDebug('%s', `process.execve failed with error code ${code}\n${frames}`);
  process.abort();
}

function openStdin() {
  process.stdin.resume();
  return process.stdin;
}

// Calls the `ref` method of an object, which may have one of three keys.
function ref(maybe) {
  const fn = maybe?.[Symbol.for('nodejs.ref')] ?? maybe?.[Symbol.for('node:ref')] ?? maybe?.ref;
  if (typeof fn === 'function') fn.call(maybe);
}
function unref(maybe) {
  const fn = maybe?.[Symbol.for('nodejs.unref')] ?? maybe?.[Symbol.for('node:unref')] ?? maybe?.unref;
  if (typeof fn === 'function') fn.call(maybe);
}

module.exports = {
  allowedNodeEnvironmentFlags,
  assert: require('internal/util').deprecate(
    assert, 'process.assert() is deprecated. Please use the `assert` module instead.', 'DEP0100'),
  availableMemory,
  constrainedMemory,
  execve,
  getgroups,
  initgroups,
  loadEnvFile,
  openStdin,
  ref,
  setegid,
  seteuid,
  setgid,
  setgroups,
  setuid,
  unref,
  variablesOf,
};
