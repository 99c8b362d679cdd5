'use strict';
// `internal/fs/utils` under the names that Node's own tests use with `--expose-internals`.

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
