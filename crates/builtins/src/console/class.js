'use strict';

// The Console class, and the rarely used methods of the global console.

const {
  Console,
  direct,
  globalConsole,
  kColorMode,
  kCounts,
  kFormat,
  kIndentation,
  kIndentationWidth,
  kIsConsole,
  kWrite,
} = require('internal/console');
const { heard } = require('internal/channels');
const process = require('process');
const trace = require('internal/scheduler/trace');

const { flags, TRACE } = trace;

const inspector = () => require('internal/util/inspect');

// inspectOptions of the consoles that have them.
const optionsOf = new SafeWeakMap();

function inspectOptions(console, isError) {
  let colors = console[kColorMode];
  if (colors === 'auto') {
    colors = require('internal/util').shouldColorize(isError ? console._stderr : console._stdout);
  }
  const options = optionsOf.get(console);
  if (options === undefined) return colors ? { colors: true } : {};
  if (options.colors === undefined) options.colors = colors;
  return options;
}

function format(console, isError, args) {
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  return inspector().formatWithOptions(inspectOptions(console, isError), ...args);
}

const ignore = () => {};

// Writes a line with the indentation of the current groups.
function write(console, isError, text, isDirect) {
  const indentation = console[kIndentation];
  if (indentation !== '') text = indentation + text.replaceAll('\n', `\n${indentation}`);
  text += '\n';
  if (isDirect) direct(isError, text);
  else send(console, isError, text);
}

// Writes to the stream, ignoring errors if the console is configured to.
function send(console, isError, text) {
  const stream = isError ? console._stderr : console._stdout;
  if (console._ignoreErrors === false) {
    stream.write(text);
    return;
  }
  // Write errors are emitted synchronously (files, terminals) or later (pipes). Ignore both, but leave the user's
  // listeners in charge.
  const isStream = typeof stream.once === 'function';
  try {
    if (isStream && stream.listenerCount('error') === 0) stream.once('error', ignore);
    stream.write(text, isError ? console._stderrErrorHandler : console._stdoutErrorHandler);
  } catch (error) {
    if (require('internal/errors').isStackOverflowError(error)) throw error;
  } finally {
    if (isStream) stream.removeListener('error', ignore);
  }
}

function onWriteError(console, isError, error) {
  const stream = isError ? console._stderr : console._stdout;
  if (error != null && !stream._writableState?.errorEmitted && stream.listenerCount('error') === 0) {
    stream.once('error', ignore);
  }
}

// The body of `new Console()`. The constructor in global.js is small because it is loaded at startup.
function construct(console, options, args) {
  const { ERR_CONSOLE_WRITABLE_STREAM, ERR_INCOMPATIBLE_OPTION_PAIR } = require('internal/errors');
  const { validateInteger, validateObject, validateOneOf } = require('internal/validators');
  if (!options || typeof options.write === 'function') {
    options = { stdout: options, stderr: args[1], ignoreErrors: args[2] };
  }
  const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', groupIndentation } = options;
  if (!stdout || typeof stdout.write !== 'function') throw new ERR_CONSOLE_WRITABLE_STREAM('stdout');
  if (!stderr || typeof stderr.write !== 'function') throw new ERR_CONSOLE_WRITABLE_STREAM('stderr');
  validateOneOf(colorMode, 'colorMode', ['auto', true, false]);
  if (groupIndentation !== undefined) validateInteger(groupIndentation, 'groupIndentation', 0, 1000);
  if (options.inspectOptions !== undefined) {
    validateObject(options.inspectOptions, 'options.inspectOptions');
    if (options.inspectOptions.colors !== undefined && options.colorMode !== undefined) {
      throw new ERR_INCOMPATIBLE_OPTION_PAIR('options.inspectOptions.color', 'colorMode');
    }
    optionsOf.set(console, options.inspectOptions);
  }
  // Methods are bound, so that they can be passed as callbacks; methods overridden by a subclass are used.
  for (const key of Object.keys(Console.prototype)) {
    console[key] = console[key].bind(console);
    Object.defineProperty(console[key], 'name', { __proto__: null, value: key });
  }
  const parts = {
    _stdout: stdout,
    _stderr: stderr,
    _stdoutErrorHandler: (error) => onWriteError(console, false, error),
    _stderrErrorHandler: (error) => onWriteError(console, true, error),
    _ignoreErrors: Boolean(ignoreErrors),
    _times: new SafeMap(),
    [kCounts]: new SafeMap(),
    [kColorMode]: colorMode,
    [kIsConsole]: true,
    [kIndentationWidth]: groupIndentation ?? 2,
    [kIndentation]: '',
    [kWrite]: (isError, text) => write(console, isError, text, false),
    [kFormat]: (isError, args) => format(console, isError, args),
  };
  for (const key of Reflect.ownKeys(parts)) {
    Object.defineProperty(console, key, {
      __proto__: null, value: parts[key], writable: true, enumerable: false, configurable: true,
    });
  }
  Object.defineProperty(console, Symbol.toStringTag, {
    __proto__: null, value: 'console', writable: false, enumerable: false, configurable: true,
  });
}

