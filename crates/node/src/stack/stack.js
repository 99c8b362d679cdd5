'use strict';
// `error.stack` in V8's format, made from the engine's call sites. The text is created on first access, as in V8.

// If converting the error to a string throws, the exception reaches the code that reads `stack`.
function headOf(error) {
  let { name, message } = error;
  name = name === undefined ? 'Error' : `${name}`;
  message = message === undefined ? '' : `${message}`;
  if (message === '') return name;
  return name === '' ? message : `${name}: ${message}`;
}

// Names of built-in functions, with their receiver type.
let names;
function nameOfNative(site) {
  const name = site.getFunctionName() || '<anonymous>';
  if (site.isConstructor()) return `new ${name}`;
  if (names === undefined) {
    names = new SafeMap();
    const add = (owner, object) => {
      for (const key of Reflect.ownKeys(object)) {
        const { value } = Object.getOwnPropertyDescriptor(object, key);
        if (typeof value !== 'function' || names.has(value) || key === 'constructor') continue;
        names.set(value, typeof key === 'symbol' ? `${owner}.[${key.description}]` : `${owner}.${key}`);
      }
    };
    const classes = { Array, String, Map, Set, Promise, RegExp, Date, Object, Function, Number, BigInt };
    for (const owner of Object.keys(classes)) {
      add(owner, classes[owner].prototype);
      add(owner === 'Array' || owner === 'Promise' ? owner : 'Function', classes[owner]);
    }
    add('Generator', Object.getPrototypeOf(function* () {}).prototype);
    const spaces = { JSON, Math, Reflect, Atomics };
    for (const owner of Object.keys(spaces)) add(owner, spaces[owner]);
  }
  const called = site.getFunction();
  const known = names.get(called) ?? (isOfLanguage(site) ? require('internal/intl/locale').nameOf(called) : undefined);
  // The JavaScript fallback in bootstrap.js stands for the native `localeCompare` that called it.
  return known ?? (name === 'localeCompare' ? 'String.localeCompare' : name);
}

// Functions of locales: JavaScript here, native in V8.
const localized = new SafeSet([
  'localeCompare', 'toLocaleDateString', 'toLocaleLowerCase', 'toLocaleString', 'toLocaleTimeString', 'toLocaleUpperCase', 'toString',
  'toTimeString',
]);
function isOfLanguage(site) {
  const file = site.getFileName();
  if (typeof file !== 'string' || !StringPrototypeStartsWith(file, 'node:internal/')) return false;
  return StringPrototypeStartsWith(file, 'node:internal/intl') || file === 'node:internal/bootstrap' && localized.has(site.getFunctionName());
}

// True for the site of a suspended async function.
const isAsync = (site) => Object.hasOwn(site, 'async');

const unseenNames = ['<script>', 'limited', 'call', 'apply', 'construct', 'Array', 'Proxy'];

// True for a frame that V8 does not show. `next` is its caller, `above` the frame that it called.
function isUnseen(site, next, above) {
  // Of nested builtins show only the outermost, which the program called, if it has a name.
  if (isOfLanguage(site)) return next !== undefined && isOfLanguage(next) || !site.getFunctionName();
  // The caller of a `static { }` block has the same position.
  if (!site.isNative()) return above?.getFunctionName() === '<static_block>';
  // Internal frames that run `vm` scripts; `Function.prototype.call` and others, of which every context has its own.
  if (ArrayPrototypeIncludes(unseenNames, site.getFunctionName())) return true;
  // The engine's continuation of an async generator.
  if (!site.getFunctionName() && (next === undefined || isAsync(next))) return true;
  // Hide a native function that a builtin called internally: below JSON.parse or JSON.stringify, or a Symbol method
  // such as [Symbol.replace].
  const below = next?.isNative() === true ? next.getFunction() : undefined;
  if (below === undefined) return false;
  return below === JSON.parse || below === JSON.stringify || (site.getFunctionName() ?? '').startsWith('[Symbol.');
}

// True for code compiled from a string: its file name starts with `<input>`.
const isEvaluatedFile = (file) => file !== undefined && file !== null && StringPrototypeStartsWith(file, '<input>');

const isEvaluated = (site) => isEvaluatedFile(site.getFileName());

