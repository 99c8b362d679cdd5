'use strict';

// The messages of Node's ERR_* errors by their codes. Loaded when the first such error is created. Errors of system
// calls are in system_errors.js.

// The first letter of each entry names the error class. Each %s is replaced by the next argument.
const classes = { E: Error, T: TypeError, R: RangeError, S: SyntaxError, U: URIError };

const templates = {
  __proto__: null,
  ERR_ARG_NOT_ITERABLE: 'T %s must be iterable',
  ERR_ASYNC_CALLBACK: 'T %s must be a function',
  ERR_ASYNC_TYPE: 'T Invalid name for async "type": %s',
  ERR_BROTLI_INVALID_PARAM: 'R %s is not a valid Brotli parameter',
  ERR_BUFFER_TOO_LARGE: 'R Cannot create a Buffer larger than %s bytes',
  ERR_CHILD_CLOSED_BEFORE_REPLY: 'E Child closed before reply received',
  ERR_CHILD_PROCESS_IPC_REQUIRED: `E Forked processes must have an IPC channel, missing value 'ipc' in %s`,
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: 'R %s maxBuffer length exceeded',
  ERR_CONSOLE_WRITABLE_STREAM: 'T Console expects a writable stream instance for %s',
  ERR_CONSTRUCT_CALL_REQUIRED: 'T Class constructor %s cannot be invoked without `new`',
  ERR_CRYPTO_ECDH_INVALID_FORMAT: 'T Invalid ECDH format: %s',
  ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY: 'E Public key is not valid for specified curve',
  ERR_CRYPTO_ENGINE_UNKNOWN: 'E Engine "%s" was not found',
  ERR_CRYPTO_FIPS_UNAVAILABLE: 'E Cannot set FIPS mode in a non-FIPS build.',
  ERR_CRYPTO_HASH_FINALIZED: 'E Digest already called',
  ERR_CRYPTO_INCOMPATIBLE_KEY: 'E Incompatible %s: %s',
  ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS: 'E The selected key encoding %s %s.',
  ERR_CRYPTO_INVALID_AUTH_TAG: 'T Invalid authentication tag length: %s',
  ERR_CRYPTO_INVALID_DIGEST: 'T Invalid digest: %s',
  ERR_CRYPTO_INVALID_IV: 'T Invalid initialization vector',
  ERR_CRYPTO_INVALID_JWK: 'T %s',
  ERR_CRYPTO_INVALID_KEYLEN: 'R Invalid key length',
  ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE: 'T Invalid key object type %s, expected %s.',
  ERR_CRYPTO_INVALID_STATE: 'E Invalid state for operation %s',
  ERR_CRYPTO_SCRYPT_INVALID_PARAMETER: 'E Invalid scrypt parameter',
  ERR_CRYPTO_SIGN_KEY_REQUIRED: 'E No key provided to sign',
  ERR_CRYPTO_UNKNOWN_CIPHER: 'E Unknown cipher',
  ERR_CRYPTO_UNKNOWN_DH_GROUP: 'E Unknown DH group',
  ERR_DIR_CLOSED: 'E Directory handle was closed',
  ERR_DIR_CONCURRENT_OPERATION:
    'E Cannot do synchronous work on directory handle with concurrent asynchronous operations',
  ERR_DNS_SET_SERVERS_FAILED: 'E c-ares failed to set servers: "%s" [%s]',
  ERR_DOMAIN_CALLBACK_NOT_AVAILABLE:
    'E A callback was registered through process.setUncaughtExceptionCaptureCallback(), which is mutually exclusive with using the ' +
    '`domain` module',
  ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE:
    'E The `domain` module is in use, which is mutually exclusive with calling process.setUncaughtExceptionCaptureCallback()',
  ERR_ENCODING_NOT_SUPPORTED: 'R The "%s" encoding is not supported',
  ERR_EVENT_RECURSION: 'E The event "%s" is already being dispatched',
  ERR_FEATURE_UNAVAILABLE_ON_PLATFORM:
    'T The feature %s is unavailable on the current platform, which is being used to run Node.js',
  ERR_FS_FILE_TOO_LARGE: 'R File size (%s) is greater than 2 GiB',
  ERR_FS_INVALID_SYMLINK_TYPE: 'E Symlink type must be one of "dir", "file", or "junction". Received "%s"',
  ERR_HTTP_BODY_NOT_ALLOWED: 'E Adding content for this request method or response status is not allowed.',
  ERR_HTTP_CONTENT_LENGTH_MISMATCH:
    `E Response body's content-length of %s byte(s) does not match the content-length of %s byte(s) set in header`,
  ERR_HTTP_HEADERS_SENT: 'E Cannot %s headers after they are sent to the client',
  ERR_HTTP_INVALID_HEADER_VALUE: 'T Invalid value "%s" for header "%s"',
  ERR_HTTP_INVALID_STATUS_CODE: 'R Invalid status code: %s',
  ERR_HTTP_REQUEST_TIMEOUT: 'E Request timeout',
  ERR_HTTP_SOCKET_ASSIGNED: 'E ServerResponse has an already assigned socket',
  ERR_HTTP_SOCKET_ENCODING: 'E Changing the socket encoding is not allowed per RFC7230 Section 3.',
  ERR_EVAL_ESM_CANNOT_PRINT: 'E --print cannot be used with ESM input',
  ERR_HTTP_TRAILER_INVALID: 'E Trailers are invalid with this transfer encoding',
  ERR_ILLEGAL_CONSTRUCTOR: 'T Illegal constructor',
  ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE: 'T Module "%s" is not of type "%s"',
  ERR_INCOMPATIBLE_OPTION_PAIR: 'T Option "%s" cannot be used in combination with option "%s"',
  ERR_INSPECTOR_ALREADY_CONNECTED: 'E %s is already connected',
  ERR_INSPECTOR_COMMAND: 'E Inspector error %d: %s',
  ERR_INSPECTOR_NOT_ACTIVE: 'E Inspector is not active',
  ERR_INSPECTOR_NOT_AVAILABLE: 'E Inspector is not available',
  ERR_INSPECTOR_NOT_CONNECTED: 'E Session is not connected',
  ERR_INSPECTOR_NOT_WORKER: 'E Current thread is not a worker',
  ERR_INVALID_ADDRESS: 'E Invalid socket address',
  ERR_INVALID_ASYNC_ID: 'R Invalid %s value: %s',
  ERR_INVALID_BUFFER_SIZE: 'R Buffer size must be a multiple of %s',
  ERR_INVALID_CURSOR_POS: 'T Cannot set cursor row without setting its column',
  ERR_INVALID_FD: 'R "fd" must be a positive integer: %s',
  ERR_INVALID_FD_TYPE: 'T Unsupported fd type: %s',
  ERR_INVALID_FILE_URL_HOST: 'T File URL host must be "localhost" or empty on %s',
  ERR_INVALID_HANDLE_TYPE: 'T This handle type cannot be sent',
  ERR_INVALID_IP_ADDRESS: 'T Invalid IP address: %s',
  ERR_INVALID_OBJECT_DEFINE_PROPERTY: 'T %s',
  ERR_INVALID_STATE: 'E Invalid state: %s',
  ERR_INVALID_SYNC_FORK_INPUT: 'T Asynchronous forks do not support Buffer, TypedArray, DataView or string input: %s',
  ERR_INVALID_THIS: 'T Value of "this" must be of type %s',
  ERR_INVALID_TUPLE: 'T %s must be an iterable %s tuple',
  ERR_INVALID_TYPESCRIPT_SYNTAX: 'S %s',
  ERR_INVALID_URI: 'U URI malformed',
  ERR_IPC_CHANNEL_CLOSED: 'E Channel closed',
  ERR_IPC_DISCONNECTED: 'E IPC channel is already disconnected',
  ERR_IPC_ONE_PIPE: 'E Child process can have only one IPC pipe',
  ERR_IPC_SYNC_FORK: 'E IPC cannot be used with synchronous forks',
  ERR_IP_BLOCKED: 'E IP(%s) is blocked by net.BlockList',
  ERR_LOADER_CHAIN_INCOMPLETE:
    'E "%s" did not call the next hook in its chain and did not explicitly signal a short circuit. ' +
    "If this is intentional, include `shortCircuit: true` in the hook's return.",
  ERR_METHOD_NOT_IMPLEMENTED: 'E The %s method is not implemented',
  ERR_MISSING_OPTION: 'T %s is required',
  ERR_MISSING_PASSPHRASE: 'T Passphrase required for encrypted key',
  ERR_MULTIPLE_CALLBACK: 'E Callback called multiple times',
  ERR_NOT_BUILDING_SNAPSHOT: 'E Operation cannot be invoked when not building startup snapshot',
  ERR_NO_CRYPTO: 'E Node.js is not compiled with OpenSSL crypto support',
  ERR_OPERATION_FAILED: 'E Operation failed: %s',
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE: 'T %s',
  ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: `T Unexpected argument '%s'. This command does not take positional arguments`,
  ERR_PERFORMANCE_INVALID_TIMESTAMP: 'T %d is not a valid timestamp',
  ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS: 'T %s',
  ERR_REQUIRE_CYCLE_MODULE: 'E %s',
  ERR_SCRIPT_EXECUTION_INTERRUPTED: 'E Script execution was interrupted by `SIGINT`',
  ERR_SCRIPT_EXECUTION_TIMEOUT: 'E Script execution timed out after %sms',
  ERR_SERVER_ALREADY_LISTEN: 'E Listen method has been called more than once without closing.',
  ERR_SERVER_NOT_RUNNING: 'E Server is not running.',
  ERR_SOCKET_ALREADY_BOUND: 'E Socket is already bound',
  ERR_SOCKET_BAD_BUFFER_SIZE: 'T Buffer size must be a positive integer',
  ERR_SOCKET_BAD_TYPE: 'T Bad socket type specified. Valid types are: udp4, udp6',
  ERR_SOCKET_CLOSED: 'E Socket is closed',
  ERR_SOCKET_CLOSED_BEFORE_CONNECTION: 'E Socket closed before the connection was established',
  ERR_SOCKET_DGRAM_IS_CONNECTED: 'E Already connected',
  ERR_SOCKET_DGRAM_NOT_CONNECTED: 'E Not connected',
  ERR_SOCKET_DGRAM_NOT_RUNNING: 'E Not running',
  ERR_STREAM_ALREADY_FINISHED: 'E Cannot call %s after a stream was finished',
  ERR_STREAM_CANNOT_PIPE: 'E Cannot pipe, not readable',
  ERR_STREAM_DESTROYED: 'E Cannot call %s after a stream was destroyed',
  ERR_STREAM_NULL_VALUES: 'T May not write null values to stream',
  ERR_STREAM_PREMATURE_CLOSE: 'E Premature close',
  ERR_STREAM_PUSH_AFTER_EOF: 'E stream.push() after EOF',
  ERR_STREAM_UNSHIFT_AFTER_END_EVENT: 'E stream.unshift() after end event',
  ERR_STREAM_WRITE_AFTER_END: 'E write after end',
  ERR_STRING_TOO_LONG: 'E Cannot create a string longer than 0x1fffffe8 characters',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'S Invalid subject alternative name string',
  ERR_TRAILING_JUNK_AFTER_STREAM_END: 'T Trailing junk found after the end of the compressed stream',
  ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET:
    'E `process.setupUncaughtExceptionCapture()` was called while a capture callback was already active',
  ERR_UNESCAPED_CHARACTERS: 'T %s contains unescaped characters',
  ERR_UNKNOWN_BUILTIN_MODULE: 'E No such built-in module: %s',
  ERR_UNKNOWN_CREDENTIAL: 'E %s identifier does not exist: %s',
  ERR_UNKNOWN_ENCODING: 'T Unknown encoding: %s',
  ERR_UNKNOWN_MODULE_FORMAT: 'R Unknown module format: %s for URL %s',
  ERR_UNKNOWN_SIGNAL: 'T Unknown signal: %s',
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
    'E Stripping types is currently unsupported for files under node_modules, for "%s"',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: 'S %s',
  ERR_USE_AFTER_CLOSE: 'E %s was closed',
  ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING: 'T A dynamic import callback was not specified.',
  ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG:
    'T A dynamic import callback was invoked without --experimental-vm-modules',
  ERR_VM_MODULE_ALREADY_LINKED: 'E Module has already been linked',
  ERR_VM_MODULE_CACHED_DATA_REJECTED: 'E cachedData buffer was rejected',
  ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA: 'E Cached data cannot be created for a module which has been evaluated',
  ERR_VM_MODULE_DIFFERENT_CONTEXT: 'E Linked modules must use the same context',
  ERR_VM_MODULE_NOT_MODULE: 'E Provided module is not an instance of Module',
  ERR_VM_MODULE_STATUS: 'E Module status %s',
  ERR_WASI_ALREADY_STARTED: 'E WASI instance has already started',
  ERR_WASI_NOT_STARTED: 'E wasi.start() has not been called',
  ERR_WEBASSEMBLY_RESPONSE: 'T WebAssembly response %s',
  ERR_WORKER_INIT_FAILED: 'E Worker initialization failure: %s',
  ERR_WORKER_INVALID_EXEC_ARGV: 'E Initiated Worker with %s: %s',
  ERR_WORKER_MESSAGING_ERRORED: 'E The destination thread threw an error while processing the message',
  ERR_WORKER_MESSAGING_FAILED: 'E Cannot find the destination thread or listener',
  ERR_WORKER_MESSAGING_SAME_THREAD: 'E Cannot sent a message to the same thread',
  ERR_WORKER_MESSAGING_TIMEOUT: 'E Sending a message to another thread timed out',
  ERR_WORKER_NOT_RUNNING: 'E Worker instance not running',
  ERR_WORKER_OUT_OF_MEMORY: 'E Worker terminated due to reaching memory limit: %s',
  ERR_WORKER_UNSERIALIZABLE_ERROR: 'E Serializing an uncaught exception failed',
  ERR_WORKER_UNSUPPORTED_OPERATION: 'T %s is not supported in workers',
  ERR_ZSTD_INVALID_PARAM: 'R %s is not a valid zstd parameter',
  ERR_ASSERTION: 'E %s',
  ERR_AMBIGUOUS_ARGUMENT: 'T The "%s" argument is ambiguous. %s',
  ERR_FS_WATCH_QUEUE_OVERFLOW: 'E fs.watch() queued more than %s events',
  ERR_IMPORT_ATTRIBUTE_MISSING: 'T Module "%s" needs an import attribute of "%s: %s"',
  ERR_INVALID_HTTP_TOKEN: 'T %s must be a valid HTTP token ["%s"]',
  ERR_INVALID_PROTOCOL: 'T Protocol "%s" not supported. Expected "%s"',
  ERR_UNKNOWN_FILE_EXTENSION: 'T Unknown file extension "%s" for %s',
  ERR_UNSUPPORTED_RESOLVE_REQUEST:
    'T Failed to resolve module specifier "%s" from "%s": Invalid relative URL or base scheme is not hierarchical.',
};

