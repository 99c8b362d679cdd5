'use strict';
// For what can be done a second time: scripts may replace methods that it calls by their names. Then it is done again,
// with the language's own in their place for that time (but for those of maps and sets).

const scheduler = require('internal/scheduler');

function again(error, act) {
  // The engine's own errors have no code: what has one was thrown on purpose.
  const undo = error instanceof TypeError && error.code === undefined ? scheduler.untamper() : undefined;
  if (undo === undefined) throw error;
  try {
    return act();
  } finally {
    undo();
  }
}

module.exports = { again };
