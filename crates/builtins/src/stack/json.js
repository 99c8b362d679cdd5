'use strict';
// V8's messages for errors of `JSON.parse` and `JSON.stringify`: position of the fault, path of a circular structure.

const AROUND = 10;
const SPECIAL = new SafeSet(['undefined', 'NaN', 'Infinity', '[object Object]']);

class Fault {
  constructor(message, at) {
    this.message = message;
    this.at = at;
  }
}

const lineEnd = /\r\n|[\n\r]/;

// The line number, line text and column of an offset; no column at the end of the text.
function lineAt(text, at) {
  const before = text.slice(0, at).split(lineEnd);
  const line = before.at(-1) + text.slice(at).split(lineEnd, 1)[0];
  return { number: before.length, line, column: at < text.length ? before.at(-1).length + 1 : undefined };
}

// Positions of JSON errors.
const places = new SafeWeakMap();

// Parses a text up to the first error and describes it.
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(what) {
    const { at } = this;
    const before = this.text.slice(0, at).split(lineEnd);
    throw new Fault(`${what} at position ${at} (line ${before.length} column ${before.at(-1).length + 1})`, at);
  }

  unexpected() {
    const { text, at } = this;
    if (at >= text.length) throw new Fault('Unexpected end of JSON input', at);
    const token = text[at];
    if (/[-\d]/.test(token)) this.fail('Unexpected number in JSON');
    if (token === '"') this.fail('Unexpected string in JSON');
    if (SPECIAL.has(text)) throw new Fault(`"${text}" is not valid JSON`, at);
    let shown = `"${text}"`;
    if (text.length > 2 * AROUND) {
      const start = at < AROUND ? 0 : at - AROUND;
      const end = at >= text.length - AROUND && at >= AROUND ? text.length : at + AROUND;
      shown = `${at >= AROUND ? '...' : ''}"${text.slice(start, end)}"${end < text.length ? '...' : ''}`;
    }
    throw new Fault(`Unexpected token '${token}', ${shown} is not valid JSON`, at);
  }

  space() {
    while (/[ \t\n\r]/.test(this.text[this.at] ?? '')) this.at++;
    return this.text[this.at];
  }

  word(word) {
    for (const letter of word) {
      if (this.text[this.at] !== letter) this.unexpected();
      this.at++;
    }
  }

  number() {
    const digit = () => /\d/.test(this.text[this.at] ?? '');
    if (this.text[this.at] === '-') {
      this.at++;
      if (!digit()) this.fail('No number after minus sign in JSON');
    }
    if (this.text[this.at] === '0') {
      this.at++;
      if (digit()) this.fail('Unexpected number in JSON');
    }
    while (digit()) this.at++;
    if (this.text[this.at] === '.') {
      this.at++;
      if (!digit()) this.fail('Unterminated fractional number in JSON');
      while (digit()) this.at++;
    }
    if (/[eE]/.test(this.text[this.at] ?? '')) {
      this.at++;
      if (/[-+]/.test(this.text[this.at] ?? '')) this.at++;
      if (!digit()) this.fail('Exponent part is missing a number in JSON');
      while (digit()) this.at++;
    }
  }

  string() {
    for (this.at++; ; this.at++) {
      const letter = this.text[this.at];
      if (letter === undefined) this.fail('Unterminated string in JSON');
      if (letter === '"') break;
      if (letter < ' ') this.fail('Bad control character in string literal in JSON');
      if (letter !== '\\') continue;
      this.at++;
      const escaped = this.text[this.at];
      if (escaped === undefined) this.unexpected();
      if (escaped === 'u') {
        for (let digits = 0; digits < 4; digits++) {
          this.at++;
          const digit = this.text[this.at];
          if (digit === undefined || !/[\da-fA-F]/.test(digit)) this.fail('Bad Unicode escape in JSON');
        }
      } else if (!/["\\/bfnrt]/.test(escaped)) {
        this.fail('Bad escaped character in JSON');
      }
    }
    this.at++;
  }

  list() {
    this.at++;
    if (this.space() === ']') {
      this.at++;
      return;
    }
    for (;;) {
      this.value();
      const next = this.space();
      if (next !== ',' && next !== ']') this.fail("Expected ',' or ']' after array element in JSON");
      this.at++;
      if (next === ']') return;
    }
  }

  object() {
    this.at++;
    let next = this.space();
    if (next === '}') {
      this.at++;
      return;
    }
    if (next !== '"') this.fail("Expected property name or '}' in JSON");
    for (;;) {
      this.string();
      if (this.space() !== ':') this.fail("Expected ':' after property name in JSON");
      this.at++;
      this.value();
      next = this.space();
      if (next !== ',' && next !== '}') this.fail("Expected ',' or '}' after property value in JSON");
      this.at++;
      if (next === '}') return;
      if (this.space() !== '"') this.fail('Expected double-quoted property name in JSON');
    }
  }

  value() {
    switch (this.space()) {
      case '"': return this.string();
      case '[': return this.list();
      case '{': return this.object();
      case 't': return this.word('true');
      case 'f': return this.word('false');
      case 'n': return this.word('null');
      default:
        if (/[-\d]/.test(this.text[this.at] ?? '')) return this.number();
        return this.unexpected();
    }
  }

  all() {
    this.value();
    if (this.space() !== undefined) this.fail('Unexpected non-whitespace character after JSON');
  }
}

