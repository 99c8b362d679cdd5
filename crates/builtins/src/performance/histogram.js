'use strict';
// Histograms: recordable ones and the event loop delay monitor. The data is native; clones share it.

const {
  ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_OUT_OF_RANGE,
} = require('internal/errors');
const { validateInteger, validateNumber, validateObject } = require('internal/validators');
const { kClone, kDeserialize } = require('internal/clone_symbols');

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const kMake = Symbol('kMake');
// Fields of `histogramRead`.
const COUNT = 0, EXCEEDS = 1, MIN = 2, MAX = 3;

// Releases the native histogram when its object is collected.
const histogramRegistry = new SafeFinalizationRegistry(({ number, samples }) => {
  if (samples) native.delayClose(number);
  native.histogramDrop(number);
});

let numberOf;
let setNumber;
let isRecordable;

class Histogram {
  // The number of the native histogram, and the Map that `percentiles` refills on each access.
  #number;
  #map = new Map();

  static {
    numberOf = (value) => {
      if (!isHistogram(value)) throw new ERR_INVALID_THIS('Histogram');
      return value.#number;
    };
    setNumber = (histogram, number, samples) => {
      histogram.#number = number;
      histogramRegistry.register(histogram, { number, samples });
    };
  }

  static isHistogram(value) {
    return typeof value === 'object' && value !== null && #number in value;
  }

  constructor(mark = undefined) {
    if (mark !== kMake) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get count() {
    return native.histogramRead(numberOf(this), COUNT);
  }

  get countBigInt() {
    return native.histogramReadBig(numberOf(this), COUNT);
  }

  get min() {
    return native.histogramRead(numberOf(this), MIN);
  }

  get minBigInt() {
    return native.histogramReadBig(numberOf(this), MIN);
  }

  get max() {
    return native.histogramRead(numberOf(this), MAX);
  }

  get maxBigInt() {
    return native.histogramReadBig(numberOf(this), MAX);
  }

  get mean() {
    return native.histogramFloat(numberOf(this), false);
  }

  get exceeds() {
    return native.histogramRead(numberOf(this), EXCEEDS);
  }

  get exceedsBigInt() {
    return native.histogramReadBig(numberOf(this), EXCEEDS);
  }

  get stddev() {
    return native.histogramFloat(numberOf(this), true);
  }

  percentile(percentile) {
    const number = numberOf(this);
    checkPercentile(percentile);
    return native.histogramPercentile(number, percentile);
  }

  percentileBigInt(percentile) {
    const number = numberOf(this);
    checkPercentile(percentile);
    return native.histogramPercentileBig(number, percentile);
  }

  get percentiles() {
    return this.#fill(native.histogramPercentiles(numberOf(this)));
  }

  get percentilesBigInt() {
    return this.#fill(native.histogramPercentilesBig(numberOf(this)));
  }

  #fill(list) {
    this.#map.clear();
    for (let at = 0; at < list.length; at += 2) this.#map.set(list[at], list[at + 1]);
    return this.#map;
  }

  reset() {
    native.histogramReset(numberOf(this));
  }

  toJSON() {
    const { count, min, max, mean, exceeds, stddev, percentiles } = this;
    return { count, min, max, mean, exceeds, stddev, percentiles: Object.fromEntries(percentiles) };
  }

  [kInspect](depth, options) {
    if (depth < 0) return this;
    const { min, max, mean, exceeds, stddev, count, percentiles } = this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    const { inspect } = require('internal/util/inspect');
    return `Histogram ${inspect({ min, max, mean, exceeds, stddev, count, percentiles }, inner)}`;
  }
}
const { isHistogram } = Histogram;
delete Histogram.isHistogram;

function checkPercentile(percentile) {
  validateNumber(percentile, 'percentile');
  if (Number.isNaN(percentile) || percentile <= 0 || percentile > 100) {
    throw new ERR_OUT_OF_RANGE('percentile', '> 0 && <= 100', percentile);
  }
}

class RecordableHistogram extends Histogram {
  #recordable = true;

  static {
    isRecordable = (value) => typeof value === 'object' && value !== null && #recordable in value;
  }

