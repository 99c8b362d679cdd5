'use strict';
// Retry with pristine intrinsics. Internal code calls builtin methods by name (`array.push`), which scripts may
// replace. If such code throws, `again` runs it a second time with the original methods put back temporarily (except
// those of Map and Set). Only for code that may run twice.

const scheduler = require('internal/scheduler');

function again(error, act) {
  // An error with a code is intended. Engine errors and errors of replaced methods have none.
  const undo = error?.code === undefined ? scheduler.withIntrinsics() : undefined;
  if (undo === undefined) throw error;
  try {
    return act();
  } finally {
    undo();
  }
}

module.exports = { again };