// ---- time -----------------------------------------------------------------------------------------------------------

const two = (number) => `${number}`.padStart(2, '0');

function duration(ms) {
  const hours = Math.floor(ms / 3600000);
  const minutes = Math.floor((ms % 3600000) / 60000);
  const seconds = (ms % 60000) / 1000;
  if (hours === 0 && minutes === 0) return ms >= 1000 ? `${seconds.toFixed(3)}s` : `${Number(ms.toFixed(3))}ms`;
  const [whole, rest] = seconds.toFixed(3).split('.');
  const start = hours === 0 ? minutes : `${hours}:${two(minutes)}`;
  return `${start}:${two(whole)}.${rest} (${hours === 0 ? '' : 'h:m'}m:ss.mmm)`;
}

function printTime(console, label, name, data) {
  label = `${label}`;
  const start = console._times.get(label);
  if (start === undefined) {
    process.emitWarning(`No such label '${label}' for console.${name}()`);
    return false;
  }
  const [seconds, nanoseconds] = process.hrtime(start);
  if (flags[TRACE] !== 0 && name === 'timeEnd') {
    const took = seconds * 1000 + nanoseconds / 1e6;
    trace.span(trace.kinds.USER, label, took, took);
  }
  console.log('%s: %s', label, duration(seconds * 1000 + nanoseconds / 1e6), ...data);
  return true;
}

// ---- table ----------------------------------------------------------------------------------------------------------

function drawRow(cells, widths) {
  const { getStringWidth } = inspector();
  return `│ ${cells.map((cell, at) => cell + ' '.repeat(widths[at] - getStringWidth(cell))).join(' │ ')} │`;
}

// Draws columns of strings under their headings; missing cells are empty.
function drawTable(heads, columns) {
  const { getStringWidth } = inspector();
  const height = Math.max(...columns.map((column) => column.length));
  const rows = Array.from({ length: height }, (_, row) => columns.map((column) => column[row] ?? ''));
  const widths = heads.map((head, at) => Math.max(getStringWidth(head), ...rows.map((row) => getStringWidth(row[at]))));
  const rule = (left, middle, right) => left + widths.map((width) => '─'.repeat(width + 2)).join(middle) + right;
  return [
    rule('┌', '┬', '┐'),
    drawRow(heads, widths),
    rule('├', '┼', '┤'),
    ...rows.map((row) => drawRow(row, widths)),
    rule('└', '┴', '┘'),
  ].join('\n');
}

function cellPrinter(console) {
  const options = inspectOptions(console, false);
  return (value) => {
    const isLarge = value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value) &&
      Object.keys(value).length > 2;
    return inspector().inspect(value, {
      depth: isLarge ? -1 : 0, maxArrayLength: 3, breakLength: Infinity, ...options,
    });
  };
}

// { keys, values } of a Map or an entries iterator, { values } of a Set or another iterator; otherwise undefined.
function entriesOf(data) {
  const types = require('internal/util/types');
  if (types.isMapIterator(data) || types.isSetIterator(data)) {
    const [entries, isPairs] = native.iteratorPreview(data);
    if (!isPairs || types.isSetIterator(data)) return { values: entries };
    return { keys: entries.filter((_, at) => at % 2 === 0), values: entries.filter((_, at) => at % 2 === 1) };
  }
  if (types.isMap(data)) return { keys: [...data.keys()], values: [...data.values()] };
  return types.isSet(data) ? { values: [...data] } : undefined;
}

