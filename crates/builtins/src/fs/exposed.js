'use strict';
// `internal/fs/utils` for scripts run with `--expose-internals`, with Node's names.

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