// True for the call site of evaluated code that did not compile: a SyntaxError has no function.
const isUnread = (site) => isEvaluated(site) && (site.getFunction() ?? null) === null;

// The name by which the calling frame called the function.
function calledAs(site) {
  const name = site.getFunctionName() ?? '';
  return name === '<eval>' ? 'eval' : name;
}

// `made` is the error, if the frame created one.
function placed(site, called, made) {
  const own = site.getFunctionName() ?? '';
  const file = site.getFileName();
  const known = places.get(site);
  if (known !== undefined) return known;
  // The engine has no position before the first statement of a script.
  const line = site.getLineNumber() ?? 1;
  const column = site.getColumnNumber() ?? 1;
  if (typeof file !== 'string') return { name: own, text: '<anonymous>' };
  const holds = made !== undefined && (Object.hasOwn(made, 'cause') || Object.hasOwn(made, 'errors'));
  const place = [line, column, isAsync(site) ? 2 : holds ? 1 : 0];
  let [name, realLine, realColumn] = native.frame(file, place, own, called, made && (made.constructor?.name ?? ''));
  const placeIn = (shownFile) => ({ name, text: `${shownFile}:${realLine}:${realColumn}`, file, line: realLine, column: realColumn });
  if (isEvaluated(site)) {
    if (name === '<eval>') name = 'eval';
    const sourceUrl = native.sourceUrl(file) ?? undefined;
    // V8 calls a function of `new Function` by its script if that has a name.
    if (sourceUrl !== undefined && name === 'anonymous') name = 'eval';
    return { ...placeIn(sourceUrl ?? '<anonymous>'), isNamed: sourceUrl !== undefined };
  }
  if (name === '<eval>') name = '';
  if (own === '<static_block>') name = '<static_initializer>';
  if (name === 'new ') name = 'new <anonymous>';
  if (name !== '' && site.isConstructor() && !name.startsWith('new ')) name = `new ${name}`;
  return placeIn(file || '<anonymous>');
}

// Formatted positions of the sites passed to `prepareStackTrace`.
const places = new SafeWeakMap();

function fillPlaces(sites, error, called) {
  let made = called === undefined ? error : undefined;
  called ??= typeof error.message === 'string' ? error.message : '';
  for (const site of sites) {
    if (!site.isNative()) places.set(site, placed(site, called, made));
    called = calledAs(site);
    made = undefined;
  }
}

const shown = ({ name, text }) => (name === '' ? text : `${name} (${text})`);

// What maps frames to the original source; undefined while source maps are off.
let maps;
function useSourceMaps(one) { maps = one; }

// The place in the generated text of the first frame of an error whose frames were mapped.
const generated = new SafeWeakMap();

// A frame for `maps`.
function frameOf(site, { name, file, line, column }) {
  return {
    name, file, line, column,
    isAsync: isAsync(site),
    enclosing: () => native.enclosing(file, line, column) ?? undefined,
  };
}

// Hide async frames inside the runtime.
function addAsyncFrame(site, add) {
  if (site.isNative()) {
    add(`\n    at async ${site.getFunctionName()}`);
  } else if (!site.getFileName()?.startsWith('node:')) {
    const place = placed(site, '', undefined);
    add(`\n    at async ${shown(place)}`, site, place);
  }
}