// Why a text is not valid JSON; undefined if it is.
function faultOf(text) {
  try {
    new Reader(text).all();
  } catch (fault) {
    if (fault instanceof Fault) return fault;
  }
  return undefined;
}

function nameOf({ constructor }) {
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'Object';
}

// V8's message for a circular structure: the path of the first cycle in the order of `JSON.stringify`. Returns undefined if there is none.
function circleOf(value) {
  const path = [];
  const seen = new SafeSet();
  const visit = (key, it) => {
    if (it === null || typeof it !== 'object') return undefined;
    if (typeof it.toJSON === 'function') return undefined;
    const start = path.findIndex((step) => step.it === it);
    if (start !== -1) return { start, key };
    if (seen.has(it)) return undefined;
    seen.add(it);
    path.push({ key, it });
    const keys = Array.isArray(it) ? it.keys() : Object.keys(it);
    for (const inner of keys) {
      const found = visit(inner, it[inner]);
      if (found !== undefined) return found;
    }
    path.pop();
    return undefined;
  };
  const found = visit('', value);
  if (found === undefined) return undefined;
  const keyText = (key) => (typeof key === 'number' ? `index ${key}` : `property '${key}'`);
  const objectText = (it) => `object with constructor '${nameOf(it)}'`;
  const steps = path.slice(found.start);
  const lines = [`\n    --> starting at ${objectText(steps[0].it)}`];
  const line = ({ key, it }) => `\n    |     ${keyText(key)} -> ${objectText(it)}`;
  lines.push(...steps.slice(1, 3).map(line));
  if (steps.length > 4) lines.push('\n    |     ...');
  if (steps.length > 3) lines.push(line(steps.at(-1)));
  lines.push(`\n    --- ${keyText(found.key)} closes the circle`);
  return `Converting circular structure to JSON${lines.join('')}`;
}

// Rewrites an error's message. `given` is the argument of `JSON.parse` or `JSON.stringify`.
function explain(error, given, parsing) {
  let message;
  try {
    // Not `instanceof`: the error may come from another realm.
    if (parsing && error?.name === 'SyntaxError') {
      const text = String(given);
      const fault = faultOf(text);
      message = fault?.message;
      if (fault !== undefined) places.set(error, lineAt(text, fault.at));
    } else if (!parsing && error?.name === 'TypeError' && error.message === 'circular reference') {
      message = circleOf(given);
    }
  } catch {
    // A getter or a proxy threw: keep the engine's message.
  }
  if (message === undefined) return;
  Object.defineProperty(error, 'message', { __proto__: null, value: message, writable: true, configurable: true, enumerable: false });
}

explain.placeOf = (error) => places.get(error);

module.exports = explain;
