'use strict';
// Prints the results of the test tree in order, as soon as each is available: as TAP, or as readable text on a
// terminal.

const process = require('process');
const { performance } = require('perf_hooks');
const { inspect, isError } = require('internal/util/inspect');

const escapes = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\f': '\\f', '\b': '\\b', '\v': '\\v' };
const escaped = (text) =>
  text.replace(/[\n\t\r\f\b\v]/g, (letter) => escapes[letter]).replaceAll('\\', '\\\\').replaceAll('#', '\\#');

// Formats a named value as YAML for a TAP diagnostic block.
function yaml(indent, name, value, above = []) {
  if (value === undefined) return '';
  const head = `${indent}${name}:`;
  if (value === null) return `${head} ~\n`;
  if (typeof value === 'string' && value.includes('\n')) {
    return `${head} |-\n${value.split('\n').map((line) => `${indent}  ${line}\n`).join('')}`;
  }
  if (typeof value !== 'object') return `${head} ${inspect(value, { colors: false, breakLength: Infinity })}\n`;
  if (value instanceof Date) return `${head} ${value.toISOString()}\n`;
  if (above.includes(value)) return `${head} <Circular>\n`;
  let out = `${head}\n`;
  for (const key of Object.keys(value)) out += yaml(`${indent}  `, key, value[key], [...above, value]);
  return out;
}

// The stack frames of the program, without those of the runtime and of native functions that call the test.
function framesOf(error) {
  const frames = `${error.stack}`.split('\n').filter((line) => /^\s+at /.test(line));
  const last = frames.findLastIndex((frame) => !/node:|\(<anonymous>\)$/.test(frame));
  const shown = frames.slice(0, last + 1).filter((frame) => !frame.includes('node:'));
  return shown.length > 0 ? shown.map((frame) => frame.replace(/^\s+at /, '')).join('\n') : undefined;
}

// The YAML lines that describe a failure.
function failureYaml(indent, item) {
  const { error, isOwn, type } = item.failure;
  let out = yaml(indent, 'location', item.place()) + yaml(indent, 'failureType', type);
  if (!isError(error)) {
    return out + yaml(indent, 'error', typeof error === 'string' ? error : inspect(error)) + yaml(indent, 'code', 'ERR_TEST_FAILURE');
  }
  out += yaml(indent, 'error', error.message) + yaml(indent, 'code', error.code ?? 'ERR_TEST_FAILURE');
  if (error.name !== 'Error') out += yaml(indent, 'name', error.name);
  if (error.code === 'ERR_ASSERTION') {
    out += yaml(indent, 'expected', error.expected) + yaml(indent, 'actual', error.actual) + yaml(indent, 'operator', error.operator);
  }
  return isOwn ? out : out + yaml(indent, 'stack', framesOf(error));
}

const directive = ({ skip, todo }) => {
  const [word, reason] = skip ? ['SKIP', skip] : todo ? ['TODO', todo] : [];
  if (word === undefined) return '';
  return typeof reason === 'string' && reason !== '' ? ` # ${word} ${escaped(reason)}` : ` # ${word}`;
};

const isOk = ({ failure, kind, todo }) => failure === undefined || (kind === 'suite' && todo !== undefined);

class Tap {
  head() { return 'TAP version 13\n'; }
  start(item, indent) { return `${indent}# Subtest: ${escaped(item.name)}\n`; }
  plan(count, indent) { return `${indent}1..${count}\n`; }
  note(text, indent) { return `${indent}# ${escaped(text)}\n`; }
  tail() { return ''; }

  result(item, at, indent) {
    const { durationMs, kind, name } = item;
    let out = `${indent}${isOk(item) ? 'ok' : 'not ok'} ${at} - ${escaped(name)}${directive(item)}\n`;
    out += `${indent}  ---\n${indent}  duration_ms: ${+durationMs.toFixed(6)}\n${indent}  type: '${kind}'\n`;
    if (!isOk(item)) out += failureYaml(`${indent}  `, item);
    return `${out}${indent}  ...\n`;
  }
}

class Spec {
  #failed = [];
  #paint;

  constructor(hasColors) {
    const { colors } = inspect;
    this.#paint = (color, text) => (hasColors ? `\u001b[${colors[color][0]}m${text}\u001b[${colors[color][1]}m` : text);
  }

