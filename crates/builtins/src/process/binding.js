'use strict';
// `process.binding` and `internalBinding` (of `internal/test/binding`, with `--expose-internals`): those of Node's bindings that packages and tests
// use.

const process = require('process');

const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));

// A placeholder class. Programs can create instances, but no binding accepts them.
const wrap = (name) => ({ [name]: function() {} })[name];

const makers = {
  __proto__: null,
  buffer: () => pick(require('buffer'), ['atob', 'btoa', 'isUtf8', 'isAscii', 'kMaxLength', 'kStringMaxLength']),
  cares_wrap: () => require('internal/dns/cares_wrap'),
  config: () => ({
    isDebugBuild: false,
    openSSLIsBoringSSL: false,
    hasOpenSSL: false,
    fipsMode: false,
    hasIntl: false,
    hasTracing: false,
    hasNodeOptions: true,
    hasInspector: false,
    noBrowserGlobals: false,
    bits: 64,
  }),
  constants: () => ({
    __proto__: null,
    os: require('os').constants,
    fs: require('fs').constants,
    crypto: require('crypto').constants,
    zlib: require('zlib').constants,
  }),
  http_parser() {
    const { HTTPParser, methods } = require('_http_common');
    return { HTTPParser, methods, allMethods: methods };
  },
  // Source texts of the builtin modules by name. Packages read only the names.
  natives: () => Object.fromEntries(require('module').builtinModules.map((id) => [id, native.builtinText(id)])),
  pipe_wrap() {
    const { Pipe } = require('internal/net/handles');
    const { SOCKET, SERVER, IPC, READABLE, WRITABLE } = Pipe;
    return { Pipe, constants: { SOCKET, SERVER, IPC, UV_READABLE: READABLE, UV_WRITABLE: WRITABLE } };
  },
  spawn_sync: () => require('internal/child_process').binding,
  stream_wrap: () => ({
    ShutdownWrap: wrap('ShutdownWrap'),
    WriteWrap: wrap('WriteWrap'),
    kReadBytesOrError: 0,
    kArrayBufferOffset: 1,
    kBytesWritten: 2,
    kLastWriteWasAsync: 3,
    streamBaseState: require('internal/net/stream_io').streamBaseState,
  }),
  tcp_wrap() {
    const { TCP } = require('internal/net/handles');
    const { SOCKET, SERVER, IPV6ONLY, REUSEPORT } = TCP;
    return { TCP, constants: { SOCKET, SERVER, UV_TCP_IPV6ONLY: IPV6ONLY, UV_TCP_REUSEPORT: REUSEPORT } };
  },
  tty_wrap: () => ({ isTTY: require('tty').isatty }),
  udp_wrap() {
    const { UDP } = require('internal/dgram');
    const { IPV6ONLY, REUSEADDR, REUSEPORT } = UDP;
    return { UDP, constants: { UV_UDP_IPV6ONLY: IPV6ONLY, UV_UDP_REUSEADDR: REUSEADDR, UV_UDP_REUSEPORT: REUSEPORT } };
  },
  util: () => pick(require('util').types, [
    'isArrayBuffer', 'isAsyncFunction', 'isDataView', 'isDate', 'isExternal', 'isMap', 'isMapIterator', 'isNativeError',
    'isPromise', 'isRegExp', 'isSet', 'isSetIterator', 'isAnyArrayBuffer', 'isArrayBufferView', 'isTypedArray', 'isUint8Array',
  ]),
  uv() {
    const { defineConstants, getSystemErrorMap, getSystemErrorMessage, getSystemErrorName } = require('internal/util');
    const uv = { errname: (number) => getSystemErrorName(number) };
    const numbers = {};
    for (const [number, [name]] of getSystemErrorMap()) numbers[`UV_${name}`] = number;
    defineConstants(uv, numbers);
    return Object.assign(uv, {
      // Returns a new Map each time (`src/uv.cc: GetErrMap`).
      getErrorMap: () => new Map(getSystemErrorMap()),
      getErrorMessage: (number) => getSystemErrorMessage(number),
    });
  },
};

// Bindings that `process.binding` and `internalBinding` provide in different versions.
const isLegacy = { __proto__: null, util: true };

const made = { __proto__: null };
const get = (name) => (makers[name] === undefined ? undefined : made[name] ??= makers[name]());

function binding(name) {
  name = String(name);
  if (makers[name] === undefined) throw new Error(`No such module: ${name}`);
  if (name === 'http_parser') {
    process.emitWarning(`Access to process.binding('${name}') is deprecated.`, 'DeprecationWarning', 'DEP0111');
  }
  return get(name);
}

function internalBinding(name) {
  if (name in makers && !(name in isLegacy)) return get(name);
  const error = new Error(`No such binding: ${name}`);
  error.code = 'ERR_INVALID_MODULE';
  throw error;
}

module.exports = { internalBinding, processBinding: binding };
