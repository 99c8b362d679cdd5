'use strict';
// Entries for operations of the runtime (net, http, dns). Callers check `watched` of the timeline first, so that
// nothing is created or loaded without an observer.

const { nodeEntry } = require('internal/performance/entry');
const { notify, watched } = require('internal/performance/timeline');

class Span {
  constructor(type, name, detail) {
    this.type = type;
    this.name = name;
    this.detail = detail;
    this.start = native.now();
  }

  // Emits the entry, unless all observers have disconnected meanwhile.
  end(more = undefined) {
    const { type, start } = this;
    if (watched[type] > 0) notify(nodeEntry(this.name, type, start, native.now() - start, { ...this.detail, ...more }));
  }
}

function begin(type, name, detail) {
  return new Span(type, name, detail);
}

module.exports = { begin };
