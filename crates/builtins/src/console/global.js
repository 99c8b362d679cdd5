'use strict';

// The global console. Until `process.stdout` is first accessed (the getter's `made` property is false), text is
// written directly to the descriptor, without loading streams or inspect. Rarely used methods are in
// `internal/console/class`, loaded lazily.

const { heard } = require('internal/channels');
const process = require('process');

const kWrite = Symbol('kWriteToConsole');
const kFormat = Symbol('kFormatForStream');
const kIndentation = Symbol('kGroupIndentationString');
const kIndentationWidth = Symbol('kGroupIndentationWidth');
const kCounts = Symbol('counts');
const kColorMode = Symbol('kColorMode');
const kIsConsole = Symbol('kIsConsole');

// `inspectDefaults` is `inspect.defaultOptions`, set when inspect is loaded: its `numericSeparator` changes how numbers are printed.
// `printed` is used by process.getActiveResourcesInfo().
const state = { inspectDefaults: undefined, printed: false };

const names = ['stdout', 'stderr'];
const EPIPE = -32;
const Class = () => require('internal/console/class');

// Returns the stream if it has been created, otherwise undefined.
function madeStream(name) {
  const descriptor = Object.getOwnPropertyDescriptor(process, name);
  if (descriptor === undefined || descriptor.get?.made === false) return undefined;
  return process[name];
}

// Formats arguments that need no inspect; returns undefined if one of them does.
function plainText(args) {
  if (typeof args[0] === 'string' && args.length > 1 && args[0].includes('%')) return undefined;
  let text = '';
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (at > 0) text += ' ';
    switch (typeof arg) {
      case 'string':
        text += arg;
        break;
      case 'number':
        text += Object.is(arg, -0) ? '-0' : arg;
        break;
      case 'bigint':
        text += `${arg}n`;
        break;
      case 'boolean':
      case 'undefined':
        text += arg;
        break;
      default:
        if (arg !== null) return undefined;
        text += 'null';
    }
  }
  return text;
}

const globalConsole = { __proto__: {} };

const hidden = (object, key, value) => Object.defineProperty(object, key, {
  __proto__: null, value, writable: true, enumerable: false, configurable: true,
});

// Whether output may be colored; computed once per stream.
const colors = [];
const mayColor = (isError) =>
  (colors[isError ? 1 : 0] ??= native.isTerminal(isError ? 2 : 1) || process.env.FORCE_COLOR !== undefined);

hidden(globalConsole, kFormat, (isError, args) => {
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  if (!mayColor(isError) && !state.inspectDefaults?.numericSeparator) {
    const text = plainText(args);
    if (text !== undefined) return text;
  }
  return Class().format(globalConsole, isError, args);
});

hidden(globalConsole, kWrite, (isError, text) => {
  state.printed = true;
  const stream = madeStream(names[isError ? 1 : 0]);
  if (stream !== undefined || globalConsole[kIndentation] !== '') {
    Class().write(globalConsole, isError, text, stream === undefined);
    return;
  }
  direct(isError, `${text}\n`);
});

// Writes to the descriptor while no stream exists. On EPIPE the stream takes over: it ignores the first error but not
// the next one (`lib/internal/console/constructor.js: kWriteToConsole`), so that a program that writes forever
// terminates.
function direct(isError, text) {
  const written = native.write(isError ? 2 : 1, text);
  if (written === EPIPE) Class().send(globalConsole, isError, text);
}

function formatted(isError, args) {
  try {
    return globalConsole[kFormat](isError, args);
  } catch (error) {
    return require('internal/original_builtins').retry(error, () => globalConsole[kFormat](isError, args));
  }
}

const printer = (isError, name) => (...args) => {
  heard(name)?.publish(args);
  globalConsole[kWrite](isError, formatted(isError, args));
};

function method(name, fn) {
  Object.defineProperty(fn, 'name', { __proto__: null, value: name, configurable: true });
  globalConsole[name] = fn;
}

for (const name of ['log', 'info', 'debug']) method(name, printer(false, `console.${name}`));
for (const name of ['warn', 'error']) method(name, printer(true, `console.${name}`));

function Console(options) {
  if (new.target === undefined) return Reflect.construct(Console, arguments);
  Class().construct(this, options, arguments);
}

// Makes `console instanceof Console` true, although the global console has another prototype.
Object.defineProperty(Console, Symbol.hasInstance, {
  __proto__: null,
  value: (instance) => instance[kIsConsole],
});

for (const name of [
  'log', 'info', 'debug', 'warn', 'error', 'dir', 'time', 'timeEnd', 'timeLog', 'trace', 'assert', 'clear', 'count',
  'countReset', 'group', 'groupEnd', 'table',
]) {
  ({ [name]: Console.prototype[name] } = { [name](...args) { Class().methods[name].apply(this, args); } });
  if (!(name in globalConsole)) method(name, (...args) => Class().methods[name].apply(globalConsole, args));
}
Console.prototype.dirxml = Console.prototype.log;
Console.prototype.groupCollapsed = Console.prototype.group;
method('dirxml', printer(false, 'console.log'));
method('groupCollapsed', (...args) => Class().methods.group.apply(globalConsole, args));

for (const [at, name] of names.entries()) {
  let stream;
  Object.defineProperty(globalConsole, `_${name}`, {
    __proto__: null,
    enumerable: false,
    configurable: true,
    get: () => (stream ??= process[name]),
    set(value) {
      stream = value;
      // A replaced stream must receive all output: disable the direct write.
      globalConsole[kWrite] = (isError, text) => Class().write(globalConsole, isError, text, false);
    },
  });
  hidden(globalConsole, `_${name}ErrorHandler`, (error) => Class().onWriteError(globalConsole, at === 1, error));
}
hidden(globalConsole, '_ignoreErrors', true);
hidden(globalConsole, '_times', new SafeMap());
hidden(globalConsole, kCounts, new SafeMap());
hidden(globalConsole, kColorMode, 'auto');
hidden(globalConsole, kIsConsole, true);
hidden(globalConsole, kIndentationWidth, 2);
hidden(globalConsole, kIndentation, '');
Object.defineProperty(globalConsole, Symbol.toStringTag, {
  __proto__: null, value: 'console', writable: false, enumerable: false, configurable: true,
});

globalConsole.Console = Console;

// Inspector methods: no-ops without a debugger.
for (const name of ['profile', 'profileEnd', 'timeStamp', 'context']) method(name, () => {});
method('createTask', (name) => {
  if (typeof name !== 'string' || name === '') throw new Error('First argument must be a non-empty string.');
  return { run: (fn) => fn() };
});

module.exports = {
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
  state,
};