  record(val) {
    checkRecordable(this);
    if (typeof val === 'bigint') {
      if (val < 1n || val > 0x7fffffffffffffffn) {
        const error = new RangeError('value is out of range');
        error.code = 'ERR_OUT_OF_RANGE';
        throw error;
      }
    } else {
      validateInteger(val, 'val', 1);
    }
    native.histogramRecord(numberOf(this), val);
  }

  recordDelta() {
    checkRecordable(this);
    native.histogramDelta(numberOf(this));
  }

  add(other) {
    checkRecordable(this);
    if (!isRecordable(other)) throw new ERR_INVALID_ARG_TYPE('other', 'RecordableHistogram', other);
    native.histogramAdd(numberOf(this), numberOf(other));
  }
}

function checkRecordable(value) {
  if (!isRecordable(value)) throw new ERR_INVALID_THIS('RecordableHistogram');
}

class ELDHistogram extends Histogram {
  #enabled = false;
  #resolution;

  constructor(mark = undefined, resolution = undefined) {
    super(mark);
    this.#resolution = resolution;
  }

  enable() {
    if (!(#enabled in this)) throw new ERR_INVALID_THIS('ELDHistogram');
    if (this.#enabled) return false;
    this.#enabled = true;
    native.delayStart(numberOf(this), this.#resolution);
    return true;
  }

  disable() {
    if (!(#enabled in this)) throw new ERR_INVALID_THIS('ELDHistogram');
    if (!this.#enabled) return false;
    this.#enabled = false;
    native.delayStop(numberOf(this));
    return true;
  }
}

// The constructor is an own property (`lib/internal/histogram.js: ClonedRecordableHistogram`).
function recordable(number) {
  const histogram = new RecordableHistogram(kMake);
  histogram.constructor = RecordableHistogram;
  if (number !== undefined) setNumber(histogram, number, false);
  return histogram;
}

function adopted(histogram, { number }) {
  native.histogramAdopt(number);
  setNumber(histogram, number, false);
}

// A clone shares the histogram. A clone of the delay monitor cannot be enabled or disabled.
function cloneable(Class, place, shell) {
  Object.defineProperty(Class.prototype, kClone, {
    __proto__: null,
    configurable: true,
    writable: true,
    value() {
      const number = numberOf(this);
      native.histogramKeep(number);
      return { class: `internal/performance/histogram:${place}`, data: { number } };
    },
  });
  Object.defineProperty(Class, kDeserialize, {
    __proto__: null,
    value: { shell, fill: adopted },
  });
}
cloneable(Histogram, 'Histogram', () => new Histogram(kMake));
cloneable(RecordableHistogram, 'RecordableHistogram', () => recordable());

function createHistogram(options = {}) {
  validateObject(options, 'options');
  const { lowest = 1, highest = Number.MAX_SAFE_INTEGER, figures = 3 } = options;
  if (typeof lowest !== 'bigint') validateInteger(lowest, 'options.lowest', 1, Number.MAX_SAFE_INTEGER);
  if (typeof highest !== 'bigint') {
    validateInteger(highest, 'options.highest', 2 * Number(lowest), Number.MAX_SAFE_INTEGER);
  } else if (highest < 2n * BigInt(lowest)) {
    throw new ERR_INVALID_ARG_VALUE.RangeError('options.highest', highest);
  }
  validateInteger(figures, 'options.figures', 1, 5);
  const number = native.histogram(lowest, highest, figures);
  if (number === undefined || number === null) throw new ERR_INVALID_ARG_VALUE.RangeError('options.lowest', lowest);
  return recordable(number);
}

// The largest delay that is recorded: one hour.
const LONGEST_NS = 3.6e12;

function monitorEventLoopDelay(options = {}) {
  validateObject(options, 'options');
  const { resolution = 10 } = options;
  validateInteger(resolution, 'options.resolution', 1);
  const histogram = new ELDHistogram(kMake, resolution);
  setNumber(histogram, native.histogram(1, LONGEST_NS, 3), true);
  return histogram;
}

module.exports = { Histogram, RecordableHistogram, createHistogram, isHistogram, monitorEventLoopDelay };