const inspect = (...args) => require('internal/util/inspect').inspect(...args);
const imported = (base) => (base ? ` imported from ${base}` : '');

// Messages that a function computes from their arguments: [class, function]. `this` is the error, so that the function can add properties.
const computed = {
  __proto__: null,
  ERR_BUFFER_OUT_OF_BOUNDS: [
    RangeError,
    (name) => (name ? `"${name}" is outside of buffer bounds` : 'Attempt to access memory outside buffer bounds'),
  ],
  ERR_ENCODING_INVALID_ENCODED_DATA: [TypeError, function(encoding, errno) {
    this.errno = errno;
    return `The encoded data was not valid for encoding ${encoding}`;
  }],
  ERR_FALSY_VALUE_REJECTION: [Error, function(reason) {
    this.reason = reason;
    return 'Promise was rejected with falsy value';
  }],
  ERR_IMPORT_ATTRIBUTE_UNSUPPORTED: [
    TypeError,
    (attribute, value, url) =>
      `Import attribute "${attribute}" with value "${value}" is not supported${url === undefined ? '' : ` in ${url}`}`,
  ],
  ERR_INTERNAL_ASSERTION: [Error, (message) => {
    const advice = 'This is caused by either a bug in Phasor or incorrect usage of its internals.\n' +
      'Please report it to Phasor, not to Node.js, with this stack trace and what `phasor --version` prints.\n';
    return message === undefined ? advice : `${message}\n${advice}`;
  }],
  ERR_INVALID_ADDRESS_FAMILY: [RangeError, function(family, host, port) {
    this.host = host;
    this.port = port;
    return `Invalid address family: ${family} ${host}:${port}`;
  }],
  ERR_INVALID_ARG_TYPE: [TypeError, invalidArgType],
  ERR_INVALID_ARG_VALUE: [TypeError, (name, value, reason = 'is invalid') => {
    let text = inspect(value);
    if (text.length > 128) text = `${text.slice(0, 128)}...`;
    return `The ${`${name}`.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${text}`;
  }],
  ERR_INVALID_CHAR: [
    TypeError,
    (name, field) => `Invalid character in ${name}${field === undefined ? '' : ` ["${field}"]`}`,
  ],
  ERR_INVALID_FILE_URL_PATH: [TypeError, function(reason, input) {
    this.input = input;
    return `File URL path ${reason}`;
  }],
  ERR_INVALID_MIME_SYNTAX: [
    TypeError,
    (production, text, at) =>
      `The MIME syntax for a ${production} in "${text}" is invalid${at === -1 ? '' : ` at ${at}`}`,
  ],
  ERR_INVALID_MODULE_SPECIFIER: [
    TypeError,
    (request, reason, base) => `Invalid module "${request}" ${reason}${imported(base)}`,
  ],
  ERR_INVALID_PACKAGE_CONFIG: [
    Error,
    (path, base, message) =>
      `Invalid package config ${path}${base ? ` while importing ${base}` : ''}${message ? `. ${message}` : ''}`,
  ],
  ERR_INVALID_PACKAGE_TARGET: [Error, (folder, key, target, isImport = false, base = undefined) => {
    const relative = typeof target === 'string' && !isImport && target.length > 0 && !target.startsWith('./');
    const what = key === '.' ?
      `Invalid "exports" main target ${JSON.stringify(target)} defined in` :
      `Invalid "${isImport ? 'imports' : 'exports'}" target ${JSON.stringify(target)} defined for '${key}' in`;
    const advice = relative ? '; targets must start with "./"' : '';
    return `${what} the package config ${folder}package.json${imported(base)}${advice}`;
  }],
  ERR_INVALID_RETURN_PROPERTY_VALUE: [
    TypeError,
    (input, name, property, value) =>
      `Expected ${input} to be returned for the "${property}" from the "${name}" hook but got ` +
      `${determineSpecificType(value)}.`,
  ],
  ERR_INVALID_RETURN_VALUE: [
    TypeError,
    (input, name, value) =>
      `Expected ${input} to be returned from the "${name}" function but got ${determineSpecificType(value)}.`,
  ],
  ERR_INVALID_URL_SCHEME: [TypeError, (expected) => {
    const list = typeof expected === 'string' ? [expected] : expected;
    return `The URL must be ${list.length === 2 ? 'one ' : ''}of scheme ${list.join(' or ')}`;
  }],
  ERR_MISSING_ARGS: [TypeError, (...names) => {
    const quoted = names.map((name) => (Array.isArray(name) ? name : [name]).map((one) => `"${one}"`).join(' or '));
    return `The ${formatList(quoted)} argument${names.length > 1 ? 's' : ''} must be specified`;
  }],
  ERR_MODULE_LINK_MISMATCH: [TypeError, (message) => message],
  ERR_MODULE_NOT_FOUND: [Error, function(path, base, exactUrl) {
    if (exactUrl) this.url = `${exactUrl}`;
    return `Cannot find ${exactUrl ? 'module' : 'package'} '${path}' imported from ${base}`;
  }],
  ERR_OUT_OF_RANGE: [RangeError, (name, range, input, isWhole = false) =>
    `${isWhole ? name : `The value of "${name}" is out of range.`} It must be ${range}. Received ${rangeText(input)}`],
  ERR_PACKAGE_IMPORT_NOT_DEFINED: [
    TypeError,
    (specifier, folder, base) =>
      `Package import specifier "${specifier}" is not defined` +
      `${folder ? ` in package ${folder}package.json` : ''} imported from ${base}`,
  ],
  ERR_PACKAGE_PATH_NOT_EXPORTED: [
    Error,
    (folder, subpath, base) =>
      (subpath === '.' ?
        `No "exports" main defined in ${folder}package.json` :
        `Package subpath '${subpath}' is not defined by "exports" in ${folder}package.json`) + imported(base),
  ],
  ERR_PARSE_ARGS_UNKNOWN_OPTION: [TypeError, (option, allowPositionals) => {
    const advice = allowPositionals ?
      ". To specify a positional argument starting with a '-', place it at the end of the command after '--', " +
      `as in '-- ${JSON.stringify(option)}` :
      '';
    return `Unknown option '${option}'${advice}`;
  }],
  ERR_REQUIRE_ASYNC_MODULE: [
    Error,
    (filename, parent) => {
      let message = 'require() cannot be used on an ESM graph with top-level await. Use import() instead. ' +
        'To see where the top-level await comes from, use --experimental-print-required-tla.';
      if (parent) message += `\n  From ${parent} `;
      if (filename) message += `\n  Requiring ${filename} `;
      return message;
    },
  ],
  ERR_SOCKET_BAD_PORT: [
    RangeError,
    (name, port, allowZero = true) =>
      `${name} should be ${allowZero ? '>=' : '>'} 0 and < 65536. Received ${determineSpecificType(port)}.`,
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [Error, function(reason, host, cert) {
    Object.assign(this, { reason, host, cert });
    return `Hostname/IP does not match certificate's altnames: ${reason}`;
  }],
  ERR_UNHANDLED_ERROR: [Error, (error) => `Unhandled error.${error === undefined ? '' : ` (${error})`}`],
  ERR_UNSUPPORTED_DIR_IMPORT: [Error, function(path, base, exactUrl) {
    this.url = exactUrl;
    return `Directory import '${path}' is not supported resolving ES modules imported from ${base}`;
  }],
  ERR_UNSUPPORTED_ESM_URL_SCHEME: [
    Error,
    (url, supported) =>
      `Only URLs with a scheme in: ${formatList(supported)} are supported by the default ESM loader. ` +
      `Received protocol '${url.protocol}'`,
  ],
  ERR_WORKER_PATH: [
    TypeError,
    (filename) =>
      "The worker script or module filename must be an absolute path or a relative path starting with './' or '../'." +
      (filename.startsWith('file://') ? ' Wrap file:// URLs with `new URL`.' : '') +
      (filename.startsWith('data:text/javascript') ? ' Wrap data: URLs with `new URL`.' : '') +
      ` Received "${filename}"`,
  ],
  ERR_VM_MODULE_LINK_FAILURE: [Error, function(message, cause) {
    this.cause = cause;
    return message;
  }],
};

// The results of `typeof`, and the classes `Function` and `Object`, which callers also use as type names (`lib/internal/errors.js: kTypes`).
const typeNames =
  ['string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol'];

function invalidArgType(name, expected, actual) {
  const types = [];
  const instances = [];
  const others = [];
  for (const one of Array.isArray(expected) ? expected : [expected]) {
    if (typeNames.includes(one)) types.push(one.toLowerCase());
    else if (/^[A-Z][a-zA-Z0-9]*$/.test(one)) instances.push(one);
    else others.push(one);
  }
  // If the message lists other classes, "object" is listed as the class `Object`.
  const at = instances.length > 0 ? types.indexOf('object') : -1;
  if (at !== -1) {
    types.splice(at, 1);
    instances.push('Object');
  }
  const parts = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${formatList(types, 'or')}`);
  if (instances.length > 0) parts.push(`an instance of ${formatList(instances, 'or')}`);
  if (others.length > 1) parts.push(`one of ${formatList(others, 'or')}`);
  else if (others.length === 1) parts.push(`${others[0].toLowerCase() === others[0] ? '' : 'an '}${others[0]}`);
  const what = name.endsWith(' argument') ? name : `"${name}" ${name.includes('.') ? 'property' : 'argument'}`;
  return `The ${what} must be ${parts.join(' or ')}. Received ${determineSpecificType(actual)}`;
}

// Formats a list: "a", "a or b", "a, b, or c".
function formatList(list, word = 'and') {
  if (list.length < 3) return list.join(` ${word} `);
  return `${list.slice(0, -1).join(', ')}, ${word} ${list[list.length - 1]}`;
}

// Describes a value for the text after "Received" (`lib/internal/errors.js: determineSpecificType`).
function determineSpecificType(value) {
  if (value === null || value === undefined) return `${value}`;
  switch (typeof value) {
    case 'bigint':
      return `type bigint (${value}n)`;
    case 'number':
      return Object.is(value, -0) ? 'type number (-0)' : `type number (${value})`;
    case 'boolean':
    case 'symbol':
      return `type ${typeof value} (${String(value)})`;
    case 'function':
      return `function ${value.name}`;
    case 'object':
      if (value.constructor && 'name' in value.constructor) return `an instance of ${value.constructor.name}`;
      return inspect(value, { depth: -1 });
    default: {
      const text = value.length > 28 ? `${value.slice(0, 25)}...` : value;
      return `type string (${text.includes("'") ? JSON.stringify(text) : `'${text}'`})`;
    }
  }
}

// Separates groups of three digits with underscores, so that long numbers are readable.
function addNumericalSeparator(text) {
  const sign = text.startsWith('-') ? 1 : 0;
  let result = '';
  let end = text.length;
  for (; end >= sign + 4; end -= 3) result = `_${text.slice(end - 3, end)}${result}`;
  return text.slice(0, end) + result;
}

function rangeText(input) {
  if (typeof input === 'bigint') {
    const text = String(input);
    return `${input > 4294967296n || input < -4294967296n ? addNumericalSeparator(text) : text}n`;
  }
  if (Number.isInteger(input) && Math.abs(input) > 4294967296) return addNumericalSeparator(String(input));
  return inspect(input);
}

function fill(text, args) {
  if (args.length === 0) return text;
  if (!args.every((arg) => typeof arg === 'string')) return require('internal/util/inspect').format(text, ...args);
  let at = 0;
  let message = text.replace(/%s/g, (directive) => (at < args.length ? args[at++] : directive));
  while (at < args.length) message += ` ${args[at++]}`;
  return message;
}

// Returns [class, function] of an error code. The function computes the message, with the error as `this`.
function describe(code) {
  const text = templates[code];
  if (text === undefined) return computed[code] ?? require('internal/errors/system').describe(code);
  return [classes[text[0]], (...args) => fill(text.slice(2), args)];
}

module.exports = { addNumericalSeparator, describe };
