'use strict';
// What `error.stack` says: V8's form, made from the engine's. As in V8, the text is made when it is first asked for.

// Frames that V8 does not show, and the engine does.
const unseen = /^ {4}at (?:call|apply) \(native\)$/;

function headOf(error) {
  let name;
  let message;
  try {
    name = error.name;
    message = error.message;
  } catch {
    return 'Error';
  }
  name = name === undefined ? 'Error' : String(name);
  message = message === undefined ? '' : String(message);
  if (message === '') return name;
  return name === '' ? message : `${name}: ${message}`;
}

function frames(text) {
  let out = '';
  for (const line of text.split('\n')) {
    if (line === '' || unseen.test(line)) continue;
    out += '\n';
    if (line.startsWith('    at <anonymous> (') && !line.endsWith('(native)')) {
      out += `    at ${line.slice(20, -1)}`;
    } else if (line.endsWith(' (native)')) {
      out += `${line.slice(0, -8)}(<anonymous>)`;
    } else {
      out += line;
    }
  }
  return out;
}

// The engine's text begins with a frame, or is empty; everything else was made by somebody's `prepareStackTrace`.
function isRaw(text) {
  return typeof text === 'string' && (text === '' || /^ {4}at /.test(text));
}

function define(target, value) {
  Object.defineProperty(target, 'stack', { value, writable: true, configurable: true, enumerable: false });
}

function format(error, text) {
  return headOf(error) + frames(text);
}

// The getter on Error.prototype: from now on the error has a property of its own.
function first(error, read) {
  if (error === null || typeof error !== 'object') return undefined;
  const text = read.call(error);
  if (text === undefined || text === null) return text === null ? undefined : text;
  const value = isRaw(text) ? format(error, text) : text;
  if (Object.isExtensible(error)) define(error, value);
  return value;
}

function captured(target) {
  const { stack } = target;
  if (isRaw(stack)) define(target, format(target, stack));
}

// What `prepareStackTrace` may ask a call site for, and the engine's do not know.
function complete(prototype) {
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
    getPromiseIndex() { return null; },
    isToplevel() { return true; },
    isEval() { return false; },
    isAsync() { return false; },
    isPromiseAll() { return false; },
    toString() {
      const name = this.getFunctionName();
      const place = this.isNative() ? '<anonymous>' :
        `${this.getFileName()}:${this.getLineNumber()}:${this.getColumnNumber()}`;
      return name ? `${name} (${place})` : place;
    },
  };
  for (const name of Object.keys(more)) {
    if (Object.hasOwn(prototype, name)) continue;
    Object.defineProperty(prototype, name, { value: more[name], writable: true, configurable: true });
  }
}

module.exports = { first, captured, complete, define };
