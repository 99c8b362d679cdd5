'use strict';
// For what can be done a second time: scripts may replace methods that it calls by their names. Then it is done again,
// with the language's own in their place for that time (but for those of maps and sets).

const scheduler = require('internal/scheduler');

function again(error, act) {
  // Neither the engine's own errors nor those of what scripts have put there have a code: what has one is meant.
  const undo = error?.code === undefined ? scheduler.untamper() : undefined;
  if (undo === undefined) throw error;
  try {
    return act();
  } finally {
    undo();
  }
}

module.exports = { again };
