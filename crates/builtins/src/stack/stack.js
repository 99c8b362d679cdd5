'use strict';
// `error.stack` in V8's format. Each error has an own accessor `stack` (crates/engine/src/error_stack.rs), and so has each object that was
// passed to `Error.captureStackTrace`. As in V8, the text is created when `stack` is first read.

// The value of `stack` per object, once it was read or assigned.
const values = new SafeWeakMap();

// The stacks captured by `Error.captureStackTrace`, each with the name of the omitted function that the first frame called.
const captures = new SafeWeakMap();

// If converting the error to a string throws, the exception reaches the code that reads `stack`.
function headOf(error) {
  let { name, message } = error;
  name = name === undefined ? 'Error' : `${name}`;
  message = message === undefined ? '' : `${message}`;
  if (message === '') return name;
  return name === '' ? message : `${name}: ${message}`;
}

const { json } = require('internal/primordials');

// The files that wrap `JSON.parse` and `JSON.stringify`: for the main realm, and for the contexts of `vm`.
const jsonFiles = ['node:internal/primordials', 'node:internal/vm/realm'];
const isOfJson = ({ file, function: name }) => (file === jsonFiles[0] || file === jsonFiles[1]) && (name === 'parse' || name === 'stringify');

// A frame. `fields` is an element of the array that `native.sites` returns.
class Frame {
  constructor(fields) {
    ({
      0: this.shown, 1: this.function, 2: this.file, 3: this.line, 4: this.column, 5: this.isConstructor, 6: this.isMethod, 7: this.origin,
      8: this.isAsync, 9: this.promiseIndex,
    } = fields);
    if (!isOfJson(this)) return;
    this.shown = `JSON.${this.function}`;
    this.file = undefined;
  }

  get text() {
    const { file, line, column, origin } = this;
    const name = this.isAsync ? (this.shown === '' ? 'async ' : `async ${this.shown}`) : this.shown;
    let place = '<anonymous>';
    if (typeof this.promiseIndex === 'number') place = `index ${this.promiseIndex}`;
    else if (typeof origin === 'string') place = `${origin}, <anonymous>:${line}:${column}`;
    else if (typeof file === 'string') place = `${file}:${line}:${column}`;
    return this.shown === '' ? name + place : `${name} (${place})`;
  }

  // The frame in the form that `maps.mapFrames` takes.
  get mapped() {
    const { shown: name, file, line, column } = this;
    return { name, file, line, column, isAsync: this.isAsync, enclosing: () => native.enclosing(file, line, column) };
  }
}

function framesOf(error) {
  const capture = captures.get(error);
  if (capture === undefined) {
    const stack = native.errorStack(error);
    const { message } = error;
    return stack === undefined ? [] : framesIn(native.sites(stack, typeof message === 'string' ? message : ''));
  }
  const { stack, called, waiting } = capture;
  if (waiting !== undefined) return waiting;
  return stack === undefined ? [] : framesIn(native.sites(stack, undefined, called));
}

const toFrame = (fields) => new Frame(fields);

const kFile = 'node:internal/stack';

// Converts call sites to frames, without the functions of this file, which V8's stacks do not have.
const framesIn = (sites) => ArrayPrototypeFilter(ArrayPrototypeMap(sites, toFrame), (frame) => frame.file !== kFile);

// The object that maps frames to the original source; undefined while source maps are off.
let maps;
function useSourceMaps(one) { maps = one; }

// For an error whose frames were mapped: its first frame with the position in the generated text.
const generated = new SafeWeakMap();

function linesOf(error, frames) {
  if (maps === undefined) {
    let out = '';
    for (const frame of frames) out += `\n    at ${frame.text}`;
    return out;
  }
  const items = frames.map((frame) => ({ text: `\n    at ${frame.text}`, frame: frame.file ? frame.mapped : undefined }));
  const first = items.find(({ frame }) => frame?.file.startsWith('node:') === false);
  if (first !== undefined) generated.set(error, first.frame);
  return maps.mapFrames(items);
}