function tableText(console, data, properties) {
  const print = cellPrinter(console);
  const entries = entriesOf(data);
  if (entries !== undefined) {
    const { keys, values } = entries;
    const index = values.map((_, at) => print(at));
    if (keys === undefined) return drawTable(['(iteration index)', 'Values'], [index, values.map(print)]);
    return drawTable(['(iteration index)', 'Key', 'Values'], [index, keys.map(print), values.map(print)]);
  }
  const columns = new SafeMap();
  const primitives = [];
  const index = Object.keys(data);
  index.forEach((key, row) => {
    const item = data[key];
    const isPrimitive = item === null || (typeof item !== 'function' && typeof item !== 'object');
    if (isPrimitive && properties === undefined) {
      primitives[row] = print(item);
      return;
    }
    for (const property of properties ?? Object.keys(item)) {
      if (!columns.has(`${property}`)) columns.set(`${property}`, []);
      const has = !isPrimitive && Object.prototype.hasOwnProperty.call(item, property);
      columns.get(`${property}`)[row] = has ? print(item[property]) : '';
    }
  });
  // Integer-like column names come first, in the order of object keys.
  const heads = Object.keys(Object.fromEntries([...columns.keys()].map((name) => [name, true])));
  const bodies = heads.map((name) => columns.get(name));
  if (primitives.length > 0) {
    heads.push('Values');
    bodies.push(primitives);
  }
  return drawTable(['(index)', ...heads], [index, ...bodies]);
}

// ---- methods --------------------------------------------------------------------------------------------------------

const methods = {
  log(...args) {
    heard('console.log')?.publish(args);
    this[kWrite](false, this[kFormat](false, args));
  },

  info(...args) {
    heard('console.info')?.publish(args);
    this[kWrite](false, this[kFormat](false, args));
  },

  debug(...args) {
    heard('console.debug')?.publish(args);
    this[kWrite](false, this[kFormat](false, args));
  },

  warn(...args) {
    heard('console.warn')?.publish(args);
    this[kWrite](true, this[kFormat](true, args));
  },

  error(...args) {
    heard('console.error')?.publish(args);
    this[kWrite](true, this[kFormat](true, args));
  },

  dir(object, options) {
    this[kWrite](false, inspector().inspect(object, {
      customInspect: false, ...inspectOptions(this, false), ...options,
    }));
  },

  time(label = 'default') {
    label = `${label}`;
    if (this._times.has(label)) {
      process.emitWarning(`Label '${label}' already exists for console.time()`);
      return;
    }
    this._times.set(label, process.hrtime());
  },

  timeEnd(label = 'default') {
    if (printTime(this, label, 'timeEnd', [])) this._times.delete(`${label}`);
  },

  timeLog(label = 'default', ...data) {
    printTime(this, label, 'timeLog', data);
  },

  trace(...args) {
    const { captureStack } = require('internal/errors');
    const message = this[kFormat](true, args);
    const holder = {};
    const above = this === globalConsole ? globalConsole.trace : Console.prototype.trace;
    captureStack(holder, message === '' ? 'Trace' : `Trace: ${message}`, above);
    this.error(holder.stack);
  },

  assert(expression, ...args) {
    if (expression) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    this.warn(...args);
  },

  clear() {
    if (this._stdout?.isTTY && process.env.TERM !== 'dumb') this._stdout.write('\u001b[1;1H\u001b[0J');
  },

  count(label = 'default') {
    label = `${label}`;
    const count = (this[kCounts].get(label) ?? 0) + 1;
    this[kCounts].set(label, count);
    this.log(`${label}: ${count}`);
  },

  countReset(label = 'default') {
    if (!this[kCounts].has(label)) {
      process.emitWarning(`Count for '${label}' does not exist`);
      return;
    }
    this[kCounts].delete(`${label}`);
  },

  group(...data) {
    if (data.length > 0) this.log(...data);
    this[kIndentation] += ' '.repeat(this[kIndentationWidth]);
  },

  groupEnd() {
    this[kIndentation] = this[kIndentation].slice(0, this[kIndentation].length - this[kIndentationWidth]);
  },

  table(data, properties) {
    if (properties !== undefined) require('internal/validators').validateArray(properties, 'properties');
    if (data === null || typeof data !== 'object') this.log(data);
    else this.log(tableText(this, data, properties));
  },
};

module.exports = { construct, format, methods, onWriteError, send, write };
