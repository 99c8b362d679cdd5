'use strict';
// Entries of what the runtime does for a program: connections, requests, questions about names. Whoever does such a thing
// asks `watched` of the timeline first, so nothing is made, nor this loaded, unless somebody looks.

const { nodeEntry } = require('internal/performance/entry');
const { tell, watched } = require('internal/performance/timeline');

class Span {
  constructor(type, name, detail) {
    this.type = type;
    this.name = name;
    this.detail = detail;
    this.start = native.now();
  }

  // Tells of it, unless all who looked have gone since.
  end(more = undefined) {
    const { type, start } = this;
    if (watched[type] > 0) tell(nodeEntry(this.name, type, start, native.now() - start, { ...this.detail, ...more }));
  }
}

function begin(type, name, detail) {
  return new Span(type, name, detail);
}

module.exports = { begin };