// `called` is the name of the function that the first frame called, if that is not the frame that created the error.
function frames(sites, error, called) {
  let top = called === undefined;
  if (top) called = typeof error.message === 'string' ? error.message : '';
  let out = '';
  const items = maps === undefined ? undefined : [];
  const add = (text, site, place) => {
    if (items === undefined) out += text;
    else items.push({ text, frame: site === undefined || place.file === undefined ? undefined : frameOf(site, place) });
  };
  let evaluated;
  let shownName = '';
  for (let at = 0; at < sites.length; at++) {
    const site = sites[at];
    if (isAsync(site)) {
      addAsyncFrame(site, add);
      continue;
    }
    if (isUnseen(site, sites[at + 1], sites[at - 1])) {
      called = calledAs(site);
      top = false;
      continue;
    }
    if (site.isNative() || isOfLanguage(site)) {
      add(`\n    at ${nameOfNative(site)} (<anonymous>)`);
    } else {
      // V8 shows no frame for text that did not compile or was passed to `JSON.parse`.
      if (top && isUnread(site)) continue;
      const place = placed(site, called, top ? error : undefined);
      const { name, text } = place;
      shownName = name;
      if (evaluated !== undefined) {
        // V8 shows this name without the receiver type.
        const caller = /[^. ]*$/.exec(name)[0] || '<anonymous>';
        add(`\n    at eval (eval at ${caller} (${text}), ${evaluated})`);
        evaluated = undefined;
      }
      if (name === 'eval' && isEvaluated(site) && !place.isNamed) evaluated = text;
      else add(`\n    at ${shown({ name, text })}`, site, place);
    }
    // For the next frame: the name of the function that it called.
    called = calledAs(site) || shownName;
    shownName = '';
    top = false;
  }
  if (items === undefined) return out;
  const first = items.find(({ frame }) => frame?.file.startsWith('node:') === false);
  if (first !== undefined) generated.set(error, first.frame);
  return maps.mapFrames(items);
}

// Returns whether the property could be defined: a frozen object keeps its own.
function define(target, value) {
  return Reflect.defineProperty(target, 'stack', { __proto__: null, value, writable: true, configurable: true, enumerable: false });
}

// Stacks created inside `prepareStackTrace` use the default format, as in V8.
let isPreparing = false;

// Formats a stack with `prepareStackTrace` of the error's realm, or else of the main realm. `Class` is `Error` of the
// error's realm.
function format(error, sites, called, Class) {
  const Chosen = typeof Class.prepareStackTrace === 'function' ? Class : Error;
  const { prepareStackTrace } = Chosen;
  if (typeof prepareStackTrace === 'function' && prepareStackTrace !== native.prepareStackTrace && !isPreparing) {
    sites = sites.filter((site, at) => isAsync(site) || !isUnseen(site, sites[at + 1], sites[at - 1]));
    if (sites.length > 0) complete(Object.getPrototypeOf(sites[0]));
    fillPlaces(sites, error, called);
    isPreparing = true;
    try {
      return Reflect.apply(prepareStackTrace, Chosen, [error, sites]);
    } finally {
      isPreparing = false;
    }
  }
  return headOf(error) + frames(sites, error, called);
}

// The default `Error.prepareStackTrace`.
function prepared(error, sites) {
  return sites.length === 0 ? headOf(error) : `${headOf(error)}\n    at ${sites.join('\n    at ')}`;
}

function placeOf(site) {
  const file = site.getFileName();
  // The engine has no position for the start of a text.
  const line = site.getLineNumber() ?? 1;
  return { file, line, column: native.column(file, line, site.getColumnNumber() ?? 1) };
}

// Where a non-error value was thrown, and its frames; undefined if unknown.
function placeOfThrow(value) {
  const { thrown } = native;
  if (thrown?.sites === undefined || !Object.is(thrown.value, value)) return undefined;
  const site = thrown.sites.find((one) => !one.isNative() && !one.getFileName()?.startsWith('node:'));
  const text = frames(thrown.sites, {}, '');
  thrown.value = thrown.sites = undefined;
  if (site === undefined) return undefined;
  return { ...placeOf(site), text };
}

// Where a program last threw an error; undefined if unknown.
function placeOfRethrow(error) {
  const place = native.thrownAt(error) ?? undefined;
  if (place === undefined) return undefined;
  const [file, line, column] = place;
  return { file, line, column: native.column(file, line, column) };
}

// Where an error was created, whatever its `stack` says now.
function placeOfError(error) {
  const sites = Reflect.apply(native.readSites, error, []);
  const site = Array.isArray(sites) ? sites.find((one) => !one.isNative() && !isOfLanguage(one)) : undefined;
  if (site === undefined) return undefined;
  return { ...placeOf(site), isEvaluated: isEvaluated(site), isUnread: isUnread(site) };
}

// For an error of the runtime that a promise is about to be rejected with: its frames are the awaiting functions.
function waited(error, reject) {
  const sites = native.isError(error) ? Reflect.apply(native.readSites, error, []) : undefined;
  if (!Array.isArray(sites) || sites.length > 0) return;
  native.addWaiting(sites, reject);
  // The current stack was created without these frames.
  if (sites.length > 0) Object.defineProperty(error, 'stack', native.accessors);
}

