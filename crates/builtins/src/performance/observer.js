'use strict';
// `PerformanceObserver`: receives entries in batches, in an immediate.

const {
  ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MISSING_ARGS,
} = require('internal/errors');
const { setImmediate } = require('internal/scheduler');
const { validateFunction, validateObject } = require('internal/validators');
const { inspectAs, kMake, nodeEntry, show } = require('internal/performance/entry');
const timeline = require('internal/performance/timeline');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const supported = Object.freeze(['dns', 'function', 'gc', 'http', 'http2', 'mark', 'measure', 'net', 'resource']);
const deprecation = 'Custom PerformanceEntry accessors are deprecated. Please use the detail property.';

// Observers with undelivered entries.
const pending = new Set();
let isQueued = false;

function later(observer) {
  pending.add(observer);
  if (isQueued) return;
  isQueued = true;
  setImmediate(() => {
    isQueued = false;
    const due = [...pending];
    pending.clear();
    for (const one of due) one.dispatch();
  });
}

class PerformanceObserverEntryList {
  #entries;

  constructor(mark = undefined, entries = []) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#entries = entries.sort(timeline.byStart);
  }

  static #of(list) {
    if (typeof list !== 'object' || list === null || !(#entries in list)) {
      throw new ERR_INVALID_THIS('PerformanceObserverEntryList');
    }
    return list.#entries;
  }

  getEntries() {
    return [...PerformanceObserverEntryList.#of(this)];
  }

  getEntriesByType(type) {
    const entries = PerformanceObserverEntryList.#of(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    type = `${type}`;
    return entries.filter((entry) => entry.entryType === type);
  }

  getEntriesByName(name, type = undefined) {
    const entries = PerformanceObserverEntryList.#of(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    name = `${name}`;
    return entries.filter((entry) => entry.name === name && (type == null || entry.entryType === type));
  }

  [kInspect](depth, options) {
    return inspectAs(this, this.#entries, depth, options);
  }
}

class PerformanceObserver {
  #callback;
  #entries = [];
  #types = new Set();
  // True for `entryTypes`, false for `type`; an observer cannot mix them.
  #isMany;
  // The interface used by the timeline and the queue.
  #inner = {
    offer: (entry) => {
      if (!this.#types.has(entry.entryType)) return;
      this.#entries.push(entry);
      later(this.#inner);
    },
    dispatch: () => { this.#callback(new PerformanceObserverEntryList(kMake, this.takeRecords()), this); },
  };

  constructor(callback) {
    validateFunction(callback, 'callback');
    this.#callback = callback;
  }

  observe(options = {}) {
    validateObject(options, 'options');
    const { entryTypes, type, buffered } = { ...options };
    if (entryTypes === undefined && type === undefined) {
      throw new ERR_MISSING_ARGS('options.entryTypes', 'options.type');
    }
    if (entryTypes != null && type != null) {
      throw new ERR_INVALID_ARG_VALUE('options.entryTypes', entryTypes,
                                      'options.entryTypes can not set with options.type together');
    }
    this.#decide(entryTypes !== undefined);
    if (this.#isMany) {
      if (!Array.isArray(entryTypes)) throw new ERR_INVALID_ARG_TYPE('options.entryTypes', 'string[]', entryTypes);
      this.#forget();
      for (const one of entryTypes) this.#add(one);
    } else {
      if (!this.#add(type)) return;
      if (buffered) {
        this.#entries.push(...timeline.find(undefined, type));
        later(this.#inner);
      }
    }
    if (this.#types.size > 0) timeline.observers.add(this.#inner);
    else this.disconnect();
  }

  #decide(isMany) {
    if (this.#isMany !== undefined && this.#isMany !== isMany) {
      const { DOMException } = require('internal/domexception');
      const what = isMany ? 'multiple observations' : 'single observation';
      throw new DOMException(`PerformanceObserver can not change to ${what}`, 'InvalidModificationError');
    }
    this.#isMany = isMany;
  }

  #add(type) {
    if (!supported.includes(type)) return false;
    this.#types.add(type);
    if (timeline.watched[type] !== undefined) timeline.watched[type]++;
    return true;
  }

  #forget() {
    for (const type of this.#types) {
      if (timeline.watched[type] !== undefined) timeline.watched[type]--;
    }
    this.#types.clear();
  }

  disconnect() {
    this.#forget();
    timeline.observers.delete(this.#inner);
    pending.delete(this.#inner);
    this.#entries = [];
    this.#isMany = undefined;
  }

  takeRecords() {
    const list = this.#entries;
    this.#entries = [];
    return list;
  }

  static get supportedEntryTypes() {
    return supported;
  }

  [kInspect](depth, options) {
    return inspectAs(this, {
      connected: timeline.observers.has(this.#inner),
      pending: pending.has(this.#inner),
      entryTypes: [...this.#types],
      buffer: this.#entries,
    }, depth, options);
  }
}

show(PerformanceObserverEntryList, ['getEntries', 'getEntriesByType', 'getEntriesByName']);
show(PerformanceObserver, ['observe', 'disconnect', 'takeRecords']);

// Creates an entry of the runtime. The details are also properties of the entry, as in older versions of Node.
function tellOf(name, type, start, duration, detail) {
  const entry = nodeEntry(name, type, start, duration, detail);
  const { deprecate } = require('internal/util');
  for (const key of Object.keys(detail)) {
    let value = detail[key];
    Object.defineProperty(entry, key, {
      __proto__: null,
      configurable: true,
      enumerable: true,
      get: deprecate(() => value, deprecation, 'DEP0152'),
      set: deprecate((given) => { value = given; }, deprecation, 'DEP0152'),
    });
  }
  timeline.notify(entry);
}

module.exports = { PerformanceObserver, PerformanceObserverEntryList, tellOf };