// V8's call site. The engine's frames have neither the receiver nor the function object, so `getThis` and `getFunction` return undefined, as
// V8's do for strict functions.
class CallSite {
  #frame;
  constructor(frame) { this.#frame = frame; }
  getThis() { return undefined; }
  getTypeName() {
    const { isMethod, shown } = this.#frame;
    return isMethod && shown.includes('.') ? shown.slice(0, shown.lastIndexOf('.')) : 'Object';
  }
  getFunction() { return undefined; }
  getFunctionName() {
    const { function: name, isConstructor, shown } = this.#frame;
    return (isConstructor ? shown.slice(4) : name) || null;
  }
  getMethodName() { return this.#frame.isMethod ? this.#frame.function || null : null; }
  getFileName() { return this.isEval() ? undefined : this.#frame.file ?? undefined; }
  getLineNumber() { return this.#frame.file ? this.#frame.line : null; }
  getColumnNumber() { return this.#frame.file ? this.#frame.column : null; }
  getEvalOrigin() { return this.#frame.origin ?? undefined; }
  getScriptNameOrSourceURL() { return this.getFileName(); }
  getScriptHash() { return ''; }
  getEnclosingLineNumber() { return this.#frame.mapped.enclosing()?.[0] ?? this.getLineNumber(); }
  getEnclosingColumnNumber() { return this.#frame.mapped.enclosing()?.[1] ?? this.getColumnNumber(); }
  getPosition() { return 0; }
  getPromiseIndex() { return this.#frame.promiseIndex ?? null; }
  isToplevel() { return !this.#frame.isMethod && !this.#frame.isConstructor; }
  isNative() { return false; }
  isEval() { return typeof this.#frame.origin === 'string'; }
  isConstructor() { return this.#frame.isConstructor; }
  isAsync() { return this.#frame.isAsync; }
  isPromiseAll() { return typeof this.#frame.promiseIndex === 'number'; }
  toString() { return this.#frame.text; }
}

// The default `Error.prepareStackTrace`, which a program may replace. `lib/internal/errors.js: ErrorPrepareStackTrace`.
function ErrorPrepareStackTrace(error, sites) {
  return sites.length === 0 ? headOf(error) : `${headOf(error)}\n    at ${sites.join('\n    at ')}`;
}

// True while `prepareStackTrace` runs: as in V8, stacks that are formatted meanwhile have the default format.
let isPreparing = false;

// The class `Error` of other realms, by its prototype.
const foreignClasses = new SafeWeakMap();

// The class `Error` of the realm in which an error was created or captured.
function classOf(error) {
  for (let object = error; object !== null; object = Object.getPrototypeOf(object)) {
    const Class = captures.get(object)?.Class ?? foreignClasses.get(object);
    if (Class !== undefined) return Class;
    if (object === Error.prototype) break;
  }
  return Error;
}

const overrides = ({ prepareStackTrace }) => typeof prepareStackTrace === 'function' && prepareStackTrace !== ErrorPrepareStackTrace;

function format(error) {
  const frames = framesOf(error);
  // `lib/internal/errors.js: maybeOverridePrepareStackTrace`: use the `prepareStackTrace` of the error's realm, or else the main realm's.
  const Own = classOf(error);
  const Class = overrides(Own) ? Own : Error;
  if (!overrides(Class) || isPreparing) return headOf(error) + linesOf(error, frames);
  isPreparing = true;
  try {
    return Reflect.apply(Class.prepareStackTrace, Class, [error, ArrayPrototypeMap(frames, (frame) => new CallSite(frame))]);
  } finally {
    isPreparing = false;
  }
}

// Returns the first object on the prototype chain that has a stack. Stops at a proxy.
function holderOf(object) {
  while ((object !== null && typeof object === 'object' || typeof object === 'function') && !native.isProxy(object)) {
    if (captures.has(object) || native.isError(object)) return object;
    object = Object.getPrototypeOf(object);
  }
  return undefined;
}

function getter() {
  const holder = holderOf(this);
  if (holder === undefined) return undefined;
  if (!values.has(holder)) values.set(holder, format(holder));
  return values.get(holder);
}

function setter(value) {
  const holder = holderOf(this);
  if (holder !== undefined) values.set(holder, value);
}

// V8's accessors have no names.
Object.defineProperty(getter, 'name', { __proto__: null, value: '' });
Object.defineProperty(setter, 'name', { __proto__: null, value: '' });
const accessor = { __proto__: null, get: getter, set: setter, configurable: true, enumerable: false };

function captureStackTrace(target, above) { capture(target, above, captureStackTrace, Error); }

// `own` is the `captureStackTrace` that the program has called, `Class` the class `Error` of its realm.
function capture(target, above, own, Class) {
  if ((typeof target !== 'object' || target === null) && typeof target !== 'function') throw new TypeError('Invalid argument');
  const below = typeof above === 'function' ? above : own;
  const limit = Class.stackTraceLimit;
  values.delete(target);
  if (typeof limit === 'number') {
    const stack = limit > 0 ? native.capture(Math.min(limit, 1e6), below) : undefined;
    captures.set(target, { stack, called: below.name, Class });
  } else {
    captures.set(target, { stack: undefined, called: '', Class });
    values.set(target, undefined);
  }
  Object.defineProperty(target, 'stack', accessor);
}

// The lines of the stack above a call of `own`, without `Error.stackTraceLimit` and `Error.prepareStackTrace`: `util.getCallSites`.
function linesAbove(own, limit) {
  const stack = native.capture(limit, own);
  return stack === undefined ? '' : linesOf({}, framesIn(native.sites(stack, undefined, own.name)));
}

// Called once, before the program runs.
function install() {
  native.watchErrors(getter, setter);
  delete Error.prototype.stack;
  delete Error.isError;
  const define = (name, value, enumerable) =>
    Object.defineProperty(Error, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
  define('captureStackTrace', captureStackTrace, false);
  define('stackTraceLimit', 10, true);
  define('prepareStackTrace', ErrorPrepareStackTrace, false);
  for (const name of ['parse', 'stringify']) {
    Object.defineProperty(JSON, name, { __proto__: null, value: json[name], writable: true, configurable: true, enumerable: false });
  }
}

// The position at which an error was created, even if a program has assigned `stack`.
function placeOfError(error) {
  const stack = typeof error === 'object' && error !== null ? native.errorStack(error) : undefined;
  const frame = stack === undefined ? undefined :
    ArrayPrototypeMap(native.sites(stack, `${error.message}`), toFrame).find(({ file }) => typeof file === 'string');
  return frame === undefined ? undefined : { file: frame.file, line: frame.line, column: frame.column };
}

// Sets the stack of an error without frames to the async functions that wait for a promise. `reject` is the function that rejects the promise.
function waited(error, reject) {
  const limit = Error.stackTraceLimit;
  const waiting = typeof limit === 'number' ? ArrayPrototypeMap(native.waitingFor(reject), toFrame) : [];
  if (waiting.length === 0) return;
  captures.set(error, { waiting: waiting.slice(0, limit) });
  values.delete(error);
  Object.defineProperty(error, 'stack', accessor);
}

// The position of the syntax error that a SyntaxError of the engine reports; undefined for a SyntaxError without one. An error that describes a
// text has a position other than its first frame's. `nameless`: the text may have an empty file name, as errors without a position have.
function placeOfSyntax(error, nameless = false) {
  if (!native.isError(error) || error.name !== 'SyntaxError') return undefined;
  const { fileName: file, lineNumber: line, columnNumber: column } = error;
  if (typeof file !== 'string' || file.startsWith('node:') || (file === '' && !nameless) || typeof line !== 'number' || typeof column !== 'number') return undefined;
  const stack = native.errorStack(error);
  const { 0: usedFile, 1: usedLine, 2: usedColumn } = (stack === undefined ? undefined : native.firstPlace(stack)) ?? [];
  if (file !== usedFile) return { file, line, column };
  // The text was evaluated by this file (`eval`): the engine reports the name of the file, but the evaluated text is not stored.
  return line === usedLine && column === usedColumn ? undefined : { file: '', line, column };
}

// The last value that the runtime rethrows, and the position at which the program threw it.
let noted;
function noteThrow(value) { noted = { value, site: native.throwSite(value) }; }

// The position of the `throw` statement of the program that threw a value last; undefined if something else threw it.
function placeOfThrow(value) {
  const site = noted !== undefined && noted.value === value ? noted.site : native.throwSite(value);
  const { 0: file, 1: line, 2: column } = site ?? [];
  const text = typeof file === 'string' && !file.startsWith('node:') ? native.line(file, line) : undefined;
  if (typeof text !== 'string') return undefined;
  const isThrow = text.startsWith('throw', column - 1) || /\bthrow\b/.test(text.slice(0, column - 1));
  return isThrow ? { file, line, column } : undefined;
}

// The original source line for a position in the generated text; undefined if source maps are off or no map has it.
const originalLine = (file, line, column) => maps?.lineOf(file, line, column);

module.exports = {
  capture,
  // Uses the `prepareStackTrace` of another realm for its errors.
  knowRealm(Class) { foreignClasses.set(Class.prototype, Class); },
  generatedPlace: (error) => generated.get(error),
  install,
  linesAbove,
  originalLine,
  useSourceMaps,
  placeOfError,
  placeOfSyntax,
  noteThrow,
  placeOfThrow,
  know: native.know,
  isError: native.isError,
  line: native.line,
  waited,
};