// The getter of `stack`: computes the text on first access and turns it into a data property. An object that inherits
// from an error reads that error's stack.
function first(error, read, Class = Error) {
  error = holderOf(error);
  if (error === undefined) return undefined;
  if (frozenStacks.has(error)) return frozenStacks.get(error);
  const sites = Reflect.apply(read, error, []);
  if (sites === undefined || sites === null) return undefined;
  const value = Array.isArray(sites) ? format(error, sites, undefined, Class) : sites;
  storeStack(error, value);
  return value;
}

// The setter of `stack`. It ignores objects that neither are errors nor inherit from one, as in V8.
function set(error, value) {
  error = holderOf(error);
  if (error !== undefined) storeStack(error, value);
}

// The error itself, or the one that it inherits from. Proxies are not followed.
function holderOf(error) {
  while (error !== null && typeof error === 'object' && !native.isError(error)) {
    error = native.isProxy(error) ? null : Object.getPrototypeOf(error);
  }
  return error !== null && typeof error === 'object' ? error : undefined;
}

// Stacks of frozen errors: they can be set nevertheless, as in V8.
const frozenStacks = new SafeWeakMap();

function storeStack(error, value) {
  if (!define(error, value)) frozenStacks.set(error, value);
}

function captured(target, called, Class = Error) {
  const { stack } = target;
  if (!Array.isArray(stack)) return;
  let text;
  try {
    text = format(target, stack, called, Class);
  } catch {
    // The stack was not read before.
    text = `Error${frames(stack, target, called)}`;
  }
  define(target, text);
}

// Methods that V8's call sites have and the engine's do not.
const completed = new SafeWeakSet();
function complete(prototype) {
  if (completed.has(prototype)) return;
  completed.add(prototype);
  const more = {
    getThis() { return undefined; },
    getTypeName() { return 'Object'; },
    getMethodName() { return null; },
    getEvalOrigin() { return undefined; },
    getScriptNameOrSourceURL() { return this.getFileName(); },
    getScriptHash() { return ''; },
    getEnclosingLineNumber() { return this.getLineNumber(); },
    getEnclosingColumnNumber() { return this.getColumnNumber(); },
    getPosition() { return 0; },
    getPromiseIndex() {
      const index = isAsync(this) && this.isNative() ? /\d+/.exec(this.getFunctionName()) : null;
      return index === null ? null : +index[0];
    },
    isToplevel() { return true; },
    isEval() { return false; },
    isAsync() { return isAsync(this); },
    isPromiseAll() { return isAsync(this) && this.isNative(); },
    toString() {
      if (isAsync(this)) return `async ${this.isNative() ? this.getFunctionName() : shown(placed(this, ''))}`;
      return this.isNative() ? `${nameOfNative(this)} (<anonymous>)` : shown(placed(this, ''));
    },
  };
  const { getColumnNumber, getLineNumber } = prototype;
  prototype.getLineNumber = { getLineNumber() { return places.get(this)?.line ?? Reflect.apply(getLineNumber, this, []); } }.getLineNumber;
  prototype.getColumnNumber = {
    getColumnNumber() { return places.get(this)?.column ?? Reflect.apply(getColumnNumber, this, []); },
  }.getColumnNumber;
  for (const name of Object.keys(more)) {
    if (Object.hasOwn(prototype, name)) continue;
    Object.defineProperty(prototype, name, { __proto__: null, value: more[name], writable: true, configurable: true });
  }
}

// The original source line for a place of the generated text; undefined if source maps are off or there is none.
const originalLine = (file, line, column) => maps?.lineOf(file, line, column);

// The name of a text in reports.
const shownFile = (file) => (isEvaluatedFile(file) ? native.sourceUrl(file) ?? '<anonymous_script>' : file);

module.exports = {
  generatedPlace: (error) => generated.get(error), originalLine, shownFile, useSourceMaps,
  first, captured, isEvaluatedFile, placeOfError, placeOfRethrow, placeOfThrow, know: native.know, isError: native.isError, line: native.line,
  prepared, set, waited,
};
