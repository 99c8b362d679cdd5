'use strict';
// Tab completion of the REPL. It runs no code of the program: getters and proxies are not read.

const { isProxy } = require('internal/util/types');

// Names declared by `let`, `const` and `class`, which are no properties of the global object.
const lexical = new Set();
// Getters of the runtime, which are safe to call: they only return a value.
const trusted = new WeakSet();

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const isName = (key) => typeof key === 'string' && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key);

// Finds the descriptor of a property on the prototype chain; stops at a proxy.
function find(object, key) {
  for (let at = object; isObject(at) && !isProxy(at); at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueOf(found) {
  if (found === undefined) return undefined;
  if (found.get !== undefined) return trusted.has(found.get) ? found.get() : undefined;
  return found.value;
}

function namesOf(value) {
  const names = [];
  const seen = new Set();
  for (let at = isObject(value) ? value : Object(value); isObject(at) && !isProxy(at); at = Object.getPrototypeOf(at)) {
    const own = Object.getOwnPropertyNames(at).filter((name) => isName(name) && !seen.has(name)).sort();
    for (const name of own) {
      seen.add(name);
      names.push(name);
    }
  }
  return names;
}

function first(name) {
  if (name === 'globalThis') return globalThis;
  if (!lexical.has(name)) return valueOf(find(globalThis, name));
  // Reading a variable runs no code of the program; an uninitialized variable throws.
  const [threw, value] = native.evaluate(name, 'REPL', false);
  return threw ? undefined : value;
}

const KEYWORDS = [
  'async', 'await', 'break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else',
  'export', 'extends', 'false', 'finally', 'for', 'function', 'if', 'import', 'in', 'instanceof', 'let', 'new', 'null',
  'return', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'var', 'void', 'while', 'with', 'yield',
];

function search(text, commands) {
  const command = /^\s*\.([a-z]*)$/.exec(text);
  if (command !== null) return [command[1], commands.filter((name) => name.startsWith(command[1])).sort()];
  const wanted = /\b(?:require|import)\s*\(\s*(['"`])([^'"`]*)$/.exec(text);
  if (wanted !== null) {
    const ids = require('internal/scheduler').publicBuiltins(false);
    return [wanted[2], ids.flatMap((id) => (id.includes(':') ? [id] : [id, `node:${id}`])).filter((id) => id.startsWith(wanted[2])).sort()];
  }
  const chain = /(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\??\.)*(?:[\p{ID_Start}$_][\p{ID_Continue}$]*)?$/u.exec(text)[0];
  const steps = chain.split(/\??\./);
  const part = steps.pop();
  // The chain continues a call, a string or a number, whose value is unknown.
  if (/[\p{ID_Continue}$.)\]'"`]$/u.test(text.slice(0, text.length - chain.length))) return [part, []];
  if (steps.length === 0) {
    if (part === '' && text.trim() !== '') return ['', []];
    const names = new Set([...lexical, ...namesOf(globalThis), ...KEYWORDS]);
    return [part, [...names].filter((name) => name.startsWith(part)).sort()];
  }
  let value = first(steps[0]);
  for (const step of steps.slice(1)) {
    if (value === undefined || value === null) return [part, []];
    value = valueOf(find(Object(value), step));
  }
  if (value === undefined || value === null) return [part, []];
  return [part, namesOf(value).filter((name) => name.startsWith(part))];
}

// Returns [part, names]: the end of the text to replace, and its possible completions.
function candidates(text, commands) {
  try {
    return search(text, commands);
  } catch {
    return ['', []];
  }
}

module.exports = {
  candidates,
  declare: (text) => native.lexicalNames(text).forEach((name) => lexical.add(name)),
  trust: (getter) => trusted.add(getter),
};
