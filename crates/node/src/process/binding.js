'use strict';
// `process.binding`: what packages still look for in Node's insides, as far as it is here as well.

const process = require('process');

const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));

// A class of which there is only the name: scripts make such objects, nobody here takes one.
const wrap = (name) => ({ [name]: function() {} })[name];

const makers = {
  __proto__: null,
  buffer: () => pick(require('buffer'), ['atob', 'btoa', 'isUtf8', 'isAscii', 'kMaxLength', 'kStringMaxLength']),
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
  spawn_sync: () => require('internal/child_process/sync').binding,
  stream_wrap: () => ({
    ShutdownWrap: wrap('ShutdownWrap'),
    WriteWrap: wrap('WriteWrap'),
    kReadBytesOrError: 0,
    kArrayBufferOffset: 1,
    kBytesWritten: 2,
    kLastWriteWasAsync: 3,
    streamBaseState: new Int32Array(4),
  }),
  tty_wrap: () => ({ isTTY: require('tty').isatty }),
  util: () => pick(require('util').types, [
    'isArrayBuffer', 'isAsyncFunction', 'isDataView', 'isDate', 'isExternal', 'isMap', 'isMapIterator', 'isNativeError',
    'isPromise', 'isRegExp', 'isSet', 'isSetIterator', 'isAnyArrayBuffer', 'isArrayBufferView', 'isTypedArray', 'isUint8Array',
  ]),
  uv() {
    const { getSystemErrorMap } = require('util');
    const names = getSystemErrorMap();
    const uv = { errname: (number) => names.get(number)?.[0] ?? `Unknown system error ${number}` };
    for (const [number, [name]] of names) uv[`UV_${name}`] = number;
    return uv;
  },
};

const made = { __proto__: null };

function binding(name) {
  name = String(name);
  if (makers[name] === undefined) throw new Error(`No such module: ${name}`);
  if (name === 'http_parser') {
    process.emitWarning(`Access to process.binding('${name}') is deprecated.`, 'DeprecationWarning', 'DEP0111');
  }
  return made[name] ??= makers[name]();
}

module.exports = binding;
