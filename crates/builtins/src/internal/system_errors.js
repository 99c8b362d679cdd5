'use strict';

// Errors of failed system calls, by libuv's error numbers: `uvException`, `errnoException`, `DNSException`, and the
// ERR_* codes that wrap a system error (SystemError).

const { captureStack, define } = require('internal/errors');

let ownErrnoMap;
let errnoMap;

// Map from libuv's (negative) error numbers to [name, message].
function ownErrnos() {
  ownErrnoMap ??=
    new SafeMap(ArrayPrototypeMap(native.errnos(), ({ 0: number, 1: name, 2: message }) => [number, [name, message]]));
  return ownErrnoMap;
}

// The public map, which programs may change.
function errnos() {
  errnoMap ??= new Map(ownErrnos());
  return errnoMap;
}

// Unknown error numbers get the texts of libuv (`lib/internal/errors.js: UVException`).
const uvErrmapGet = (number) => ownErrnos().get(number);
const errnoParts = (number) => uvErrmapGet(number) ?? ['UNKNOWN', 'unknown error'];
const errnoName = (number) => uvErrmapGet(number)?.[0] ?? `Unknown system error ${number}`;

// Creates the error of a failed call with a path: `ENOENT: no such file or directory, open 'x'`.
function uvException(context) {
  const [name, words] = errnoParts(context.errno);
  const code = context.code || name;
  let message = `${code}: ${context.message || words}, ${context.syscall}`;
  if (context.path != null) message += ` '${context.path}'`;
  if (context.dest != null) message += ` -> '${context.dest}'`;
  const error = new Error(message);
  error.errno = context.errno;
  error.code = code;
  error.syscall = context.syscall;
  if (context.path != null) error.path = String(context.path);
  if (context.dest != null) error.dest = String(context.dest);
  captureStack(error, `Error: ${message}`, uvException);
  return error;
}

// Creates the error of a failed call without a path: `kill ESRCH`.
function errnoException(errno, syscall, original) {
  const code = errnoName(errno);
  const message = original ? `${syscall} ${code} ${original}` : `${syscall} ${code}`;
  const error = new Error(message);
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  captureStack(error, `Error: ${message}`, errnoException);
  return error;
}

function hostDetails(address, port, additional) {
  const where = port && port > 0 ? ` ${address}:${port}` : address ? ` ${address}` : '';
  return additional ? `${where} - Local (${additional})` : where;
}

function withHostPort(message, properties, above) {
  const error = Object.assign(new Error(message), properties);
  if (!error.port) delete error.port;
  captureStack(error, `Error: ${message}`, above);
  return error;
}

function exceptionWithHostPort(errno, syscall, address, port, additional) {
  const code = errnoName(errno);
  const message = `${syscall} ${code}${hostDetails(address, port, additional)}`;
  return withHostPort(message, { errno, code, syscall, address, port }, exceptionWithHostPort);
}

// `code` is set before `errno`: Node sets the properties in this order, which `inspect` shows (`lib/internal/errors.js: UVExceptionWithHostPort`).
function uvExceptionWithHostPort(errno, syscall, address, port) {
  const [code, words] = errnoParts(errno);
  const message = `${syscall} ${code}: ${words}${hostDetails(address, port)}`;
  return withHostPort(message, { code, errno, syscall, address, port }, uvExceptionWithHostPort);
}

// Creates the error of a failed DNS query. `code` is an error number or a c-ares name.
function DNSException(code, syscall, hostname) {
  let errno;
  if (typeof code === 'number') {
    errno = code;
    // `lib/internal/errors.js: DNSException` reports both of these as ENOTFOUND.
    code = errnoName(errno);
    if (code === 'EAI_NODATA' || code === 'EAI_NONAME') code = 'ENOTFOUND';
  }
  const message = `${syscall} ${code}${hostname ? ` ${hostname}` : ''}`;
  const error = new Error(message);
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  if (hostname) error.hostname = hostname;
  captureStack(error, `Error: ${message}`, DNSException);
  return error;
}

// Base class of errors with an `info` object. `errno` and the other properties are accessors: setting `errno` also sets `info.errno`.
class SystemError extends Error {
  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](recurseTimes, context) {
    const { inspect } = require('internal/util/inspect');
    return inspect(this, { ...context, getters: true, customInspect: false });
  }
}

// The beginning of the message of each code. The rest of a message describes the failed call.
const systemErrors = {
  __proto__: null,
  ERR_FS_CP_DIR_TO_NON_DIR: 'Cannot overwrite non-directory with directory',
  ERR_FS_CP_EEXIST: 'Target already exists',
  ERR_FS_CP_EINVAL: 'Invalid src or dest',
  ERR_FS_CP_FIFO_PIPE: 'Cannot copy a FIFO pipe',
  ERR_FS_CP_NON_DIR_TO_DIR: 'Cannot overwrite directory with non-directory',
  ERR_FS_CP_SOCKET: 'Cannot copy a socket file',
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: 'Cannot overwrite symlink in subdirectory of self',
  ERR_FS_CP_UNKNOWN: 'Cannot copy an unknown file type',
  ERR_FS_EISDIR: 'Path is a directory',
  ERR_SOCKET_BUFFER_SIZE: 'Could not get or set buffer size',
  ERR_SYSTEM_ERROR: 'A system error occurred',
  ERR_TTY_INIT_FAILED: 'TTY initialization failed',
};

// Returns [class, function] of a code of a SystemError, like `describe` in error_messages.js.
function describe(code) {
  const words = systemErrors[code];
  if (words === undefined) return undefined;
  return [SystemError, function(context) {
    define(this, 'name', 'SystemError', false);
    define(this, 'info', context, true);
    for (const part of ['errno', 'syscall', 'path', 'dest']) {
      if ((part === 'path' || part === 'dest') && context[part] === undefined) continue;
      Object.defineProperty(this, part, {
        __proto__: null,
        get: () => context[part],
        set: (value) => { context[part] = value; },
        enumerable: true,
        configurable: true,
      });
    }
    let message = `${words}: ${context.syscall} returned ${context.code} (${context.message})`;
    if (context.path !== undefined) message += ` ${context.path}`;
    if (context.dest !== undefined) message += ` => ${context.dest}`;
    return message;
  }];
}

module.exports = {
  DNSException,
  describe,
  errnoException,
  errnos,
  exceptionWithHostPort,
  uvErrmapGet,
  uvException,
  uvExceptionWithHostPort,
};