  head() { return ''; }
  start(item, indent) { return item.children.length > 0 ? `${half(indent)}▶ ${item.name}\n` : ''; }
  plan() { return ''; }
  note(text, indent) { return this.#paint('blue', `${half(indent)}ℹ ${text}`) + '\n'; }

  #line(item) {
    const { durationMs, name, skip, todo } = item;
    const reason = skip ?? todo;
    const note = reason === undefined ? '' : ` # ${typeof reason === 'string' ? reason : skip ? 'SKIP' : 'TODO'}`;
    const time = this.#paint('gray', `(${+durationMs.toFixed(6)}ms)`);
    if (skip) return this.#paint('gray', `﹣ ${name} ${time}${note}`);
    return isOk(item) ? `${this.#paint('green', `✔ ${name}`)} ${time}${note}` : `${this.#paint('red', `✖ ${name}`)} ${time}${note}`;
  }

  result(item, at, indent) {
    if (!isOk(item) && item.failure.type !== 'subtestsFailed') this.#failed.push(item);
    return `${half(indent)}${this.#line(item)}\n`;
  }

  tail() {
    if (this.#failed.length === 0) return '';
    const shown = this.#failed.map((item) => {
      const { error, isOwn } = item.failure;
      const text = inspect(isOwn ? error.message : error).split('\n').map((line) => `  ${line}`).join('\n');
      const place = require('path').relative(process.cwd(), item.place() ?? '');
      return `test at ${place}\n${this.#line(item)}\n${text}\n`;
    });
    return `\n${this.#paint('red', '✖ failing tests:')}\n\n${shown.join('\n')}`;
  }
}

const half = (indent) => ' '.repeat(indent.length / 2);

class Report {
  #root;
  #form;
  #isOpen = true;
  #from = performance.now();
  // Number of children printed per item, and the items whose heading is printed.
  #printed = new Map();
  #begun = new Set();
  #counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

  constructor(root) {
    this.#root = root;
    this.#form = process.stdout.isTTY ? new Spec(process.stdout.hasColors?.() ?? false) : new Tap();
  }

  #count({ failure, isCancelled, kind, skip, todo }) {
    const counts = this.#counts;
    if (kind === 'suite') {
      counts.suites++;
      return;
    }
    counts.tests++;
    if (skip) counts.skipped++;
    else if (todo) counts.todo++;
    else if (isCancelled) counts.cancelled++;
    else if (failure !== undefined) counts.fail++;
    else counts.pass++;
  }

  #begin(item, indent) {
    if (this.#begun.has(item)) return '';
    this.#begun.add(item);
    return item === this.#root ? this.#form.head() : this.#form.start(item, indent);
  }

  // Prints the children of an item that are ready, in order.
  #due(item, indent) {
    let out = '';
    let at = this.#printed.get(item) ?? 0;
    const inside = item === this.#root ? indent : `${indent}    `;
    for (; at < item.children.length; at++) {
      const child = item.children[at];
      const below = this.#due(child, inside);
      if (!child.isEnded) {
        if (below !== '') out += this.#begin(child, inside) + below;
        break;
      }
      out += this.#begin(child, inside) + below;
      if (child.children.length > 0) out += this.#form.plan(child.children.length, `${inside}    `);
      out += this.#form.result(child, at + 1, inside);
      for (const note of child.notes) out += this.#form.note(note, inside);
      this.#count(child);
    }
    this.#printed.set(item, at);
    return out;
  }

  flush() {
    if (!this.#isOpen) return;
    const out = this.#due(this.#root, '');
    if (out !== '') process.stdout.write(this.#begin(this.#root, '') + out);
  }

  close() {
    if (!this.#isOpen) return;
    this.flush();
    this.#isOpen = false;
    const { failure } = this.#root;
    let out = this.#begin(this.#root, '') + this.#form.plan(this.#root.children.length, '');
    for (const note of this.#root.notes) out += this.#form.note(note, '');
    const counts = this.#counts;
    for (const name of Object.keys(counts)) out += this.#form.note(`${name} ${counts[name]}`, '');
    out += this.#form.note(`duration_ms ${+(performance.now() - this.#from).toFixed(6)}`, '');
    process.stdout.write(out + this.#form.tail());
    if (counts.fail > 0 || counts.cancelled > 0 || failure !== undefined) process.exitCode = 1;
  }
}

module.exports = { Report };
