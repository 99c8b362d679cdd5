'use strict';
// `PerformanceEntry`, the base class of all timeline entries.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
// Constructor token: only code that has it can create entries.
const kMake = Symbol('kMake');

function inspectAs(self, properties, depth, options) {
  if (depth < 0) return self;
  const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
  return `${self.constructor.name} ${require('internal/util/inspect').inspect(properties, inner)}`;
}

let isEntry;

class PerformanceEntry {
  #name;
  #type;
  #start;
  #duration;

  static {
    isEntry = (value) => typeof value === 'object' && value !== null && #name in value;
  }

  constructor(mark = undefined, name = undefined, type = undefined, start = undefined, duration = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name;
    this.#type = type;
    this.#start = start;
    this.#duration = duration;
  }

  get name() {
    checkEntry(this);
    return this.#name;
  }

  get entryType() {
    checkEntry(this);
    return this.#type;
  }

  get startTime() {
    checkEntry(this);
    return this.#start;
  }

  get duration() {
    checkEntry(this);
    return this.#duration;
  }

  [kInspect](depth, options) {
    return inspectAs(this, this.toJSON(), depth, options);
  }

  toJSON() {
    checkEntry(this);
    return { name: this.#name, entryType: this.#type, startTime: this.#start, duration: this.#duration };
  }
}

function checkEntry(value) {
  if (!isEntry(value)) throw new ERR_INVALID_THIS('PerformanceEntry');
}

// An entry created by the runtime: timerify, gc, net, http, dns.
class PerformanceNodeEntry extends PerformanceEntry {
  #detail;

  constructor(mark, name, type, start, duration, detail) {
    super(mark, name, type, start, duration);
    this.#detail = detail;
  }

  get detail() {
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.#detail };
  }
}

function nodeEntry(name, type, start, duration, detail) {
  return new PerformanceNodeEntry(kMake, name, type, start, duration, detail);
}

// Makes class properties enumerable, as Web IDL requires, and sets `Symbol.toStringTag`.
function show(Class, names) {
  for (const name of names) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, {
    __proto__: null, configurable: true, value: Class.name,
  });
}

for (const name of ['name', 'entryType', 'startTime', 'duration', 'toJSON']) {
  Object.defineProperty(PerformanceEntry.prototype, name, { __proto__: null, enumerable: true });
}

module.exports = { PerformanceEntry, inspectAs, isEntry: (value) => isEntry(value), kMake, nodeEntry, show };
