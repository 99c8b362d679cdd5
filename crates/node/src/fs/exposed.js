'use strict';
// What scripts that run with `--expose-internals` look for in `internal/fs/utils`, by Node's names.

const { checkRead, checkWrite, toFlags } = require('internal/fs/arguments');
const { BigIntStats, Dirent, Stats } = require('internal/fs/stats');

module.exports = {
  BigIntStats,
  Dirent,
  Stats,
  stringToFlags: toFlags,
  validateOffsetLengthRead: checkRead,
  validateOffsetLengthWrite: checkWrite,
};
